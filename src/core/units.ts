// Numbers with their units: `5s`, `40/min`, `1%`. A quantity without its unit is an error.
import type { Unit } from "./criterion.ts";
import { GatecrashError } from "./error.ts";

const US_PER: { readonly [unit: string]: number } = {
  us: 1,
  µs: 1,
  ms: 1_000,
  s: 1_000_000,
  m: 60_000_000,
  min: 60_000_000,
  h: 3_600_000_000,
};
const SECONDS_PER: { readonly [unit: string]: number } = { s: 1, min: 60, m: 60, h: 3_600 };

const DURATION_PART = /(\d+(?:\.\d+)?)(µs|us|ms|min|h|m|s)/g;
const DURATION = /^(?:\d+(?:\.\d+)?(?:µs|us|ms|min|h|m|s))+$/;
const RATE = /^(\d+(?:\.\d+)?) ?\/ ?(s|min|m|h)$/;
const PERCENT = /^(\d+(?:\.\d+)?) ?%$/;
const DOLLARS = /^(?:\$ ?(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?) ?(?:usd|USD))$/;
const PLAIN = /^\d+(?:\.\d+)?$/;

/** `300ms`, `5s`, `2m`, `1m30s`, `1h` → integer µs. Throws GatecrashError("scenario"). */
export function parseDurationUs(text: string): number {
  if (!DURATION.test(text)) throw wrong(text, "a time", "300ms, 5s, 2m or 1h");
  let us = 0;
  for (const [, number, unit] of text.matchAll(DURATION_PART))
    us += Number(number) * US_PER[unit!]!;
  return finite(Math.round(us), text);
}

/** `40/s`, `40/min`, `100/h` → per second. Throws GatecrashError("scenario"). */
export function parseRatePerSecond(text: string): number {
  const [, number, unit] = RATE.exec(text) ?? [];
  if (unit === undefined) throw wrong(text, "a rate", "40/s or 40/min");
  return finite(Number(number) / SECONDS_PER[unit]!, text);
}

/** `1%` → 0.01. Throws GatecrashError("scenario"). */
export function parseRatio(text: string): number {
  const number = PERCENT.exec(text)?.[1];
  if (number === undefined) throw wrong(text, "a share", "1% or 99.9%");
  return finite(Number(`${number}e-2`), text); // 99.9 / 100 would be 0.9990000000000001
}

/** The limit of a criterion, in the unit that its text shows; plain numbers are `number`. */
export function parseAmount(text: string): { readonly value: number; readonly unit: Unit } {
  if (DURATION.test(text)) return { value: parseDurationUs(text), unit: "us" };
  if (PERCENT.test(text)) return { value: parseRatio(text), unit: "ratio" };
  const dollars = DOLLARS.exec(text);
  if (dollars !== null)
    return { value: finite(Number(dollars[1] ?? dollars[2]), text), unit: "usd" };
  if (PLAIN.test(text)) return { value: finite(Number(text), text), unit: "number" };
  throw new GatecrashError("scenario", `\`${text}\` is not a quantity`, {
    hint: "write a time as 300ms or 5s, a share as 1%, an amount as $4, a count as 350",
  });
}

function finite(value: number, text: string): number {
  if (value <= Number.MAX_SAFE_INTEGER) return value;
  throw new GatecrashError("scenario", `\`${text}\` is larger than can be counted`);
}

function wrong(text: string, what: string, examples: string): GatecrashError {
  const problem = PLAIN.test(text) ? `\`${text}\` has no unit` : `\`${text}\` is not ${what}`;
  return new GatecrashError("scenario", problem, { hint: `write ${what} as ${examples}` });
}
