// Writes what the recorded system had answered, arrival by arrival, before the run: the old side.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Driver } from "../core/arrival.ts";
import { RECORDED_COLUMNS } from "../core/facts.ts";
import { PartWriter } from "./sinks/parts.ts";

const UNKNOWN = -1;
const LATENCY_MAX_US = 2 ** 31 - 1;

/**
 * Writes `recorded/<load>-<seq>.parquet` for every driver (of a replay) whose arrivals have a
 * recorded answer; −1 where the capture does not say. Returns the rows written, by load.
 */
export async function writeRecorded(
  runDir: string,
  drivers: ReadonlyMap<string, Pick<Driver, "arrivals">>,
): Promise<ReadonlyMap<string, number>> {
  const written = new Map<string, number>();
  const folder = join(runDir, "recorded");
  for (const [load, driver] of drivers) {
    const columns = RECORDED_COLUMNS.map((name) => ({ name, type: "INT32" as const }));
    const parts = new PartWriter(join(folder, load), columns);
    for (const { index, recorded } of driver.arrivals()) {
      if (recorded === undefined) continue;
      const { status, latencyUs } = recorded;
      const us = latencyUs === null ? UNKNOWN : Math.min(LATENCY_MAX_US, Math.round(latencyUs));
      if (parts.rows === 0) await mkdir(folder, { recursive: true });
      if (parts.add(index, status ?? UNKNOWN, us)) await parts.flush();
    }
    await parts.flush();
    if (parts.rows > 0) written.set(load, parts.rows);
  }
  return written;
}
