// When a schedule is due: `at(…)`, `rate(…)` and `cron(…)`, in UTC, in whole minutes.
import { Cron } from "croner";
import { invalid } from "./errors.ts";

const MINUTE_MS = 60_000;
const UNITS: { readonly [unit: string]: number } = {
  minute: MINUTE_MS,
  hour: 60 * MINUTE_MS,
  day: 24 * 60 * MINUTE_MS,
};

export interface Expression {
  readonly kind: "at" | "rate" | "cron";
  /** First due time after `afterMs`; null = never again. `createdMs` is where rates begin. */
  next(afterMs: number, createdMs: number): number | null;
}

/** Throws Scheduler's ValidationException. */
export function parseExpression(text: string): Expression {
  const [, kind = "", inner = ""] = /^(at|rate|cron)\((.*)\)$/.exec(text) ?? [];
  if (kind === "at") return at(inner);
  if (kind === "rate") return rate(inner);
  if (kind === "cron") return cron(inner);
  throw invalid(`Invalid Schedule Expression ${text}.`);
}

/** Due within the minute that is named; here at the end of it, which is the latest AWS promises. */
function at(text: string): Expression {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(text)) throw invalid(`Invalid date ${text}.`);
  const namedMs = Date.parse(`${text}Z`);
  if (Number.isNaN(namedMs)) throw invalid(`Invalid date ${text}.`);
  const dueMs = Math.ceil(namedMs / MINUTE_MS) * MINUTE_MS;
  return { kind: "at", next: (afterMs) => (dueMs > afterMs ? dueMs : null) };
}

function rate(text: string): Expression {
  const [, count = "0", unit = ""] = /^(\d+) (minute|hour|day)s?$/.exec(text) ?? [];
  const everyMs = Number(count) * (UNITS[unit] ?? 0);
  if (everyMs === 0) throw invalid(`Invalid rate ${text}.`);
  return {
    kind: "rate",
    next: (afterMs, createdMs) =>
      createdMs + Math.max(1, Math.floor((afterMs - createdMs) / everyMs) + 1) * everyMs,
  };
}

/** AWS's six fields are minutes to year, with 1 for Sunday. */
function cron(text: string): Expression {
  try {
    // `?` is "no value of its own", which is any.
    const parsed = new Cron(`0 ${text.replaceAll("?", "*")}`, {
      paused: true,
      timezone: "UTC",
      alternativeWeekdays: true,
      mode: "7-part",
    });
    return {
      kind: "cron",
      next: (afterMs) => parsed.nextRun(new Date(afterMs))?.getTime() ?? null,
    };
  } catch {
    throw invalid(`Invalid cron expression ${text}.`);
  }
}
