// When a mute rule mutes: `at(…)` and `cron(…)` with a length, in a time zone; pure.
import { Cron } from "croner";
import { wrongMember } from "./metric-input.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const DURATION_MAX_MS = 15 * DAY_MS;

export interface MuteSchedule {
  readonly kind: "ONE_TIME" | "RECURRING";
  /** The window that `nowMs` lies in, or else the next one; null = there is none any more. */
  window(nowMs: number): { readonly startMs: number; readonly endMs: number } | null;
}

/** Throws CloudWatch's ValidationError. */
export function muteSchedule(expression: string, duration: string, zone: string): MuteSchedule {
  const lengthMs = lengthOf(duration);
  const [, kind, inner = ""] = /^(at|cron)\((.*)\)$/.exec(expression) ?? [];
  if (kind === undefined) throw wrong("Expression", expression);
  const starts = kind === "at" ? once(inner, zone) : recurring(inner, zone);
  return {
    kind: kind === "at" ? "ONE_TIME" : "RECURRING",
    window(nowMs) {
      const startMs = starts(nowMs - lengthMs);
      return startMs === null ? null : { startMs, endMs: startMs + lengthMs };
    },
  };
}

/** The first start after a moment; null = never. */
type Starts = (afterMs: number) => number | null;

function once(text: string, zone: string): Starts {
  const namedMs = Date.parse(`${text}Z`);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) || Number.isNaN(namedMs))
    throw wrong("Expression", `at(${text})`);
  const atMs = namedMs - offsetMs(namedMs, zone);
  return (afterMs) => (atMs > afterMs ? atMs : null);
}

/** What the zone's clocks show beyond UTC; not exact in the hour in which they are changed. */
function offsetMs(atMs: number, zone: string): number {
  const shown = new Date(atMs).toLocaleString("sv-SE", { timeZone: knownZone(zone) });
  return Date.parse(`${shown.replace(" ", "T")}Z`) - Math.floor(atMs / 1_000) * 1_000;
}

function knownZone(zone: string): string {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return zone;
  } catch {
    throw wrong("Timezone", zone);
  }
}

/** Five fields; of their characters AWS knows `*`, `-` and `,`. */
function recurring(text: string, zone: string): Starts {
  const isPlain = /^[\dA-Za-z*,-]+( [\dA-Za-z*,-]+){4}$/.test(text);
  if (!isPlain) throw wrong("Expression", `cron(${text})`);
  try {
    const parsed = new Cron(text, { paused: true, timezone: knownZone(zone), mode: "5-part" });
    return (afterMs) => parsed.nextRun(new Date(afterMs))?.getTime() ?? null;
  } catch {
    throw wrong("Expression", `cron(${text})`);
  }
}

/** ISO 8601, days to minutes. */
function lengthOf(text: string): number {
  const parts = /^P(?=.)(?:(\d{1,3})D)?(?:T(?=.)(?:(\d{1,4})H)?(?:(\d{1,5})M)?)?$/.exec(text);
  if (parts === null) throw wrong("Duration", text);
  const [, days = 0, hours = 0, minutes = 0] = parts;
  const ms = Number(days) * DAY_MS + (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  if (ms < MINUTE_MS || ms > DURATION_MAX_MS) throw wrong("Duration", text);
  return ms;
}

const wrong = (what: string, value: string): Error =>
  wrongMember(`Schedule ${what} '${value}' is not valid.`);
