// The sinks of a run: refused or checked before the first byte, settled after the last answer.
import type { Driver } from "../core/arrival.ts";
import type { Hide } from "../core/hiding.ts";
import type { Scenario } from "../core/scenario.ts";
import type { Clock } from "../core/time.ts";
import { checkSinks, refuseCommands } from "../observe/sinks/check-sinks.ts";
import { type Settled, settleSinks } from "../observe/sinks/settle.ts";
import type { SinkPorts } from "../observe/sinks/sink-row.ts";
import { writeLedger } from "../observe/sinks/write-ledger.ts";
import type { System } from "./system-contract.ts";

/** Call before a system is started. Throws GatecrashError `refused`. */
export function refuseSinks(scenario: Scenario, allowExec: boolean): void {
  refuseCommands(scenario.sinks, { allowExec });
}

export interface RunSinks {
  /** Before anything is sent. Throws GatecrashError `refused` or `input`. */
  check(): Promise<void>;
  /** Once the run directory is there, before the first byte. */
  writeLedger(runDir: string): Promise<void>;
  /** When the load is over and undone. Rejects only when facts cannot be written. */
  settle(runDir: string, signal: AbortSignal): Promise<readonly Settled[]>;
}

export interface SinksInput {
  /** Resolved. */
  readonly scenario: Scenario;
  /** By name of load: the drivers that the run itself uses. */
  readonly drivers: ReadonlyMap<string, Pick<Driver, "arrivals">>;
  readonly system: Pick<System, "control">;
  readonly clock: Clock;
  readonly allowExec: boolean;
  readonly secretsIn: (text: string) => string;
  readonly hide: Hide;
  readonly progress: (text: string) => void;
}

export function runSinks(input: SinksInput): RunSinks {
  const { scenario, drivers, system, clock, allowExec, hide, progress } = input;
  const { sinks, loads, dir } = scenario;
  const ports: SinkPorts = {
    ...{ clock, dir, control: system.control, allowExec, secretsIn: input.secretsIn },
    env: process.env,
    fetch: globalThis.fetch,
  };
  return {
    async check() {
      if (sinks.length > 0) progress("looking into the sinks");
      await checkSinks(sinks, drivers, ports);
    },
    async writeLedger(runDir) {
      await writeLedger(runDir, loads, drivers);
    },
    async settle(runDir, signal) {
      const onEvent = (event: { sink: string; rows: number }): void =>
        progress(`waiting until ${event.sink} is quiet: ${event.rows} rows`);
      return settleSinks({ ...ports, hide, runDir, sinks, signal, onEvent });
    },
  };
}
