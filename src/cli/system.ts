// The system under test: a local AWS of the run's own, one that runs already, or a declared
// account.
import { createControlPlane } from "../aws/control-plane.ts";
import { GatecrashError } from "../core/error.ts";
import { isLoopback } from "../core/loopback.ts";
import type { Scenario } from "../core/scenario.ts";
import { systemClock } from "../run/clock.ts";
import { openAccount } from "./account.ts";
import { type LocalPlace, readLocal, startLocalProcess } from "./local-process.ts";
import type { System } from "./system-contract.ts";

/** What a local AWS plays that nobody has told otherwise. */
export const LOCAL: LocalPlace = { account: "000000000000", region: "eu-west-1" };

export function checkEndpoint(endpoint: string): void {
  if (!URL.canParse(endpoint)) {
    throw new GatecrashError("usage", `--endpoint ${endpoint} is no URL`, {
      hint: "write it as http://127.0.0.1:4510",
    });
  }
  if (isLoopback(endpoint)) return;
  throw new GatecrashError("usage", `--endpoint ${endpoint} is not on this machine`, {
    hint: "an account is declared under environments: and chosen with --env",
  });
}

/** What `openSystem` is about to do, for whoever waits for it. */
export function openingOf(scenario: Scenario, endpoint: string | null): string {
  if (scenario.account !== null) return "checking the account";
  if (endpoint !== null) return `asking the local AWS at ${endpoint}`;
  return scenario.template === null ? "no template, so no local AWS" : "starting local AWS";
}

/** In `local` nothing leaves this machine; elsewhere an account answers for a host. */
export function checkHosts({ account, loads, file }: Scenario): void {
  if (account !== null) return;
  for (const { name, target, line } of loads) {
    if (target.kind !== "http") continue;
    const { auth, url } = target;
    const tokens = auth?.kind === "oauth" && URL.canParse(auth.tokenUrl) ? [auth.tokenUrl] : [];
    const foreign = [url, ...tokens].find((each) => !isLoopback(each));
    if (foreign === undefined) continue;
    const place = { file, ...(line === undefined ? {} : { line }) };
    const where = URL.canParse(foreign) ? new URL(foreign).host : foreign;
    throw new GatecrashError("refused", `load ${name} would leave this machine, to ${where}`, {
      hint: "declare the account that it belongs to under environments: and choose it with --env",
      place,
    });
  }
}

/** Nobody listens there, and nobody asks: a scenario that only sends needs no AWS at all. */
export const NO_AWS = "http://127.0.0.1:9";

/** For a load of given hosts: there is no AWS to be asked. */
export function hostsAlone(runId: string): System {
  return { ...localSystem(NO_AWS, runId), outputs: {}, local: null };
}

function needsAws({ faults, observe, stopAlarms }: Scenario): boolean {
  const { reports, accessLog, metricFunctions, metricAccount, metricFronts, queues = {} } = observe;
  const listed = [...faults, ...stopAlarms, ...reports, ...metricFunctions, ...Object.keys(queues)];
  return listed.length > 0 || accessLog !== null || metricAccount || metricFronts === true;
}

export async function openSystem(
  scenario: Scenario,
  runId: string,
  endpoint: string | null,
  signal: AbortSignal,
): Promise<System> {
  if (scenario.account !== null)
    return openAccount(scenario, scenario.account, { runId, clock: systemClock(), signal });
  if (endpoint !== null) {
    checkEndpoint(endpoint);
    const { outputs, ...place } = await readLocal(endpoint);
    return { ...localSystem(endpoint, runId, place), outputs, local: null };
  }
  if (scenario.template === null) {
    if (!needsAws(scenario)) return hostsAlone(runId);
    throw new GatecrashError("usage", "this scenario has no template, so there is no local AWS", {
      hint: "name an environment with --env, or a running local AWS with --endpoint",
    });
  }
  const local = await startLocalProcess({
    template: scenario.template,
    port: 0,
    scale: scenario.scale,
    concurrency: scenario.local.concurrency,
    unreservedMinimum: scenario.local.unreservedMinimum,
    scalingBucket: scenario.local.scalingBucket,
  });
  return { ...localSystem(local.endpoint, runId), outputs: local.outputs, local };
}

function localSystem(
  endpoint: string,
  runId: string,
  { account, region } = LOCAL,
): Omit<System, "outputs" | "local"> {
  const control = createControlPlane({ endpoint, region, account: null, runId });
  const alone = {
    tags: {},
    logs: { control, elsewhere: null },
    load: control,
    inject: control,
    restore: control,
    environment: null,
    actors: [],
  };
  return { endpoint, region, account, control, ...alone };
}
