// What a run still reads once its load is over: sinks, the platform's lines, a second sender.
import { messageOf } from "../core/error.ts";
import type { PlannedFront } from "../core/front-facts.ts";
import type { Scenario } from "../core/scenario.ts";
import { epochMs, runUs } from "../core/time.ts";
import type { RunSummary } from "../run/run-contract.ts";
import type { BeforeLoad } from "./before-load.ts";
import { cleanUp } from "./clean-up.ts";
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
  readonly under: BeforeLoad;
  readonly fronts: readonly PlannedFront[];
}

export async function lookAfter(
  session: Session,
  system: System,
  { scenario, sinks, summary, close, under, fronts }: Loaded,
): Promise<void> {
  const { dir, clock, progress } = session;
  const budget = budgetOf(session, scenario);
  try {
    const { signal } = budget;
    await under.compare();
    const settled = await sinks.settle(dir, signal);
    const seen = { fronts, smoked: under.smoked };
    await observe(session, system, { scenario, summary, signal, ...seen });
    const say = (text: string): void => progress.step(text);
    const ports = { clock, signal, progress: say, secretsIn: close };
    await crossCheck({ dir, scenario, summary, ...ports });
    await cleanUp(session, system, { scenario, settled, signal });
  } finally {
    budget.end();
  }
}

interface Budget {
  /** Aborts with the run's own, or when `budget:` is used up: all that it ends is waiting. */
  readonly signal: AbortSignal;
  end(): void;
}

function budgetOf({ clock, context }: Session, { budgetUs }: Scenario): Budget {
  if (budgetUs === null) return { signal: context.signal, end: () => {} };
  const over = new AbortController();
  const done = new AbortController();
  const warning = "warning: `budget:` is used up: what has not come by now stays unknown\n";
  clock.sleepUntil(runUs(budgetUs), done.signal).then(
    () => {
      context.err(warning);
      over.abort(new Error("`budget:` is used up"));
    },
    () => {}, // everything was read in time
  );
  const signal = AbortSignal.any([context.signal, over.signal]);
  return { signal, end: () => done.abort() };
}

/** Lines that cannot be read do not undo the run: what they would have told stays unknown. */
async function observe(
  session: Session,
  system: System,
  {
    summary,
    ...input
  }: Pick<Loaded, "scenario" | "summary" | "fronts"> &
    Pick<BeforeLoad, "smoked"> & { readonly signal: AbortSignal },
): Promise<void> {
  const { dir, clock, context, progress, hide } = session;
  const span = { fromMs: summary.epochMs, toMs: epochMs(clock.wallMs() + 1_000) };
  const write = (text: string): void => progress.step(text);
  try {
    await observeRun({ ...input, dir, system, clock, ...span, progress: write });
  } catch (error) {
    context.err(hide(`warning: the platform's lines could not be read: ${messageOf(error)}\n`));
  }
}
