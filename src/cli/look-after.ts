// What a run still reads once its load is over: sinks, the platform's lines, a second sender.
import { messageOf } from "../core/error.ts";
import type { Scenario } from "../core/scenario.ts";
import { epochMs } from "../core/time.ts";
import type { RunSummary } from "../run/run-contract.ts";
import { crossCheck } from "./cross-check.ts";
import { observeRun } from "./observe-run.ts";
import type { Session } from "./run-session.ts";
import type { RunSinks } from "./sinks.ts";
import type { System } from "./system-contract.ts";

export interface Loaded {
  readonly scenario: Scenario;
  readonly sinks: RunSinks;
  readonly summary: RunSummary;
  readonly close: (text: string) => string;
}

export async function lookAfter(
  session: Session,
  system: System,
  { scenario, sinks, summary, close }: Loaded,
): Promise<void> {
  const { dir, clock, context, progress } = session;
  const { signal } = context;
  await sinks.settle(dir, signal);
  await observe(session, system, scenario, summary);
  const say = (text: string): void => progress.step(text);
  const ports = { clock, signal, progress: say, secretsIn: close };
  await crossCheck({ dir, scenario, summary, ...ports });
}

/** Lines that cannot be read do not undo the run: what they would have told stays unknown. */
async function observe(
  session: Session,
  system: System,
  scenario: Scenario,
  summary: RunSummary,
): Promise<void> {
  const { dir, clock, context, progress, hide } = session;
  const span = { fromMs: summary.epochMs, toMs: epochMs(clock.wallMs() + 1_000) };
  const write = (text: string): void => progress.step(text);
  try {
    const { signal } = context;
    await observeRun({ dir, scenario, system, clock, ...span, signal, progress: write });
  } catch (error) {
    context.err(hide(`warning: the platform's lines could not be read: ${messageOf(error)}\n`));
  }
}
