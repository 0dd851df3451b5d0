// Reading CloudWatch's inputs, and its errors.

import { AwsError } from "../aws-error.ts";
import type { JsonInput } from "../wire/aws-json.ts";
import { said } from "../wire/said.ts";
import type { Dimension } from "./store.ts";

export const invalidMetric = (message: string): AwsError =>
  new AwsError("InvalidParameterValueException", 400, message);

/** What breaks a constraint of the model. */
export const wrongMember = (message: string): AwsError =>
  new AwsError("ValidationError", 400, message);

/** Epoch seconds (as the SDKs send) or ISO text, as ms. */
export function timeOf(input: JsonInput, key: string): number {
  const value = input[key];
  if (typeof value === "number") return value * 1_000;
  const parsed = typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(parsed)) throw invalidMetric(`The parameter ${key} is required.`);
  return parsed;
}

export function dimensionsOf(value: unknown): Dimension[] {
  if (!Array.isArray(value)) return [];
  return value.map((item: unknown) => {
    const { Name, Value } = (item ?? {}) as { Name?: unknown; Value?: unknown };
    return { Name: said(Name), Value: said(Value) };
  });
}

/** Whole minutes: everything here has one-minute resolution. */
export function periodMsOf(value: unknown): number {
  if (typeof value === "number" && value > 0 && value % 60 === 0) return value * 1_000;
  throw invalidMetric("The parameter Period must be a multiple of 60.");
}
