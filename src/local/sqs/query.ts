// SQS in the Query protocol: its forms as the JSON protocol's inputs, its outputs as XML.

import type { JsonInput } from "../wire/aws-json.ts";
import type { QueryCall, XmlTree, XmlValue } from "../wire/aws-query.ts";
import { type FormTree, formTree, listOf } from "../wire/form.ts";
import { said } from "../wire/said.ts";
import type { World } from "../world.ts";
import { SQS_OPERATIONS, type SqsOperation } from "./operations.ts";

type QueryOperation = (world: World, call: QueryCall) => Promise<XmlTree | null>;

/** Element in a form → member of the input, for lists of texts, maps and structures. */
const LISTS = new Map([
  ["AttributeName", "AttributeNames"],
  ["MessageAttributeName", "MessageAttributeNames"],
  ["MessageSystemAttributeName", "MessageSystemAttributeNames"],
]);
const MAPS = new Map([
  ["Attribute", "Attributes"],
  ["MessageAttribute", "MessageAttributes"],
  ["MessageSystemAttribute", "MessageSystemAttributes"],
]);
const ENTRIES = [
  "SendMessageBatchRequestEntry",
  "DeleteMessageBatchRequestEntry",
  "ChangeMessageVisibilityBatchRequestEntry",
];
const NUMBERS = [
  "DelaySeconds",
  "MaxNumberOfMessages",
  "MaxResults",
  "VisibilityTimeout",
  "WaitTimeSeconds",
];
const WITHOUT_RESULT = [
  "ChangeMessageVisibility",
  "DeleteMessage",
  "DeleteQueue",
  "PurgeQueue",
  "SetQueueAttributes",
];

export const SQS_NAMESPACE = "http://queue.amazonaws.com/doc/2012-11-05/";

export const SQS_QUERY_OPERATIONS: { readonly [action: string]: QueryOperation } =
  Object.fromEntries(
    Object.entries(SQS_OPERATIONS).map(([name, operation]) => [name, queryOf(name, operation)]),
  );

function queryOf(name: string, operation: SqsOperation): QueryOperation {
  return async (world, { form }) => {
    const output = await operation(world, inputOf(formTree(form)));
    return WITHOUT_RESULT.includes(name) ? null : xmlOf(output as JsonInput, name);
  };
}

function inputOf(tree: FormTree): JsonInput {
  return Object.fromEntries(Object.entries(tree).map(([name, value]) => memberOf(name, value)));
}

function memberOf(element: string, value: FormTree | string): [member: string, value: unknown] {
  if (ENTRIES.includes(element))
    return ["Entries", listOf(value).map((one) => (typeof one === "object" ? inputOf(one) : {}))];
  const [list, map] = [LISTS.get(element), MAPS.get(element)];
  if (list !== undefined) return [list, listOf(value).map(plain)];
  if (map !== undefined) return [map, mapOf(value)];
  return [element, NUMBERS.includes(element) ? numberOf(value) : plain(value)];
}

/** Names and values; a value is a text, or a message attribute's structure. */
function mapOf(tree: FormTree | string): { [name: string]: unknown } {
  const pairs = listOf(tree).map((one): [string, unknown] =>
    typeof one === "object" ? [said(plain(one.Name)), plain(one.Value ?? "")] : ["", one],
  );
  return Object.fromEntries(pairs);
}

/** A form's tree has no prototype, so that no name in it can reach one; a value is an object. */
const plain = (value: FormTree | string | undefined): unknown =>
  typeof value === "object"
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
    : value;

/** What is no number stays text, and is refused by the operation. */
const numberOf = (value: FormTree | string): unknown =>
  typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : plain(value);

/** Member of an output → element, repeated for each item of a list or map. */
const ELEMENTS: { readonly [member: string]: string } = {
  Messages: "Message",
  QueueUrls: "QueueUrl",
  queueUrls: "QueueUrl",
  Attributes: "Attribute",
  MessageAttributes: "MessageAttribute",
  Failed: "BatchResultErrorEntry",
};

function xmlOf(output: JsonInput, action: string): XmlTree {
  const tree: { [element: string]: XmlValue } = {};
  for (const [member, value] of Object.entries(output)) {
    const element = member === "Successful" ? `${action}ResultEntry` : ELEMENTS[member];
    if (element === undefined) tree[member] = value as XmlValue;
    else if (Array.isArray(value))
      tree[element] = value.map((one: unknown) =>
        typeof one === "string" ? one : xmlOf(one as JsonInput, action),
      );
    else
      tree[element] = Object.entries(value as JsonInput).map(([Name, Value]) => ({
        Name,
        Value: Value as XmlValue,
      }));
  }
  return tree;
}
