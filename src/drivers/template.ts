// Body templates: text with `{{…}}` values that are drawn from the seed, the same ones each time.
import { GatecrashError } from "../core/error.ts";
import type { Rng } from "../core/rng.ts";

/** What a value may depend on. */
interface TemplateContext {
  /** Number of this body in its load, from 0. */
  readonly seq: number;
  /** Intended send time, ms since 1970. */
  readonly dueEpochMs: number;
  readonly rng: Rng;
}

export type Template = (context: TemplateContext) => string;

type Value = (context: TemplateContext) => string;

const PLACE = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** Every value a template may ask for: name → what follows the name → value. */
const VALUES: { readonly [name: string]: (rest: string) => Value | null } = {
  seq: (rest) => (rest === "" ? ({ seq }) => String(seq) : null),
  uuid: (rest) => (rest === "" ? ({ rng }) => uuid(rng) : null),
  int: (rest) => {
    const [from = Number.NaN, to = Number.NaN, more] = rest.split(/\s+/).map(Number);
    if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || to < from) return null;
    if (more !== undefined) return null;
    return ({ rng }) => String(from + Math.floor(rng.next() * (to - from + 1)));
  },
  pick: (rest) => {
    const choices = rest.split("|").map((choice) => choice.trim());
    if (rest === "") return null;
    return ({ rng }) => choices[Math.floor(rng.next() * choices.length)] ?? "";
  },
  hex: (rest) => {
    const digits = Number(rest);
    if (!Number.isInteger(digits) || digits < 1 || digits > 4_096) return null;
    return ({ rng }) => hex(rng, digits);
  },
  pad: (rest) => {
    const sizeBytes = Number(rest);
    if (!Number.isInteger(sizeBytes) || sizeBytes < 1 || sizeBytes > 1_048_576) return null;
    const text = "x".repeat(sizeBytes);
    return () => text;
  },
  now: (rest) => {
    if (rest === "minute") return ({ dueEpochMs }) => isoOf(dueEpochMs).slice(0, MINUTE_LENGTH);
    return rest === "" ? ({ dueEpochMs }) => isoOf(dueEpochMs) : null;
  },
  "now-ms": (rest) => (rest === "" ? ({ dueEpochMs }) => String(Math.floor(dueEpochMs)) : null),
};

/** `2026-11-30T05:24`. */
const MINUTE_LENGTH = 16;
const isoOf = (epochMs: number): string => new Date(epochMs).toISOString();

/** @throws GatecrashError `scenario` for a value that is not known or cannot be made. */
export function compileTemplate(text: string, file: string | null = null): Template {
  const parts: (string | Value)[] = [];
  let from = 0;
  for (const found of text.matchAll(PLACE)) {
    parts.push(text.slice(from, found.index), drawOf(found[1] ?? "", file));
    from = found.index + found[0].length;
  }
  parts.push(text.slice(from));
  if (parts.length === 1) return () => text;
  return (context) => {
    let out = "";
    for (const part of parts) out += typeof part === "string" ? part : part(context);
    return out;
  };
}

function drawOf(expression: string, file: string | null): Value {
  const [name = ""] = expression.split(/\s+/, 1);
  const value = VALUES[name]?.(expression.slice(name.length).trim());
  if (value !== undefined && value !== null) return value;
  throw new GatecrashError("scenario", `{{${expression}}} is no value of a body template`, {
    hint:
      "values: seq, uuid, int <from> <to>, pick <a|b>, hex <digits>, pad <bytes>, now, " +
      "now minute, now-ms",
    ...(file === null ? {} : { place: { file } }),
  });
}

function hex(rng: Rng, digits: number): string {
  let out = "";
  while (out.length < digits)
    out += Math.floor(rng.next() * 4_294_967_296)
      .toString(16)
      .padStart(8, "0");
  return out.slice(0, digits);
}

/** Version 4 by its form; random by the seed. */
function uuid(rng: Rng): string {
  const digits = hex(rng, 32);
  const variant = "89ab"[Number.parseInt(digits.charAt(16), 16) & 3] ?? "8";
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20),
  ].join("-");
}
