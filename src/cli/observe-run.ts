// After the load: reads what the platform says of the run, and writes it beside the attempts.
import type { PlatformRow } from "../core/facts.ts";
import type { Scenario } from "../core/scenario.ts";
import { type Clock, type EpochMs, US_PER_MS } from "../core/time.ts";
import { collectPlatform } from "../observe/collect.ts";
import { collectMetrics } from "../observe/metrics.ts";
import { writeMetrics, writePlatform } from "../observe/write-platform.ts";
import type { System } from "./system.ts";

export interface ObserveInput {
  readonly dir: string;
  readonly scenario: Scenario;
  readonly system: System;
  readonly clock: Clock;
  readonly fromMs: EpochMs;
  readonly toMs: EpochMs;
  readonly progress: (text: string) => void;
}

/** Local AWS publishes at once; AWS's logs and metrics come when they come. */
const QUIET_US = {
  local: { logs: 300 * US_PER_MS, metrics: 300 * US_PER_MS },
  aws: { logs: 30_000 * US_PER_MS, metrics: 90_000 * US_PER_MS },
};

export async function observeRun(input: ObserveInput): Promise<void> {
  const { dir, scenario, system, clock, fromMs, toMs } = input;
  const { observe } = scenario;
  const quiet = system.endpoint === "aws" ? QUIET_US.aws : QUIET_US.local;
  const span = { control: system.control, clock, fromMs, toMs, waitUs: observe.waitUs };
  if (observe.reports.length > 0 || observe.accessLog !== null) {
    input.progress("reading REPORT and access-log lines");
    let files = 0;
    const write = (rows: readonly PlatformRow[]) => writePlatform(dir, rows, `0-${files++}`);
    const { rows } = await collectPlatform({
      ...span,
      functions: observe.reports,
      accessLogGroup: observe.accessLog,
      quietUs: quiet.logs,
      onRows: write,
    });
    await write(rows);
  }
  if (observe.metricFunctions.length > 0 || observe.metricAccount) {
    input.progress("reading metrics");
    const points = await collectMetrics({
      ...span,
      functions: observe.metricFunctions,
      account: observe.metricAccount,
      quietUs: quiet.metrics,
    });
    await writeMetrics(dir, points);
  }
}
