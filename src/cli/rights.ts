// Opens a system only to say which rights a run needs in it; roles of another account may lack yet.
import type { Scenario } from "../core/scenario.ts";
import { resolveScenario } from "../scenario/resolve.ts";
import { type Policies, policiesOf } from "./iam.ts";
import { elsewhereOf, groupsElsewhere } from "./logs-account.ts";
import { readPriors } from "./priors.ts";
import { openSystem } from "./system.ts";
import type { System } from "./system-contract.ts";

/** Nobody has to read logs of another account for it. */
export async function openForRights(
  { account, ...read }: Scenario,
  runId: string,
  endpoint: string | null,
  signal: AbortSignal,
): Promise<System> {
  const asking = account === null ? null : { ...account, logs: null };
  const system = await openSystem({ ...read, account: asking }, runId, endpoint, signal);
  return { ...system, environment: account };
}

/** Reads what faults would find, and where functions log to. */
export async function rightsIn(read: Scenario, system: System): Promise<Policies> {
  const { outputs, environment } = system;
  const scenario = resolveScenario(read, { outputs, env: process.env });
  const elsewhere = elsewhereOf(scenario, environment);
  return policiesOf(scenario, system, {
    priors: await readPriors(scenario, system),
    logGroups: await groupsElsewhere(scenario, system, elsewhere),
  });
}
