// Reads members of SQS's inputs; whatever is missing or out of range is AWS's error.

import type { JsonInput } from "../wire/aws-json.ts";
import { said } from "../wire/said.ts";
import type { World } from "../world.ts";
import { badValue, invalidParameterValue, missingParameter } from "./errors.ts";
import type { MessageAttribute, MessageAttributes } from "./message.ts";
import type { Queue } from "./queue.ts";

export function queueOf(world: World, input: JsonInput): Queue {
  return world.queues.byUrl(textOf(input, "QueueUrl"));
}

/** A text that must be there and not be empty. */
export function textOf(input: JsonInput, parameter: string): string {
  const value = input[parameter];
  if (value === undefined || value === null || value === "") throw missingParameter(parameter);
  if (typeof value === "string") return value;
  throw invalidParameterValue(`${parameter} must be a string.`);
}

/** A whole number in its range; undefined when it is not given. */
export function wholeOf(
  input: JsonInput,
  parameter: string,
  [low, high]: readonly [number, number],
  reason: string,
): number | undefined {
  const value = input[parameter];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= low && value <= high)
    return value;
  throw badValue(value, parameter, reason);
}

/** The first of `parameters` that is a list of texts; [] when none is given. */
export function namesOf(input: JsonInput, ...parameters: string[]): string[] {
  for (const parameter of parameters) {
    const value = input[parameter];
    if (Array.isArray(value)) return value.map(said);
  }
  return [];
}

/** The object at `parameter`; {} when it is not given. */
export function mapOf(input: JsonInput, parameter: string): JsonInput {
  const value = input[parameter];
  if (value === undefined || value === null) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value as JsonInput;
  throw invalidParameterValue(`${parameter} must be a map.`);
}

const ATTRIBUTES_MAX = 10;
const ATTRIBUTE_NAME = /^(?!aws\.|amazon\.|\.)[\w.-]{1,256}$/i;

export function messageAttributesOf(input: JsonInput, parameter: string): MessageAttributes {
  const given = Object.entries(mapOf(input, parameter));
  if (given.length > ATTRIBUTES_MAX)
    throw invalidParameterValue(
      `Number of message attributes [${given.length}] exceeds the allowed maximum ` +
        `[${ATTRIBUTES_MAX}].`,
    );
  return Object.fromEntries(given.map(([name, value]) => [name, attributeOf(name, value)]));
}

function attributeOf(name: string, given: unknown): MessageAttribute {
  const { DataType, StringValue, BinaryValue } = (given ?? {}) as { [key: string]: unknown };
  if (!ATTRIBUTE_NAME.test(name))
    throw invalidParameterValue(`The message attribute name '${name}' is invalid.`);
  if (typeof DataType !== "string" || !/^(String|Number|Binary)(\..{1,248})?$/.test(DataType))
    throw invalidParameterValue(
      `The type of message (user) attribute '${name}' is invalid. You must use only the ` +
        "following supported type prefixes: Binary, Number, String.",
    );
  const binary = DataType.startsWith("Binary");
  const value = binary ? BinaryValue : StringValue;
  if (typeof value !== "string" || value === "")
    throw invalidParameterValue(
      `The message (user) attribute '${name}' must contain a non-empty value of type ` +
        `'${binary ? "Binary" : "String"}'.`,
    );
  if (DataType.startsWith("Number") && !Number.isFinite(Number(value)))
    throw invalidParameterValue(
      `Can't cast the value of message (user) attribute '${name}' to a number.`,
    );
  return binary ? { DataType, BinaryValue: value } : { DataType, StringValue: value };
}
