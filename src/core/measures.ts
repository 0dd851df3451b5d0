// Every measure a criterion may name: its unit, what it is of, and whether it is a sample or a
// census.
import type { Unit } from "./criterion.ts";
import { REFUSERS } from "./outcome.ts";
import { versionOfName } from "./version-name.ts";

/**
 * What may stand before the measure: a load (or nothing = all), `function(X)`, `account`, a sink,
 * an observed queue.
 */
export type MeasureScope = "load" | "function" | "account" | "sink" | "queue" | "recovery";

export interface MeasureInfo {
  readonly unit: Unit;
  /** Samples are judged by their confidence bound, a census is compared as it is. */
  readonly basis: "sample" | "census";
  readonly scopes: readonly MeasureScope[];
  /** Needs REPORT lines joined to attempts. */
  readonly joined: boolean;
  /** Which criteria may ask for it while the run goes on: it is counted live then. */
  readonly live: readonly LiveUse[];
}

export type LiveUse = "steady" | "stop-when";

const time = (...scopes: MeasureScope[]): MeasureInfo => info("us", "sample", scopes);
const rate = (...scopes: MeasureScope[]): MeasureInfo => info("ratio", "sample", scopes);
const count = (...scopes: MeasureScope[]): MeasureInfo => info("count", "census", scopes);

function info(unit: Unit, basis: MeasureInfo["basis"], scopes: MeasureScope[]): MeasureInfo {
  return { unit, basis, scopes, joined: false, live: [] };
}

const live = (of: MeasureInfo): MeasureInfo => ({ ...of, live: ["steady", "stop-when"] });
const steady = (of: MeasureInfo): MeasureInfo => ({ ...of, live: ["steady"] });
const joined = (of: MeasureInfo): MeasureInfo => ({ ...of, joined: true });

/** By their fixed spelling; percentiles and `throttles.<by>` are matched by pattern below. */
const FIXED: { readonly [measure: string]: MeasureInfo } = {
  max: info("us", "census", ["load"]),
  "cold.rate": joined(rate("load", "function")),
  "unjoined.rate": joined(rate("load")),
  "errors.rate": live(rate("load", "function")),
  throttles: live(count("load", "function", "account")),
  "throttles.rate": live(rate("load", "function", "account")),
  "degraded.rate": steady(rate("load")),
  "unknown.rate": live(rate("load")),
  count: live(count("load", "function")),
  dropped: live(count("load")),
  "in-flight": live(count("load")),
  amplification: steady(info("number", "census", ["load"])),
  recovery: info("us", "census", ["recovery"]),
  "concurrency.max": count("account", "function"),
  "iterator-age.max": info("us", "census", ["function"]),
  depth: count("queue"),
  lost: count("sink"),
  duplicated: count("sink"),
  undecided: count("sink"),
  "mismatch.rate": info("ratio", "census", ["sink"]),
  agreement: rate("load"),
  "cost.per-million": joined(info("usd", "census", ["load", "function"])),
};

const PERCENTILES: { readonly [prefix: string]: MeasureInfo } = {
  "": steady(time("load")),
  "service.": time("load"),
  "lag.": steady(time("load")),
  "init.": joined(time("load", "function")),
  "duration.": joined(time("load", "function")),
};

const PERCENTILE = /^(service\.|lag\.|init\.|duration\.)?p([1-9]\d|99\d{1,2})$/;
const THROTTLES_BY = /^throttles\.(.+?)(\.rate)?$/;

/** Refusers and their prefixes: `kinesis` stands for `kinesis.shard`. */
const REFUSER_PATHS = new Set(
  REFUSERS.flatMap((refuser) => [refuser, refuser.split(".")[0]!]).filter((path) => path !== ""),
);

/** What is known about a measure; undefined when there is none of that name. */
export function measureInfo(measure: string): MeasureInfo | undefined {
  if (Object.hasOwn(FIXED, measure)) return FIXED[measure];
  const percentile = PERCENTILE.exec(measure);
  if (percentile !== null) return PERCENTILES[percentile[1] ?? ""];
  const by = THROTTLES_BY.exec(measure);
  if (by === null || !REFUSER_PATHS.has(by[1]!)) return undefined;
  return by[2] === undefined ? count("load") : rate("load");
}

/** Measures of what a version answered, or wrote into its log: what comes before has none. */
export function isByVersion(measure: string): boolean {
  const percentile = PERCENTILE.exec(measure);
  if (percentile !== null) return percentile[1] !== "lag.";
  return BY_VERSION.has(measure);
}

const BY_VERSION = new Set([
  ...["max", "errors.rate", "unknown.rate", "degraded.rate", "cold.rate", "count", "agreement"],
  "cost.per-million",
]);

/** `p99` and `service.p99` → 0.99, `p999` → 0.999, `p50` → 0.5; null when it is no percentile. */
export function quantileOf(measure: string): number | null {
  const digits = PERCENTILE.exec(measure)?.[2];
  return digits === undefined ? null : Number(`0.${digits}`);
}

/** `throttles.lambda.rate` → `lambda`; null when the measure names nobody. */
export function refuserOf(measure: string): string | null {
  const by = THROTTLES_BY.exec(measure)?.[1];
  return by !== undefined && REFUSER_PATHS.has(by) ? by : null;
}

/** Spellings to suggest when a measure is not known. */
export const KNOWN_MEASURES: readonly string[] = [
  ...Object.keys(FIXED),
  ...Object.keys(PERCENTILES).flatMap((prefix) =>
    ["p50", "p90", "p95", "p99", "p999"].map((p) => prefix + p),
  ),
  ...[...REFUSER_PATHS].flatMap((by) => [`throttles.${by}`, `throttles.${by}.rate`]),
];

/** First words of measures and words of the grammar: nothing in a scenario may be called so. */
export function isReservedWord(word: string): boolean {
  if (PERCENTILE.test(word) || /^v\d+$/.test(word) || versionOfName(word) !== null) return true;
  return RESERVED.has(word);
}

const RESERVED = new Set([
  ...Object.keys(FIXED).map((measure) => measure.split(".")[0]!),
  ...["service", "init", "duration", "function", "during", "within", "after", "primary"],
  ...["of", "quota", "rate", "cold", "warm", "account", "recorded", "candidate", "reference"],
]);
