// The system under test: a local AWS of the run's own, one that runs already, or a declared
// account.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createControlPlane, identify } from "../aws/control-plane.ts";
import { AWS_ENDPOINT, isLoopback } from "../aws/endpoint.ts";
import type { ControlPlane } from "../core/change.ts";
import { GatecrashError, messageOf } from "../core/error.ts";
import type { EnvironmentSpec, Scenario } from "../core/scenario.ts";
import { type LocalProcess, readOutputs, startLocalProcess } from "./local-process.ts";

export interface System {
  /** Loopback URL, or `aws`. */
  readonly endpoint: string;
  readonly region: string;
  readonly account: string;
  readonly outputs: { readonly [name: string]: string };
  readonly control: ControlPlane;
  /** The local AWS that this run started, and that it has to stop. */
  readonly local: LocalProcess | null;
}

export const LOCAL_REGION = "eu-west-1";
export const LOCAL_ACCOUNT = "000000000000";

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
    if (target.kind !== "http" || isLoopback(target.url)) continue;
    const place = { file, ...(line === undefined ? {} : { line }) };
    const where = URL.canParse(target.url) ? new URL(target.url).host : target.url;
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
  const { reports, accessLog, metricFunctions, metricAccount, queues = {} } = observe;
  const listed = [...faults, ...stopAlarms, ...reports, ...metricFunctions, ...Object.keys(queues)];
  return listed.length > 0 || accessLog !== null || metricAccount;
}

export async function openSystem(
  scenario: Scenario,
  runId: string,
  endpoint: string | null,
): Promise<System> {
  if (scenario.account !== null) return openAccount(scenario, scenario.account, runId);
  if (endpoint !== null) {
    checkEndpoint(endpoint);
    return { ...localSystem(endpoint, runId), outputs: await readOutputs(endpoint), local: null };
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

function localSystem(endpoint: string, runId: string): Omit<System, "outputs" | "local"> {
  const region = LOCAL_REGION;
  const control = createControlPlane({ endpoint, region, account: null, runId });
  return { endpoint, region, account: LOCAL_ACCOUNT, control };
}

/**
 * Until the undo contract holds on an account (a dead-man that outlives this machine), a scenario
 * with faults is refused there: it may load and observe only.
 */
async function openAccount(
  scenario: Scenario,
  { name, account, awsRegion: region, outputs }: EnvironmentSpec,
  runId: string,
): Promise<System> {
  const [fault] = scenario.faults;
  if (fault !== undefined) {
    throw new GatecrashError("refused", `fault ${fault.name} cannot be injected in ${name} yet`, {
      hint: "this version injects faults into local AWS only; loads and criteria run as they are",
      place: { file: scenario.file, line: fault.line },
    });
  }
  const found = await readOutputFiles(scenario.dir, outputs);
  const control = createControlPlane({ endpoint: AWS_ENDPOINT, region, account, runId });
  const caller = await identify(control);
  if (caller.account !== account) {
    throw new GatecrashError(
      "refused",
      `the credentials are of account ${caller.account}, ${name} is account ${account}`,
    );
  }
  return { endpoint: AWS_ENDPOINT, region, account, outputs: found, control, local: null };
}

/**
 * Outputs of a deployment as Terraform (`output -json`) or the CDK (`--outputs-file`) write them.
 */
async function readOutputFiles(
  dir: string,
  sources: EnvironmentSpec["outputs"],
): Promise<{ [name: string]: string }> {
  const found: { [name: string]: string } = {};
  for (const [source, where] of Object.entries(sources)) {
    if (source !== "terraform" && source !== "cdk") {
      throw new GatecrashError("scenario", `outputs cannot be read from ${source} yet`, {
        hint: "write them to a file: terraform: outputs.json, or cdk: cdk-outputs.json",
      });
    }
    const file = resolve(dir, where);
    let parsed: { [name: string]: unknown };
    try {
      parsed = JSON.parse(await readFile(file, "utf8")) as typeof parsed;
    } catch (cause) {
      const place = { file };
      throw new GatecrashError("input", `no outputs there: ${messageOf(cause)}`, { place, cause });
    }
    const flat = source === "cdk" ? Object.assign({}, ...Object.values(parsed)) : parsed;
    for (const [key, value] of Object.entries(flat)) found[key] = outputText(value);
  }
  return found;
}

function outputText(value: unknown): string {
  const inner =
    typeof value === "object" && value !== null && "value" in value ? value.value : value;
  return typeof inner === "string" ? inner : JSON.stringify(inner);
}
