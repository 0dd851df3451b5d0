// Two runs side by side: percentiles and rates, their ratio and its interval, and what that says.
import { quantileOf } from "../core/measures.ts";
import { parseCriterion } from "../core/parse-criterion.ts";
import { type Rng, seededRng } from "../core/rng.ts";
import type { Window } from "../core/window.ts";
import { coldWavesOf } from "./cold-wave.ts";
import { type Facts, readFacts } from "./facts-reader.ts";
import { windowOf } from "./judge-census.ts";
import { type Ratio, spreadOf } from "./run-ratio.ts";
import { Samples } from "./samples.ts";
import { SECONDS_MIN, type Seconds, secondsOf } from "./seconds.ts";
import { selectionOf } from "./selection.ts";
import { feed } from "./sources.ts";
import { holm, samplesForBound } from "./statistics.ts";
import { storyOf } from "./story.ts";
import { readTables, type Tables } from "./tables.ts";
import { windowsOf } from "./windows.ts";

type Word = "faster" | "slower" | "fewer" | "more" | "no clear difference" | "too few";

/** One measure of one load in both runs. Times µs, rates 0–1. */
export interface ComparedRow {
  readonly load: string;
  /** `all`, `cold` or `warm`. */
  readonly start: string;
  readonly measure: string;
  readonly unit: "us" | "ratio";
  readonly a: number;
  readonly b: number;
  readonly nA: number;
  readonly nB: number;
  /** B ÷ A with its two-sided 95 % interval; null = too few, or A is 0. */
  readonly ratio: Ratio | null;
  /** B − A with its two-sided 95 % interval; null = too few. */
  readonly difference: Ratio | null;
  readonly word: Word;
  /** True when it still stands with all rows asked at once (Holm). */
  readonly standsOut: boolean;
}

export interface Comparison {
  readonly a: Tables["plan"];
  readonly b: Tables["plan"];
  readonly window: string | null;
  readonly rows: readonly ComparedRow[];
  /** Why the two may not be comparable, one sentence each. */
  readonly doubts: readonly string[];
}

/** More degraded answers or cold starts may be what a change is for: shown, not condemned. */
const WORSE_IF_MORE = ["errors.rate", "unknown.rate"];

/** Worse beyond chance in B, with all rows asked at once. */
export function isWorse({ standsOut, word, measure }: ComparedRow): boolean {
  return standsOut && (word === "slower" || (word === "more" && WORSE_IF_MORE.includes(measure)));
}

/** `unclear`: too few samples in every row. */
export function outcomeOf({ rows }: Pick<Comparison, "rows">): "worse" | "not worse" | "unclear" {
  if (rows.some(isWorse)) return "worse";
  return rows.every(({ word }) => word === "too few") ? "unclear" : "not worse";
}

const PERCENTILES = ["p50", "p90", "p95", "p99", "p999"];
const RATES = ["errors.rate", "unknown.rate", "degraded.rate", "cold.rate"];
const STARTS = ["all", "cold", "warm"];
const RATE_SAMPLES_MIN = 30;

/**
 * Compares the loads that both runs have, over the whole run or one phase or fault of both.
 * Throws `input` or `facts` for what is no run, `scenario` for an unknown window.
 */
export async function compareRuns(
  dirs: readonly [string, string],
  phase: string | null,
): Promise<Comparison> {
  const [a, b] = [await openSide(dirs[0], phase), await openSide(dirs[1], phase)];
  const rng = seededRng(a.tables.plan.seed, "compare");
  const open: OpenRow[] = [];
  for (const { name } of a.tables.plan.loads) {
    if (!b.tables.plan.loads.some((load) => load.name === name)) continue;
    for (const start of STARTS) {
      const asked = start === "all" ? name : `${name}.${start}`;
      open.push(...rowsOf(a, b, { load: name, start }, asked, rng));
    }
  }
  const tested = open.filter(({ p }) => p !== null);
  const stands = holm(tested.map(({ p }) => p!));
  const rows = open.map((one) => {
    const place = tested.indexOf(one);
    return { ...one.row, standsOut: place >= 0 && stands[place]! };
  });
  return { a: a.tables.plan, b: b.tables.plan, window: phase, rows, doubts: doubtsOf(a, b, rows) };
}

interface Side {
  readonly facts: Facts;
  readonly tables: Tables;
  readonly window: Window | null;
}

