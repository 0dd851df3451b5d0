// Reads time stamps of logs as integer µs since 1970; gives coarse ones a place in their second.
import type { Rng } from "../core/rng.ts";
import { US_PER_S } from "../core/time.ts";

const ISO = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)?$/;

/** ISO 8601 with up to nine decimals; without an offset it is UTC. Null when it is none. */
export function parseIsoUs(text: string): number | null {
  const parts = ISO.exec(text);
  if (parts === null) return null;
  const [, day, time, fraction = "", offset = "Z"] = parts;
  const ms = epochMsOf(day!, time!, offset);
  if (ms === null) return null;
  return ms * 1_000 + Number(fraction.padEnd(6, "0").slice(0, 6));
}

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const COMMON = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d{4})$/;

/** `17/May/2015:10:05:03 +0000`, whole seconds. Null when it is none. */
export function parseCommonUs(text: string): number | null {
  const parts = COMMON.exec(text);
  if (parts === null) return null;
  const [, day, name = "", year, time, offset = "+0000"] = parts;
  const month = MONTHS.indexOf(name);
  if (month < 0 || month % 3 !== 0) return null;
  const mm = String(month / 3 + 1).padStart(2, "0");
  const ms = epochMsOf(`${year}-${mm}-${day}`, time!, offset);
  return ms === null ? null : ms * 1_000;
}

/** `Date.parse` takes 31 February for 3 March; here it is no date. */
function epochMsOf(day: string, time: string, offset: string): number | null {
  const midnightMs = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnightMs) || !new Date(midnightMs).toISOString().startsWith(day)) return null;
  const ms = Date.parse(`${day}T${time}${colonOffset(offset)}`);
  return Number.isNaN(ms) ? null : ms;
}

const colonOffset = (offset: string): string =>
  offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset;

/**
 * Offsets in [0, 1 s) for the `count` requests that share a second: seeded sorted uniforms, which
 * is how independent arrivals would lie. Depends on the second, not on what else was imported.
 */
export function offsetsInSecond(count: number, secondUs: number, rng: Rng): number[] {
  const draws = rng.fork(`second/${secondUs}`);
  const offsets = Array.from({ length: count }, () => Math.floor(draws.next() * US_PER_S));
  return offsets.sort((a, b) => a - b);
}
