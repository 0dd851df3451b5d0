// Writes what the plan would send, event by event, before the run: one half of the double entry.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Driver } from "../../core/arrival.ts";
import { GatecrashError } from "../../core/error.ts";
import type { Load } from "../../core/scenario.ts";
import { PartWriter } from "./parts.ts";

/**
 * Writes `ledger/<load>-<seq>.parquet` for every load with a `ledger:`, from the driver that the
 * load uses (`drivers` by name of load); returns the events written, by load.
 * Throws GatecrashError: `scenario` when an arrival has no identity.
 */
export async function writeLedger(
  runDir: string,
  loads: readonly Load[],
  drivers: ReadonlyMap<string, Pick<Driver, "arrivals">>,
): Promise<ReadonlyMap<string, number>> {
  const written = new Map<string, number>();
  for (const load of loads) {
    if (load.ledger === null) continue;
    const driver = drivers.get(load.name);
    if (load.driver.kind === "saturate")
      throw new GatecrashError("scenario", `load ${load.name}: a closed loop has no ledger`, {
        hint: "what it sends depends on the answers; give the load a rate",
      });
    if (driver === undefined) throw new Error(`no driver of load ${load.name}`);
    await mkdir(join(runDir, "ledger"), { recursive: true });
    written.set(load.name, await writeLoad(join(runDir, "ledger", load.name), load, driver));
  }
  return written;
}

async function writeLoad(
  prefix: string,
  load: Load,
  driver: Pick<Driver, "arrivals">,
): Promise<number> {
  const parts = new PartWriter(prefix, [
    { name: "index", type: "INT32" },
    { name: "id", type: "STRING" },
    { name: "cell", type: "STRING" },
  ]);
  for (const { index, ledger, events = [ledger] } of driver.arrivals()) {
    if (ledger === undefined)
      throw new GatecrashError("scenario", `load ${load.name}: arrival ${index} has no identity`, {
        hint: "its requests have no body with the fields that `ledger:` names",
      });
    for (const event of events)
      if (event !== undefined && parts.add(index, event.id, event.cell)) await parts.flush();
  }
  await parts.flush();
  return parts.rows;
}
