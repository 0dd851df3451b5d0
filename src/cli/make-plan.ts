// Turns a resolved scenario into the plan that is frozen before the first byte.
import { relative } from "node:path";
import type { PlannedBase } from "../core/base-facts.ts";
import type { PlanFile, PlannedFault, PlannedVersions } from "../core/facts.ts";
import type { PlannedFront } from "../core/front-facts.ts";
import { type Hide, shownCommand } from "../core/hiding.ts";
import type { Scenario } from "../core/scenario.ts";
import { PRICE_REGION, PRICES } from "../model/prices.ts";
import { queueName } from "../observe/resource-names.ts";
import { plannedSink } from "../observe/sinks/effects.ts";
import type { Prospect } from "../report/prospects.ts";
import { gitBlobHash } from "../run/run-directory.ts";
import { makeFault } from "./compose.ts";
import { ARMS, type CountedLoad, countLoads } from "./count-loads.ts";
import { type Assumptions, type Forecast, forecast } from "./forecast.ts";
import { gitIn } from "./git.ts";
import { acceptProspects } from "./lint-plan.ts";
import { VERSION } from "./version.ts";

export interface PlanInput {
  readonly run: string;
  readonly scenario: Scenario;
  readonly yaml: string;
  readonly command: readonly string[];
  readonly outputs: { readonly [name: string]: string };
  readonly workers: number;
  readonly slices: number;
  readonly plannedAtMs: number;
  /** In a pull request. */
  readonly base?: PlannedBase | null;
  /** What is changed around all faults; absent = nothing. */
  readonly around?: readonly PlannedFault[];
  /** Keeps secret values out of the free texts of the plan. */
  readonly hide?: Hide;
  /** APIs whose counts will be read; absent = none. */
  readonly fronts?: readonly PlannedFront[];
  /** What a forecast rests on where the scenario is silent; by default its declared quota. */
  readonly assumed?: Partial<Assumptions>;
  /** Above this many arrivals the forecast is in closed form only. */
  readonly twinMax?: number;
  /** What is invoked now; absent = no criterion asks, or it cannot be read. */
  readonly versions?: readonly PlannedVersions[] | null;
}

export interface MadePlan {
  readonly plan: Omit<PlanFile, "epoch_ms">;
  readonly counted: readonly CountedLoad[];
  readonly forecast: Forecast;
  /** By position in `accept:`. */
  readonly prospects: readonly Prospect[];
}

/** A run does not wait for more than a second of forecasting. */
const TWIN_MAX = 200_000;

/** @throws GatecrashError `scenario` when the plan is larger than its own limits. */
export async function makePlan(input: PlanInput): Promise<MadePlan> {
  const { scenario, assumed = {}, twinMax = TWIN_MAX, versions = null } = input;
  const counted = await countLoads(scenario, input.plannedAtMs);
  const quota = declaredQuota(scenario);
  const all = { quota, serviceMs: null, initMs: 0, ...assumed };
  const foreseen = forecast(scenario, counted, all, twinMax);
  const { predicted } = foreseen;
  return {
    plan: { ...planFile(input, counted), ...(versions === null ? {} : { versions }), predicted },
    counted,
    forecast: foreseen,
    prospects: acceptProspects(scenario, counted, predicted.cold_starts, versions),
  };
}

