// SQS in the Query protocol: its forms as the JSON protocol's inputs, its outputs as XML.
import type { JsonInput } from "../wire/aws-json.ts";
import type { QueryCall, XmlTree, XmlValue } from "../wire/aws-query.ts";
import { type FormTree, formTree, listOf } from "../wire/form.ts";
import type { World } from "../world.ts";
import { SQS_OPERATIONS, type SqsOperation } from "./operations.ts";

type QueryOperation = (world: World, call: QueryCall) => Promise<XmlTree | null>;

/** Element in a form → member of the input, for lists of texts, maps and structures. */
const LISTS: { readonly [element: string]: string } = {
  AttributeName: "AttributeNames",
  MessageAttributeName: "MessageAttributeNames",
  MessageSystemAttributeName: "MessageSystemAttributeNames",
};
const MAPS: { readonly [element: string]: string } = {
  Attribute: "Attributes",
  MessageAttribute: "MessageAttributes",
  MessageSystemAttribute: "MessageSystemAttributes",
};
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
  const input: { [member: string]: unknown } = {};
  for (const [element, value] of Object.entries(tree)) {
    if (ENTRIES.includes(element))
      input.Entries = listOf(value).map((one) => (typeof one === "object" ? inputOf(one) : {}));
    else if (element in LISTS) input[LISTS[element]!] = listOf(value);
    else if (element in MAPS) input[MAPS[element]!] = mapOf(value);
    else if (NUMBERS.includes(element)) input[element] = numberOf(value);
    else input[element] = value;
  }
  return input;
}

/** Names and values; a value is a text, or a message attribute's structure. */
function mapOf(tree: FormTree | string): { [name: string]: unknown } {
  const pairs = listOf(tree).map((one): [string, unknown] =>
    typeof one === "object" ? [String(one.Name), one.Value ?? ""] : ["", one],
  );
  return Object.fromEntries(pairs);
}

/** What is no number stays text, and is refused by the operation. */
const numberOf = (value: FormTree | string): unknown =>
  typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value;

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
