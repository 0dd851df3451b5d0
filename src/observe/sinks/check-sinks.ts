// Before anything is sent: may each sink be read, and does it hold none of the run's events yet?
import type { Driver } from "../../core/arrival.ts";
import { GatecrashError } from "../../core/error.ts";
import { requestKey } from "../../core/ids.ts";
import { KeyTable } from "../../core/key-table.ts";
import type { SinkSpec } from "../../core/scenario.ts";
import { assertMayRun } from "./command-sink.ts";
import { readSink } from "./read-sink.ts";
import type { SinkPorts } from "./sink-row.ts";

const CHECK_MS = 60_000;

/** Commands without --allow-exec are refused before a system is even started. */
export function refuseCommands(
  sinks: readonly SinkSpec[],
  ports: Pick<SinkPorts, "allowExec">,
): void {
  for (const sink of sinks) assertMayRun(sink, ports);
}

/**
 * Looks into every sink once. A sink that holds ids of this run already (the same seed or capture
 * was sent to it before) would hide losses: refused. A named file may still be missing.
 * Throws GatecrashError: `refused`, or `input` when a sink cannot be read.
 */
export async function checkSinks(
  sinks: readonly SinkSpec[],
  drivers: ReadonlyMap<string, Pick<Driver, "arrivals">>,
  ports: SinkPorts,
): Promise<void> {
  refuseCommands(sinks, ports);
  for (const sink of sinks) {
    const ids = new KeyTable();
    for (const load of sink.of)
      for (const { ledger, events = [ledger] } of arrivalsOf(drivers, load))
        for (const event of events)
          if (event !== undefined)
            ids.set(requestKey(sink.id === null ? event.cell : event.id), 0, 1);
    const { count, example } = await alreadyThere(sink, ids, ports);
    if (count === 0) continue;
    const things = sink.id === null ? "cells" : "events";
    const what = `sink ${sink.name} holds ${count} of this run's ${things} already, as ${example}`;
    const hint =
      sink.id === null
        ? "empty it, or wait until its cells are others: what is counted now could not be told"
        : "empty it, or run with another --seed: what is lost now could not be told";
    throw new GatecrashError("refused", what, { hint });
  }
}

function arrivalsOf(drivers: ReadonlyMap<string, Pick<Driver, "arrivals">>, load: string) {
  const driver = drivers.get(load);
  if (driver === undefined) throw new Error(`no driver of load ${load}`);
  return driver.arrivals();
}

async function alreadyThere(sink: SinkSpec, ids: KeyTable, ports: SinkPorts) {
  let count = 0;
  let example = "";
  const shard = sink.input.shard !== undefined;
  try {
    for await (const rows of readSink(sink, ports, AbortSignal.timeout(CHECK_MS)))
      for (const { id, count: counted } of rows) {
        const known = shard ? id.slice(id.indexOf("/") + 1) : id;
        if (ids.get(requestKey(known), 0) < 0 || counted === 0) continue;
        if (count++ === 0) example = id;
      }
  } catch (error) {
    if (!(sink.kind === "file" && isAbsent(error))) throw error;
  }
  return { count, example };
}

const isAbsent = (error: unknown): boolean =>
  error instanceof GatecrashError && error.message.includes("ENOENT");
