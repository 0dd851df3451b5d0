// A run with a ledger and a sink: what was sent, how it ended, and what the sink file holds.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Arrival, Driver } from "../../src/core/arrival.ts";
import type { PlanFile, RunEvent } from "../../src/core/facts.ts";
import { runUs } from "../../src/core/time.ts";
import { plannedSink } from "../../src/observe/sinks/effects.ts";
import { settleSinks } from "../../src/observe/sinks/settle.ts";
import { writeLedger } from "../../src/observe/sinks/write-ledger.ts";
import { testLoad } from "../drivers/load.ts";
import { type AttemptSpec, planFor, plannedLoad, quietEvents, writeRun } from "./run-directory.ts";
import { sinkPorts, sinkSpec } from "./sinks.ts";

export interface Sent {
  readonly id: string;
  readonly cell: string;
  /** Attempts in their order; empty = dropped. */
  readonly attempts: readonly Partial<AttemptSpec>[];
  readonly dueUs?: number;
}

export interface Held {
  readonly id: string;
  readonly cell?: string;
  readonly count?: number;
}

export interface LedgerRun {
  readonly sent: readonly Sent[];
  readonly held: readonly Held[];
  readonly plan?: Partial<PlanFile>;
  readonly events?: readonly RunEvent[];
  /** The sink file holds sums of cells: no row is an event. */
  readonly sums?: boolean;
  readonly settle?: "quiet" | "stopped" | "never" | "unread";
}

const dueOf = ({ dueUs }: Sent, index: number): number => dueUs ?? index * 100;

/** Writes `<dir>/run` as a run would, through the writers that a run uses; returns its path. */
export async function writeLedgerRun(dir: string, run: LedgerRun): Promise<string> {
  const runDir = join(dir, "run");
  const attempts = run.sent.flatMap((sent, index): AttemptSpec[] => {
    const common = { index, dueUs: dueOf(sent, index) };
    if (sent.attempts.length === 0) return [{ ...common, outcome: "dropped", reason: "in-flight" }];
    return sent.attempts.map((one, i) => ({ ...common, attempt: i + 1, ...one }));
  });
  const byCell = run.sums === true ? { id: null } : {};
  const sinks = [sinkSpec("file", { path: "sink.ndjson", count: "times" }, byCell)];
  const loads = [plannedLoad({ name: "carrier", resend_attempts: 5 })];
  const generator = { lag_p99_us: 20_000, dropped: 1e9, cpu: 0.9 };
  const more = { loads, generator, sinks: sinks.map(plannedSink), ...run.plan };
  const events = [...quietEvents(10, attempts.length), ...(run.events ?? [])];
  writeRun(runDir, { plan: planFor(more, attempts), events, attempts });
  const load = testLoad({ name: "carrier", ledger: { id: "eventId", cell: ["depot"] } });
  await writeLedger(runDir, [load], new Map([["carrier", driverOf(run.sent)]]));
  const line = ({ id, cell, count }: Held) =>
    `${JSON.stringify({ eventId: id, depot: cell, times: count ?? 1 })}\n`;
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "sink.ndjson"), run.held.map(line).join(""));
  if (run.settle === "never") return runDir;
  const stop = new AbortController();
  if (run.settle === "stopped") stop.abort();
  const ports = sinkPorts(run.settle === "unread" ? join(dir, "elsewhere") : dir);
  await settleSinks({ ...ports, runDir, sinks, signal: stop.signal });
  return runDir;
}

function driverOf(sent: readonly Sent[]): Driver {
  const call = { kind: "item", key: "", data: new Uint8Array() } as const;
  return {
    name: "fixed",
    *arrivals(): Iterable<Arrival> {
      for (const [index, one] of sent.entries()) {
        const { id, cell } = one;
        const dueUs = runUs(dueOf(one, index));
        yield { index, dueUs, route: 0, call, ledger: { id, cell } };
      }
    },
  };
}
