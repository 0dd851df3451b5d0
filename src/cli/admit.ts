// What holds before a run is planned: hosts are its own, it is meant, its secrets are there.
import type { Scenario } from "../core/scenario.ts";
import { resolveScenario } from "../scenario/resolve.ts";
import { type CheckedAccount, checkAccount } from "./check-account.ts";
import { checkCleanUps } from "./clean-up.ts";
import { checkLogs } from "./logs-account.ts";
import { refuseProduction } from "./production.ts";
import type { Session } from "./run-session.ts";
import { readSecrets } from "./secret-store.ts";
import { checkSecrets, secretsIn, secretTexts } from "./secrets.ts";
import { checkHosts } from "./system.ts";
import type { System } from "./system-contract.ts";

export interface Admitted extends Pick<CheckedAccount, "proven"> {
  /** Outputs are closed; secrets never are. */
  readonly scenario: Scenario;
  /** Fills secrets in, in memory. */
  readonly secretsIn: (text: string) => string;
}

/** Rejects with GatecrashErrors: nothing was sent, nothing was changed. */
export async function admit(session: Session, system: System): Promise<Admitted> {
  const { request, clock, context } = session;
  const { outputs } = system;
  const resolved = resolveScenario(request.scenario, { outputs, env: process.env });
  if (request.yaml === undefined) checkHosts(resolved);
  const { scenario, signs, proven } = await checkAccount(resolved, system, clock);
  refuseProduction(signs, system.account, request.yesProduction ?? null);
  const store = await readSecrets(secretTexts(scenario), system.load);
  session.keepSecret([...store.values()]);
  checkSecrets(scenario, store);
  await checkCleanUps(scenario, system);
  for (const text of await checkLogs(scenario, system, clock.wallMs()))
    context.err(`warning: ${text}\n`);
  return { scenario, proven, secretsIn: (text) => secretsIn(text, store) };
}