async function openSide(dir: string, phase: string | null): Promise<Side> {
  const facts = await readFacts(dir);
  const tables = await readTables(facts, false);
  const story = storyOf(facts.plan, facts.events);
  const waves = coldWavesOf(tables, story);
  const windows = windowsOf(facts.plan, story.faults, story.observedEndUs, waves);
  const ref = phase === null ? null : ({ kind: "during", name: phase } as const);
  const operand = { ...parseCriterion("p50 <= 1s").operand, window: ref };
  return { facts, tables, window: windowOf(windows, operand) };
}

interface OpenRow {
  readonly row: Omit<ComparedRow, "standsOut">;
  /** Two-sided; null = not tested. */
  readonly p: number | null;
}

/** Empty starts (no cold one in either run, nothing joined) give no rows. */
function rowsOf(
  a: Side,
  b: Side,
  labels: { readonly load: string; readonly start: string },
  asked: string,
  rng: Rng,
): OpenRow[] {
  const times = [a, b].map((side) => gather(side, asked, "p50"));
  const rows: OpenRow[] = [];
  if (times.some(({ n }) => n > 0)) {
    const spread = spreadOf(times[0]!, times[1]!, PERCENTILES.map(quantileOf), rng.fork(asked));
    for (const [i, measure] of PERCENTILES.entries())
      rows.push(rowOf({ ...labels, measure, unit: "us" }, times, spread[i]!));
  }
  if (labels.start !== "all") return rows;
  for (const measure of RATES) {
    const shares = [a, b].map((side) => gather(side, asked, measure));
    // Nothing on either side, or nothing joined: a row of zeros tells nobody anything.
    if (shares.every(({ values }) => !values.some((value) => value > 0))) continue;
    const [spread] = spreadOf(shares[0]!, shares[1]!, [null], rng.fork(`${asked}/${measure}`));
    rows.push(rowOf({ ...labels, measure, unit: "ratio" }, shares, spread!));
  }
  return rows;
}

function gather({ tables, window }: Side, asked: string, measure: string): Seconds {
  const { operand } = parseCriterion(`${asked}.${measure} <= ${measure[0] === "p" ? "1s" : "1%"}`);
  const samples = new Samples(window, () => false, { values: false, blocked: true });
  feed(tables, measure, selectionOf(tables.plan, operand), samples);
  return secondsOf(samples.blocked!);
}

type Labels = Pick<ComparedRow, "load" | "start" | "measure" | "unit">;

function rowOf(
  labels: Labels,
  sides: readonly Seconds[],
  spread: ReturnType<typeof spreadOf>[number],
): OpenRow {
  const [a, b] = [sides[0]!, sides[1]!];
  const q = quantileOf(labels.measure);
  const fewest = q === null ? RATE_SAMPLES_MIN : samplesForBound(q);
  const few = [a, b].some(({ n, filled }) => n < fewest || filled < SECONDS_MIN);
  const common = { ...labels, a: spread.a, b: spread.b, nA: a.n, nB: b.n };
  if (few) return { row: { ...common, ratio: null, difference: null, word: "too few" }, p: null };
  const { ratio, difference } = spread;
  const [less, greater] = labels.unit === "us" ? LATENCY_WORDS : RATE_WORDS;
  const { low, high } = difference;
  const word = high < 0 ? less : low > 0 ? greater : "no clear difference";
  return { row: { ...common, ratio, difference, word }, p: spread.p };
}

const LATENCY_WORDS = ["faster", "slower"] as const;
const RATE_WORDS = ["fewer", "more"] as const;

function doubtsOf(a: Side, b: Side, rows: readonly ComparedRow[]): string[] {
  const [one, two] = [a.tables.plan, b.tables.plan];
  const doubts: string[] = [];
  const differ = (what: string, x: string | null, y: string | null): void => {
    if (x !== y) doubts.push(`${what}: ${x ?? "none"} in A, ${y ?? "none"} in B`);
  };
  differ("different scenarios", one.scenario.blob.slice(0, 7), two.scenario.blob.slice(0, 7));
  differ("different environments", one.scenario.environment, two.scenario.environment);
  differ("different seeds", String(one.seed), String(two.seed));
  differ("different versions of gatecrash", one.version, two.version);
  const rate = (plan: Tables["plan"]): string =>
    plan.loads.map(({ name, planned }) => `${name} ${planned}`).join(", ");
  differ("different arrivals", rate(one), rate(two));
  if (rows.length === 0) doubts.push("no load of A is in B: nothing can be compared");
  return doubts;
}