function planFile(input: PlanInput, counted: readonly CountedLoad[]): Omit<PlanFile, "epoch_ms"> {
  const { scenario, outputs, fronts = [], hide = (text) => text } = input;
  return {
    gatecrash: 1,
    run: input.run,
    title: hide(scenario.title),
    scenario: { ...versionOf(scenario, input.yaml) },
    ...(input.base ? { base: input.base } : {}),
    command: shownCommand(input.command).map(hide),
    version: VERSION,
    seed: scenario.seed,
    slices: input.slices,
    workers: input.workers,
    phases: scenario.phases.map(({ name, startUs, endUs }) => ({
      name,
      start_us: startUs,
      end_us: endUs,
    })),
    loads: counted.map(({ facts }) => facts),
    arms: ARMS,
    sinks: scenario.sinks.map(plannedSink),
    faults: scenario.faults.map((spec) => plannedFault(spec, scenario.seed)),
    ...(input.around === undefined ? {} : { around: input.around }),
    functions: functionsOf(outputs),
    queues: queuesOf(scenario),
    ...(fronts.length === 0 ? {} : { fronts }),
    prices: PLANNED_PRICES,
    criteria: {
      accept: scenario.accept.map(({ text }) => text),
      steady: scenario.steady.map(({ text }) => text),
      stop_when: [
        ...scenario.stopWhen.map(({ text }) => text),
        ...scenario.stopAlarms.map(({ alarm }) => `alarm ${alarm}`),
      ],
    },
    generator: {
      lag_p99_us: scenario.generator.lagP99Us,
      dropped: scenario.generator.dropped,
      cpu: scenario.generator.cpu,
    },
    joins: scenario.observe.reports.length > 0,
    quota: { concurrency: declaredQuota(scenario) },
    expect: expectText(scenario),
    notes: notesOf(scenario, counted).map(hide),
  };
}

/** Outputs that are ARNs of functions: what `function(X)` may name. */
function functionsOf(outputs: PlanInput["outputs"]): PlanFile["functions"] {
  const isFunction = /^arn:[^:]+:lambda:.*:function:/;
  return Object.fromEntries(Object.entries(outputs).filter(([, value]) => isFunction.test(value)));
}

function queuesOf({ observe: { queues = {} } }: Scenario): NonNullable<PlanFile["queues"]> {
  return Object.fromEntries(
    Object.entries(queues).map(([name, queue]) => [name, queueName(queue)]),
  );
}

const PLANNED_PRICES: NonNullable<PlanFile["prices"]> = {
  aws_region: PRICE_REGION,
  date: [PRICES.lambdaRequest, PRICES.lambdaGbSecond].map(({ date }) => date).sort()[0]!,
  lambda_request: PRICES.lambdaRequest.usd,
  lambda_gb_second: PRICES.lambdaGbSecond.usd,
};

/** Concurrency that local AWS enforces at this scale; an account's own is not declared. */
export function declaredQuota({ environment, local, scale }: Scenario): number | null {
  return environment === "local" ? local.concurrency * scale : null;
}

function plannedFault(spec: Scenario["faults"][number], seed: number): PlannedFault {
  const { resources, residue, coldWave } = makeFault(spec, seed);
  return {
    name: spec.name,
    kind: spec.kind,
    during: spec.during,
    start_us: spec.startUs,
    end_us: spec.endUs,
    resources,
    ...(residue === undefined ? {} : { residue }),
    ...(coldWave === undefined ? {} : { cold_wave: coldWave }),
  };
}

function expectText({ expect }: Scenario): string {
  if (expect === null) return "";
  return expect.criterion === null ? expect.verdict : `${expect.verdict}: ${expect.criterion}`;
}

function notesOf(scenario: Scenario, counted: readonly CountedLoad[]): string[] {
  const skipped = counted.flatMap(({ load, skipped }) =>
    skipped.map(({ reason, count }) => `load ${load.name}: ${count} not replayed: ${reason}`),
  );
  return [...scenario.assumed, ...skipped];
}

/** The scenario's own text as git would name it, and whether the tree around it was clean. */
function versionOf(scenario: Scenario, yaml: string): PlanFile["scenario"] {
  const git = gitIn(scenario.dir);
  const head = git("rev-parse", "HEAD");
  const commit = head.failed === null ? head.out : null; // null: no git, or no repository
  const status = commit === null ? head : git("status", "--porcelain", "--", ".");
  return {
    file: relative(process.cwd(), scenario.file) || scenario.file,
    variant: scenario.variant,
    environment: scenario.environment,
    blob: gitBlobHash(yaml),
    commit,
    dirty: status.failed === null ? status.out !== "" : null,
  };
}
