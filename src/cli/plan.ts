// `gatecrash plan`: what a run would send, need, decide, cost and change; nothing is sent.
import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { identify } from "../aws/control-plane.ts";
import { EXIT, type ExitCode } from "../core/exit.ts";
import { hiding } from "../core/hiding.ts";
import type { Scenario } from "../core/scenario.ts";
import { systemClock } from "../run/clock.ts";
import { resolveScenario } from "../scenario/resolve.ts";
import { viewAccount } from "./account-view.ts";
import { checkAccount } from "./check-account.ts";
import type { CommandContext } from "./context.ts";
import { TWIN_ARRIVALS_MAX } from "./forecast.ts";
import {
  type BaseOptions,
  baseOption,
  criteriaFromOption,
  type Judged,
  readJudged,
} from "./judged-by.ts";
import { makePlan } from "./make-plan.ts";
import { planJson } from "./plan-json.ts";
import { probeLoads } from "./plan-probe.ts";
import { planText } from "./plan-text.ts";
import { type PlanView, planView } from "./plan-view.ts";
import { refuseProduction } from "./production.ts";
import { openForRights, rightsIn } from "./rights.ts";
import { secretValues, withHidden } from "./secrets.ts";
import { checkHosts, NO_AWS, openSystem } from "./system.ts";
import type { System } from "./system-contract.ts";
import { invokedVersions } from "./versions.ts";
import { addWhatIf, NO_WHAT_IF, type WhatIf, withRate } from "./what-if.ts";

interface PlanOptions extends BaseOptions {
  readonly variant?: string;
  readonly env: string;
  readonly endpoint?: string;
  readonly set: WhatIf;
  readonly json?: boolean;
  readonly iam?: boolean;
  readonly probe?: boolean;
  readonly yesProduction?: string;
}

const EXAMPLES = `
Examples:
  gatecrash plan scenarios/zero-concurrency --variant hardened
  gatecrash plan scenarios/clicks --variant hardened --set quota=3000 --set rate=15000/s
  gatecrash plan . --env staging --probe
  gatecrash plan . --env staging --json | jq '.criteria[] | select(.decidable != "yes")'

Exit codes: 0, or 64 when a primary criterion cannot be decided
`;

export function planCommand(context: CommandContext): Command {
  return new Command("plan")
    .description(
      "Say what a run would send, need, decide, cost and change. Sends nothing but --probe's few.",
    )
    .argument("<scenario>", "scenario file, or its folder")
    .option("--variant <name>", "which system of the scenario")
    .option("--env <name>", "where it would run", "local")
    .option("--endpoint <url>", "a local AWS that runs already")
    .option(
      "--set <key=value>",
      "what if: quota=3000, rate=40/s (the highest one), service=120ms, init=400ms",
      addWhatIf,
      NO_WHAT_IF,
    )
    .addOption(baseOption())
    .addOption(criteriaFromOption())
    .option("--iam", "print the permissions that it needs, by who acts, as JSON")
    .option("--probe", "send up to three requests a load, to see which way cold and warm are told")
    .option("--yes-production <account>", "with --probe: it looks like production, and is meant")
    .option("--json", "print one JSON document")
    .addHelpText("after", EXAMPLES)
    .action(async (path: string, options: PlanOptions) => {
      const variant = options.variant ?? null;
      const wanted = { variant, environment: options.env };
      const { scenario: read, ...frozen } = readJudged(path, wanted, options, process.env);
      const request = {
        scenario: withRate(read, options.set.ratePerSecond),
        frozen,
        endpoint: options.endpoint ?? null,
        whatIf: options.set,
        ...(options.probe ? { probe: { yesProduction: options.yesProduction ?? null } } : {}),
      };
      if (options.iam === true) {
        context.out(await policiesText(request, context.signal));
        return;
      }
      context.exit(await showPlan(request, options.json === true, context));
    });
}

export interface PlanRequest {
  /** As read; outputs are still open. */
  readonly scenario: Scenario;
  readonly endpoint: string | null;
  readonly frozen?: Pick<Judged, "yaml" | "base">;
  readonly whatIf: WhatIf;
  /** Absent = nothing is sent. */
  readonly probe?: { readonly yesProduction: string | null };
}

/** Prints the plan; 64 when a run would be refused for it. */
export async function showPlan(
  request: PlanRequest,
  json: boolean,
  context: CommandContext,
): Promise<ExitCode> {
  const hide = hiding(secretValues(request.scenario, process.env));
  const system = await openSystem(request.scenario, "plan", request.endpoint, context.signal);
  try {
    const view = await viewOf(request, system);
    context.out(json ? planJson(view, hide) : hide(planText(view)));
    return view.findings.some(({ severity }) => severity === "error") ? EXIT.usage : EXIT.pass;
  } catch (error) {
    throw withHidden(error, hide);
  } finally {
    await system.local?.stop();
  }
}

/** Policies by role; `gatecrash bootstrap` puts roles around them. */
async function policiesText(
  { scenario: read, endpoint }: PlanRequest,
  signal: AbortSignal,
): Promise<string> {
  const system = await openForRights(read, "plan", endpoint, signal);
  try {
    const policies = await rightsIn(read, system);
    return `${JSON.stringify(policies, null, 2)}\n`;
  } finally {
    await system.local?.stop();
  }
}

async function viewOf(request: PlanRequest, system: System): Promise<PlanView> {
  const { outputs, control } = system;
  const { quota, serviceMs, initMs } = request.whatIf;
  const resolved = resolveScenario(request.scenario, { outputs, env: process.env });
  checkHosts(resolved);
  const checked = await checkAccount(resolved, system, systemClock());
  const { scenario } = checked;
  const named = [...scenario.observe.reports, ...scenario.observe.metricFunctions];
  const account = await viewAccount(control, [...new Set(named)]);
  const caller = system.endpoint === NO_AWS ? "nobody" : (await identify(control)).arn;
  const nowMs = systemClock().wallMs();
  const made = await makePlan({
    ...{ run: "plan", scenario, outputs, command: process.argv.slice(2), workers: 1, slices: 1 },
    yaml: request.frozen?.yaml ?? (await readFile(scenario.file, "utf8")),
    base: request.frozen?.base ?? null,
    plannedAtMs: nowMs,
    assumed: { quota: quota ?? account.quota, serviceMs, initMs: initMs ?? 0 },
    twinMax: TWIN_ARRIVALS_MAX,
    versions: await invokedVersions(scenario, system, checked.proven),
  });
  const view = await planView({ scenario, system, made, account, caller, checked, nowMs });
  if (request.probe === undefined) return view;
  refuseProduction(checked.signs, system.account, request.probe.yesProduction);
  const loads = await probeLoads(scenario, made.counted, system, systemClock());
  return { ...view, probed: loads };
}
