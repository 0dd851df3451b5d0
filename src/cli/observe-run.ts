// After the load: reads what the platform says of the run, and writes it beside the attempts.
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import type { PlatformRow, RunEvent } from "../core/facts.ts";
import { formatNumber, formatPercent } from "../core/format.ts";
import type { PlannedFront } from "../core/front-facts.ts";
import type { Scenario } from "../core/scenario.ts";
import { type Clock, type EpochMs, US_PER_MS } from "../core/time.ts";
import { type CollectInput, collectPlatform } from "../observe/collect.ts";
import { collectMetrics } from "../observe/metrics.ts";
import { queueName } from "../observe/resource-names.ts";
import { writeMetrics, writePlatform } from "../observe/write-platform.ts";
import { answeredKeys } from "../report/answered-keys.ts";
import { readsLogs } from "./logs-account.ts";
import type { System } from "./system-contract.ts";

export interface ObserveInput {
  readonly dir: string;
  readonly scenario: Scenario;
  readonly system: System;
  readonly clock: Clock;
  readonly fromMs: EpochMs;
  readonly toMs: EpochMs;
  /** Ends the waiting: what has not been published yet stays unknown. */
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
  /** APIs that the loads went through, and each load's own requests of before it. */
  readonly fronts: readonly PlannedFront[];
  readonly smoked: { readonly [load: string]: number };
}

/** Targets whose answers say which invocation made them. */
const INVOKES = ["http", "lambda"];

/** Local AWS publishes at once; AWS's logs and metrics come when they come. */
const QUIET_US = {
  local: { logs: 300 * US_PER_MS, metrics: 300 * US_PER_MS },
  aws: { logs: 30_000 * US_PER_MS, metrics: 90_000 * US_PER_MS },
  /** Lines of another account come when they are copied, in lots. */
  copies: 120_000 * US_PER_MS,
};

export async function observeRun(input: ObserveInput): Promise<void> {
  const { dir, scenario, system, clock, fromMs, toMs, signal } = input;
  const { observe } = scenario;
  const quiet = system.endpoint === "aws" ? QUIET_US.aws : QUIET_US.local;
  const { control, logs } = system;
  const span = { control, clock, fromMs, toMs, signal };
  const deadlineUs = clock.nowUs() + observe.waitUs;
  const waitUs = (): number => Math.max(0, deadlineUs - clock.nowUs());
  if (readsLogs(scenario)) {
    const { groups = "linked" } = logs.elsewhere ?? {};
    const isCopied = system.endpoint === "aws" && groups !== "linked";
    const quietUs = isCopied ? QUIET_US.copies : quiet.logs;
    await readLines(input, { ...span, logs, waitUs: waitUs(), quietUs });
  }
  const queues = Object.values(observe.queues ?? {}).map(queueName);
  const fronts = input.fronts.map(({ dimensions }) => dimensions);
  const listed = observe.metricFunctions.length + queues.length + fronts.length;
  if (listed > 0 || observe.metricAccount) {
    input.progress("reading metrics");
    const { points, end } = await collectMetrics({
      ...span,
      waitUs: waitUs(),
      functions: observe.metricFunctions,
      account: observe.metricAccount,
      queues,
      fronts,
      quietUs: quiet.metrics,
    });
    await writeMetrics(dir, points);
    const line: RunEvent = { t: clock.nowUs(), kind: "metered", end, smoked: input.smoked };
    await appendFile(join(dir, "events", "metered.jsonl"), `${JSON.stringify(line)}\n`);
  }
}

/** Until every answer has met its line, nothing new comes, or the wait is over. */
async function readLines(
  { dir, scenario, clock, fromMs, progress }: ObserveInput,
  span: Pick<CollectInput, "control" | "logs" | "clock" | "fromMs" | "toMs" | "waitUs" | "quietUs">,
): Promise<void> {
  const { observe, loads } = scenario;
  progress("reading REPORT and access-log lines");
  let files = 0;
  const write = (rows: readonly PlatformRow[]) => writePlatform(dir, rows, `0-${files++}`);
  const keys = await answeredKeys(dir, (load, outcome) => {
    // Without access log nothing tells which of the front's errors ever reached the function.
    const isLogged = outcome === "ok" || (outcome === "errored" && observe.accessLog !== null);
    return isLogged && INVOKES.includes(loads[load]?.target.kind ?? "");
  });
  let said = "";
  const { rows, expected, joined, end, malformed } = await collectPlatform({
    ...span,
    functions: observe.reports,
    accessLogGroup: observe.accessLog,
    // The span begins with the run's own clock.
    answers: { until: (wallMs) => keys.until((wallMs - fromMs) * US_PER_MS) },
    onRows: write,
    onProgress: (seen) => {
      const text = shareText(seen.joined ?? 0, seen.expected ?? 0);
      if (text !== said) progress(text);
      said = text;
    },
  });
  await write(rows);
  const line: RunEvent = {
    t: clock.nowUs(),
    kind: "collected",
    expected: expected ?? 0,
    joined: joined ?? 0,
    end,
    malformed,
  };
  await appendFile(join(dir, "events", "collected.jsonl"), `${JSON.stringify(line)}\n`);
}

function shareText(joined: number, expected: number): string {
  if (expected === 0) return "no answer that could have a REPORT line";
  const share = formatPercent(joined / expected);
  return `${share} of ${formatNumber(expected)} answers found among the platform's lines`;
}
