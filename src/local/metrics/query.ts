// CloudWatch in the Query protocol, which older command lines and boto3 still speak.
import type { JsonInput } from "../wire/aws-json.ts";
import type { QueryCall, XmlTree, XmlValue } from "../wire/aws-query.ts";
import { type FormTree, formTree, listOf } from "../wire/form.ts";
import type { World } from "../world.ts";
import { METRIC_OPERATIONS } from "./operations.ts";

type QueryOperation = (world: World, call: QueryCall) => XmlTree;

export const METRIC_QUERY_OPERATIONS: { readonly [action: string]: QueryOperation } =
  Object.fromEntries(
    Object.entries(METRIC_OPERATIONS).map(([name, operation]): [string, QueryOperation] => [
      name,
      (world, { form }) =>
        treeOf(operation(world, inputOf(formTree(form)) as JsonInput) as JsonInput),
    ]),
  );

const NUMBERS = ["Period", "MaxRecords", "MaxDatapoints"];
const TRUTHS = ["ReturnData"];
/** Seconds since 1970 inside, ISO 8601 in XML. */
const TIMES = /Timestamps?$|^(Start|Expire)Date$/;

/** Lists are written as `X.member.1`. */
function inputOf(tree: FormTree): { [member: string]: unknown } {
  return Object.fromEntries(Object.entries(tree).map(([name, value]) => [name, read(name, value)]));
}

function read(name: string, value: FormTree | string): unknown {
  if (typeof value === "object") {
    if (value.member === undefined) return inputOf(value);
    return listOf(value.member).map((one) => (typeof one === "object" ? inputOf(one) : one));
  }
  if (NUMBERS.includes(name) && /^\d+$/.test(value)) return Number(value);
  return TRUTHS.includes(name) ? value === "true" : value;
}

function treeOf(output: JsonInput): XmlTree {
  const members = Object.entries(output).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members.map(([name, value]) => [name, written(name, value)]));
}

function written(name: string, value: unknown): XmlValue {
  if (Array.isArray(value)) return { member: value.map((one: unknown) => written(name, one)) };
  if (typeof value === "number" && TIMES.test(name)) return new Date(value * 1_000).toISOString();
  if (typeof value !== "object" || value === null) return value as XmlValue;
  if (name !== "ExtendedStatistics") return treeOf(value as JsonInput);
  const entries = Object.entries(value);
  return { entry: entries.map(([key, one]): XmlTree => ({ key, value: Number(one) })) };
}
