// What a plan would change: each fault's prior, and the calls that inject and undo it.
import type { Call, Change, ControlPlane, Fault, Fields } from "../core/change.ts";
import { commandsOf } from "../core/command.ts";
import { GatecrashError } from "../core/error.ts";
import { showField } from "../core/fields.ts";
import type { Scenario } from "../core/scenario.ts";
import { systemClock } from "../run/clock.ts";
import { awaitFree } from "../run/free-leases.ts";
import { paceOf } from "../run/pace.ts";
import { readFields } from "../run/read-fields.ts";
import { makeFault } from "./compose.ts";
import type { System } from "./system-contract.ts";

export interface PlannedChange {
  readonly fault: string;
  readonly kind: string;
  readonly startUs: number;
  readonly endUs: number;
  /** Captured fields as they are now: `ReservedConcurrentExecutions unset`. */
  readonly prior: string;
  readonly inject: string;
  readonly undo: string;
  /** What undo cannot put back; null = nothing is known of. */
  readonly residue: string | null;
  /** Whoever changes it now: then `prior` may be that run's; null = nobody is known to. */
  readonly held: string | null;
}

/** Reads the priors; changes nothing. */
export async function plannedChanges(scenario: Scenario, system: System): Promise<PlannedChange[]> {
  const changes: PlannedChange[] = [];
  for (const spec of scenario.faults) {
    const fault = makeFault(spec, scenario.seed);
    changes.push({ ...(await changeOf(spec, fault, system)), held: await holderOf(fault, system) });
  }
  return changes;
}

/** A plan needs no right to look at schedules: a run does, and says so. */
async function holderOf(fault: Fault, { control, endpoint }: System): Promise<string | null> {
  const ports = { control, clock: systemClock(), pace: paceOf(endpoint) };
  const quick = { us: 0, say: () => {}, signal: new AbortController().signal, heal: NOBODY };
  try {
    await awaitFree([fault], ports, quick);
    return null;
  } catch (error) {
    return error instanceof GatecrashError ? error.message : null;
  }
}

const NOBODY = async (): Promise<void> => {};

/** What may be secret is not shown: neither as it is, nor in the calls. */
export async function changeOf(
  { name, kind, startUs, endUs }: Scenario["faults"][number],
  fault: Fault,
  { control, region, endpoint, local }: Pick<System, "control" | "region" | "endpoint" | "local">,
): Promise<Omit<PlannedChange, "held">> {
  const { fields } = fault.read;
  await look(fault, control);
  const prior = await fieldsNow(fault, control);
  // The address of a local AWS that ends with this command helps nobody.
  const address = local === null ? endpoint : "aws";
  const show = (calls: readonly Call[]): string => commandsOf(calls, { region, endpoint: address });
  const inject = [...(await staging(fault, control)), ...fault.inject(prior)];
  const undo = fault.undo(prior);
  const isSecret = [...inject, ...undo].some((call: Call & Partial<Change>) => call.secret);
  const shown = (field: string): string => (isSecret ? "…" : showField(prior, field));
  return {
    ...{ fault: name, kind, startUs, endUs },
    prior: fields.map((field) => `${field} ${shown(field)}`).join(", "),
    inject: show(inject),
    undo: show(undo),
    residue: fault.residue ?? null,
  };
}

async function fieldsNow({ read }: Fault, control: ControlPlane): Promise<Fields> {
  return (await readFields(control, read)).fields;
}

/** What a run would be refused for is said now. */
async function look({ looks }: Fault, control: ControlPlane): Promise<void> {
  const answers: Awaited<ReturnType<ControlPlane["call"]>>[] = [];
  for (const { service, action, input } of looks?.calls ?? [])
    answers.push(await control.call(service, action, input));
  looks?.check(answers);
}

/** What is made first, out of a change of its own that is put back at once. */
async function staging({ stage }: Fault, control: ControlPlane): Promise<readonly Call[]> {
  if (stage === undefined) return [];
  const { base, make } = stage;
  const prior = await fieldsNow(base, control);
  return [...base.inject(prior), make, ...base.undo(prior)];
}
