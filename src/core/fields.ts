// Captured fields of a resource: how they are taken from an answer, compared and printed.
import type { Fields, Json } from "./change.ts";

/**
 * Picks `names` from an operation's output; a key that is absent (or undefined) stays absent. A
 * name with dots is a path: `Attributes.VisibilityTimeout`, `Parameters.0.Value`.
 */
export function captureFields(
  output: { readonly [key: string]: unknown },
  names: readonly string[],
): Fields {
  const captured: { [field: string]: Json } = {};
  for (const name of names) {
    // The key is tested, not the answer: an unset value is HTTP 200 without the key.
    const value = name.split(".").reduce<unknown>(memberOf, output);
    if (value !== undefined && value !== null) captured[name] = value as Json;
  }
  return captured;
}

function memberOf(of: unknown, key: string): unknown {
  if (typeof of !== "object" || of === null || !Object.hasOwn(of, key)) return undefined;
  return Reflect.get(of, key);
}

/** True when every named field is equal in both; absent equals absent only. */
export function sameFields(a: Fields, b: Fields, names: readonly string[]): boolean {
  return names.every((name) => sameField(a, b, name));
}

export function sameField(a: Fields, b: Fields, name: string): boolean {
  return canonical(a[name]) === canonical(b[name]);
}

/** `ReservedConcurrentExecutions 7`, or `… unset`: one field as a person reads it. */
export function showField(fields: Fields, name: string): string {
  const value = fields[name];
  if (value === undefined) return "unset";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** JSON with sorted keys, so that two equal values have one text; absent is "". */
function canonical(value: Json | undefined): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}
