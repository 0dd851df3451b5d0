// The scalars of a scenario file: each knows its unit, its JSON Schema and its complaint.
import { z } from "zod";
import { GatecrashError } from "../core/error.ts";
import { parseDurationUs, parseRatePerSecond, parseRatio } from "../core/units.ts";

/** An object that refuses unknown keys; the message then carries the known ones for the reader. */
export function object<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? Object.keys(shape).join(" ") : undefined,
  });
}

/** A text with a unit; a bare number gets the same complaint as a wrong unit. */
function quantity(parse: (text: string) => number, pattern: RegExp, what: string, hint: string) {
  const text = z.string({ error: () => `${what} needs a unit, as ${hint}` }).meta({
    pattern: pattern.source,
    examples: [hint.split(" ")[0]],
  });
  return text.transform((value, context) => {
    try {
      return parse(value);
    } catch (error) {
      if (!(error instanceof GatecrashError)) throw error;
      const message = error.hint === undefined ? error.message : `${error.message}; ${error.hint}`;
      context.issues.push({ code: "custom", message, input: value });
      return z.NEVER;
    }
  });
}

/** → integer µs. */
export const duration = quantity(
  parseDurationUs,
  /^(\d+(\.\d+)?(us|ms|s|m|min|h))+$/,
  "a time",
  "300ms or 5s",
);
/** → integer µs, never 0. */
export const positiveDuration = duration.refine((us) => us > 0, "a time of 0 has no use here");
/** → per second. */
export const rate = quantity(
  parseRatePerSecond,
  /^\d+(\.\d+)?\/(s|min|m|h)$/,
  "a rate",
  "40/s or 40/min",
);
/** → 0–1. */
export const share = quantity(parseRatio, /^\d+(\.\d+)?%$/, "a share", "1% or 90%");

export const count = z.int({ error: () => "a whole number from 1 on is needed here" }).min(1);
export const countFromZero = z
  .int({ error: () => "a whole number from 0 on is needed here" })
  .min(0);
export const text = z.string({ error: () => "a text is needed here" }).min(1);

const CELL_FIELDS_MAX = 5;
/** Field or fields that make a cell. */
export const cellFields = z.union(
  [text.transform((field) => [field]), z.array(text).min(1).max(CELL_FIELDS_MAX)],
  { error: () => `a cell is a field, or a list of up to ${CELL_FIELDS_MAX}` },
);

/** Part of criteria, so neither dots nor blanks. */
export const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** May hold `{{outputs.X}}`; which references exist is checked for the whole file at once. */
export const ref = text;
/** Relative to the scenario's folder. */
export const path = text;
