// What a run still reads once its load is over: sinks, the platform's lines, a second sender.
import { isOfTheMachine, messageOf } from "../core/error.ts";
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

/**
 * One thing that cannot be kept or read does not cost the others: what this machine refuses is
 * told, anything else is thrown once all has been tried.
 */
export async function lookAfter(
  session: Session,
  system: System,
  { scenario, sinks, summary, close, under, fronts }: Loaded,
): Promise<void> {
  const { dir, clock, progress } = session;
  const budget = budgetOf(session, scenario);
  const troubles = new Set<unknown>();
  const tried = <T>(step: Promise<T>): Promise<T | null> =>
    step.catch((error: unknown) => {
      troubles.add(error);
      return null;
    });
  const { signal } = budget;
  await tried(under.compare());
  const settled = (await tried(sinks.settle(dir, signal))) ?? [];
  const seen = { fronts, smoked: under.smoked };
  await observe(session, system, { scenario, summary, signal, ...seen });
  const say = (text: string): void => progress.step(text);
  const ports = { clock, signal, progress: say, secretsIn: close };
  await tried(crossCheck({ dir, scenario, summary, ...ports }));
  await tried(cleanUp(session, system, { scenario, settled, signal }));
  budget.end();
  tellOrThrow([...troubles], session);
}

function tellOrThrow(troubles: readonly unknown[], { context, hide }: Session): void {
  const told = troubles.filter(isOfTheMachine).map(messageOf);
  for (const text of new Set(told))
    context.err(hide(`error: the run's last facts could not be kept: ${text}\n`));
  const others = troubles.filter((error) => !isOfTheMachine(error));
  if (others.length > 1) throw new AggregateError(others);
  if (others.length === 1) throw others[0];
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
