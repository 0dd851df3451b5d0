// The one reader of a run directory; everything else in report/ is a function of what it returns.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { GatecrashError, messageOf } from "../core/error.ts";
import { type MetricPoint, type PlanFile, RECORDED_COLUMNS, type RunEvent } from "../core/facts.ts";
import type { ItemInt } from "../core/item-facts.ts";
import { EFFECT_COLUMNS, LEDGER_COLUMNS, type SinkFile } from "../core/ledger-facts.ts";
import type { ParquetColumns } from "./parquet-columns.ts";
import { filesOf, segments } from "./run-files.ts";

/** A run directory: the small files whole, the large ones file by file. */
export interface Facts {
  readonly dir: string;
  readonly plan: PlanFile;
  /** All slices together, by time; the order of files never matters. */
  readonly events: readonly RunEvent[];
  readonly metrics: readonly MetricPoint[];
  /** Segments of attempts, in an order that means nothing. */
  attempts(columns: readonly string[]): AsyncIterable<ParquetColumns>;
  platform(columns: readonly string[]): AsyncIterable<ParquetColumns>;
  readonly hasPlatform: boolean;
  /** Items of batch targets. */
  items(columns: readonly ItemInt[]): AsyncIterable<ParquetColumns>;
  /** What the plan would send of a load, in order of index; none without a ledger. */
  ledger(load: string): AsyncIterable<ParquetColumns>;
  /** What the recorded system answered to a load's arrivals; none without a replay. */
  recorded(load: string): AsyncIterable<ParquetColumns>;
  /** Sinks that were looked at, and the rows of the last whole look. */
  readonly sinks: readonly SinkFile[];
  effects(sink: SinkFile): AsyncIterable<ParquetColumns>;
}

/** Opens a run directory. Throws `input` when there is none, `facts` when it contradicts itself. */
export async function readFacts(dir: string): Promise<Facts> {
  const plan = await readPlan(dir);
  const events: RunEvent[] = [];
  for (const file of await filesOf(join(dir, "events"), ".jsonl"))
    events.push(...((await jsonLines(file)) as RunEvent[]));
  const platform = await filesOf(join(dir, "platform"), ".parquet");
  return {
    dir,
    plan,
    events: inOrder(events),
    metrics: inOrderOfText((await jsonLines(join(dir, "metrics.jsonl"))) as MetricPoint[]),
    attempts: (columns) => segments(join(dir, "attempts"), columns),
    platform: (columns) => segments(join(dir, "platform"), columns),
    hasPlatform: platform.length > 0,
    items: (columns) => segments(join(dir, "items"), columns),
    ledger: (load) => segments(join(dir, "ledger"), LEDGER_COLUMNS, load),
    recorded: (load) => segments(join(dir, "recorded"), RECORDED_COLUMNS, load),
    sinks: await readSinks(dir),
    effects: ({ name, look }) => segments(join(dir, "effects", name), EFFECT_COLUMNS, String(look)),
  };
}

async function readPlan(dir: string): Promise<PlanFile> {
  const file = join(dir, "plan.json");
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    throw new GatecrashError("input", `${dir} is not a run directory: plan.json cannot be read`, {
      hint: "give the directory that `gatecrash run` printed, e.g. runs/2026-11-30T19-02Z-k4",
      cause,
    });
  }
  try {
    const plan = JSON.parse(text) as PlanFile;
    if (plan.gatecrash !== 1) throw new Error("it is not of format 1");
    return plan;
  } catch (cause) {
    throw new GatecrashError("facts", `${file}: ${messageOf(cause)}`, { cause });
  }
}

async function readSinks(dir: string): Promise<SinkFile[]> {
  const sinks: SinkFile[] = [];
  for (const file of await filesOf(join(dir, "effects"), "")) {
    try {
      sinks.push(JSON.parse(await readFile(join(file, "sink.json"), "utf8")) as SinkFile);
    } catch (cause) {
      // Killed before its first look.
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") continue;
      throw new GatecrashError("facts", `${file}/sink.json: ${messageOf(cause)}`, { cause });
    }
  }
  return sinks;
}

/**
 * Lines of JSON; a torn last line (a killed writer) is left out, any other bad line is an error.
 */
async function jsonLines(file: string): Promise<unknown[]> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  const lines = text.split("\n");
  const parsed: unknown[] = [];
  for (const [i, line] of lines.entries()) {
    if (line === "") continue;
    try {
      parsed.push(JSON.parse(line));
    } catch (cause) {
      if (i === lines.length - 1) break;
      const place = { file, line: i + 1 };
      throw new GatecrashError("facts", `not JSON: ${messageOf(cause)}`, { place, cause });
    }
  }
  return parsed;
}

/** By time; at the same microsecond by their own text, so that file names never matter. */
function inOrder(events: RunEvent[]): RunEvent[] {
  const keyed = events.map((event) => ({ event, text: JSON.stringify(event) }));
  keyed.sort((a, b) => a.event.t - b.event.t || (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  return keyed.map(({ event }) => event);
}

function inOrderOfText(points: MetricPoint[]): MetricPoint[] {
  const keyed = points.map((point) => ({ point, text: JSON.stringify(point) }));
  keyed.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  return keyed.map(({ point }) => point);
}
