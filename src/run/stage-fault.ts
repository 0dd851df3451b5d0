// Before a fault can be: looks whether it may, and makes what it needs out of a moment's change.
import { AwsFailure, type Call, type Fault } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import { US_PER_S } from "../core/time.ts";
import type { FaultDeps, UndoableFault } from "./fault-runner.ts";
import { tried } from "./lease-calls.ts";
import { paceOf } from "./pace.ts";
import { createFaultRunner } from "./undo.ts";

type Answer = { readonly [key: string]: unknown };

/** Longest time for one call, tries included. */
const CALL_US = 20 * US_PER_S;

/**
 * The fault as it can be injected. What is changed for it meanwhile is under the same contract as
 * any fault, and is back when this settles. Rejects with GatecrashError("refused") or ("aws").
 */
export async function stageFault(
  fault: Fault,
  deps: FaultDeps,
  signal: AbortSignal,
  /** Told of what is changed meanwhile, before it is. */
  begun: (runner: UndoableFault) => void = () => {},
): Promise<Fault> {
  const { looks, stage } = fault;
  const call = (of: Call): Promise<Answer> => asked(fault, of, deps);
  if (looks !== undefined) {
    const answers: Answer[] = [];
    for (const each of looks.calls) answers.push(await call(each));
    looks.check(answers);
  }
  if (stage === undefined) return fault;
  const runner = createFaultRunner(stage.base, deps);
  begun(runner);
  let made: Answer;
  try {
    await runner.inject(signal);
    made = await call(stage.make);
  } finally {
    await runner.restore();
  }
  return stage.into(made);
}

async function asked(
  fault: Fault,
  { service, action, input }: Call,
  { control, clock, pace, place }: FaultDeps,
): Promise<Answer> {
  const ports = { control, clock, pace: pace ?? paceOf(place.endpoint) };
  try {
    const call = (): Promise<Answer> => control.call(service, action, input);
    return await tried(call, ports, clock.nowUs() + CALL_US);
  } catch (error) {
    if (!(error instanceof AwsFailure)) throw error;
    const text = `fault ${fault.name}: ${action}: ${error.name}: ${error.message}`;
    throw new GatecrashError("aws", text, { cause: error });
  }
}
