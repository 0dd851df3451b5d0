// Turns a resolved scenario into the plan that is frozen before the first byte.
import { execFileSync } from "node:child_process";
import { relative } from "node:path";
import { GatecrashError } from "../core/error.ts";
import type { PlanFile, PlannedFault, PlannedLoad } from "../core/facts.ts";
import type { Load, Scenario } from "../core/scenario.ts";
import { countPlanned } from "../run/planned.ts";
import { gitBlobHash } from "../run/run-directory.ts";
import { type ComposedDriver, makeDriver, makeFault } from "./compose.ts";
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
}

export interface MadePlan {
  readonly plan: Omit<PlanFile, "epoch_ms">;
  readonly drivers: readonly ComposedDriver[];
}

/** @throws GatecrashError `scenario` when the plan is larger than its own limits. */
export async function makePlan(input: PlanInput): Promise<MadePlan> {
  const { scenario } = input;
  const drivers: ComposedDriver[] = [];
  const loads: PlannedLoad[] = [];
  for (const load of scenario.loads) {
    const driver = await makeDriver(load, scenario.seed, input.plannedAtMs);
    drivers.push(driver);
    loads.push(plannedLoad(load, driver));
  }
  checkLimits(scenario, loads);
  return { plan: planFile(input, loads, notesOf(scenario, drivers)), drivers };
}

function plannedLoad(load: Load, driver: ComposedDriver): PlannedLoad {
  const { planned, perSecond } = countPlanned(driver.arrivals());
  return {
    name: load.name,
    routes: ["", ...load.routes.map((route) => route.name)],
    planned,
    planned_per_s: perSecond,
    start_us: load.startUs,
    end_us: load.endUs,
    in_flight_max: load.inFlightMax,
    timeout_us: load.target.timeoutUs,
    resend_attempts: load.resend?.attempts ?? 1,
  };
}

function checkLimits(scenario: Scenario, loads: readonly PlannedLoad[]): void {
  const planned = loads.reduce((sum, load) => sum + load.planned, 0);
  const { requests } = scenario.limits;
  if (planned > requests) {
    throw new GatecrashError(
      "scenario",
      `${planned} arrivals are planned, limits.requests is ${requests}`,
      {
        hint: "raise limits.requests, or plan less",
        place: { file: scenario.file },
      },
    );
  }
  const empty = loads.find((load) => load.planned === 0);
  if (empty !== undefined) {
    throw new GatecrashError("scenario", `load ${empty.name} plans no arrival at all`, {
      hint: "its capture has nothing that may be sent in this time: see routes: and writes:",
      place: { file: scenario.file },
    });
  }
}

function planFile(
  input: PlanInput,
  loads: readonly PlannedLoad[],
  notes: readonly string[],
): Omit<PlanFile, "epoch_ms"> {
  const { scenario, outputs } = input;
  return {
    gatecrash: 1,
    run: input.run,
    title: scenario.title,
    scenario: { ...versionOf(scenario, input.yaml) },
    command: input.command,
    version: VERSION,
    seed: scenario.seed,
    slices: input.slices,
    workers: input.workers,
    phases: scenario.phases.map(({ name, startUs, endUs }) => ({
      name,
      start_us: startUs,
      end_us: endUs,
    })),
    loads,
    arms: ["candidate"],
    faults: scenario.faults.map(plannedFault),
    functions: Object.fromEntries(
      Object.entries(outputs).filter(([, value]) => /^arn:[^:]+:lambda:.*:function:/.test(value)),
    ),
    criteria: {
      accept: scenario.accept.map(({ text }) => text),
      steady: scenario.steady.map(({ text }) => text),
      stop_when: scenario.stopWhen.map(({ text }) => text),
    },
    generator: {
      lag_p99_us: scenario.generator.lagP99Us,
      dropped: scenario.generator.dropped,
      cpu: scenario.generator.cpu,
    },
    joins: scenario.observe.reports.length > 0,
    quota: {
      concurrency:
        scenario.environment === "local" ? scenario.local.concurrency * scenario.scale : null,
    },
    expect: expectText(scenario),
    notes,
  };
}

function plannedFault(spec: Scenario["faults"][number]): PlannedFault {
  return {
    name: spec.name,
    kind: spec.kind,
    during: spec.during,
    start_us: spec.startUs,
    end_us: spec.endUs,
    resources: makeFault(spec).resources,
  };
}

function expectText({ expect }: Scenario): string {
  if (expect === null) return "";
  return expect.criterion === null ? expect.verdict : `${expect.verdict}: ${expect.criterion}`;
}

function notesOf(scenario: Scenario, drivers: readonly ComposedDriver[]): string[] {
  const skipped = drivers.flatMap((driver, at) =>
    (driver.skipped ?? []).map(
      ({ reason, count }) => `load ${scenario.loads[at]?.name}: ${count} not replayed: ${reason}`,
    ),
  );
  return [...scenario.assumed, ...skipped];
}

/** The scenario's own text as git would name it, and whether the tree around it was clean. */
function versionOf(scenario: Scenario, yaml: string): PlanFile["scenario"] {
  const git = (...args: string[]): string | null => {
    try {
      const options = { cwd: scenario.dir, encoding: "utf8", stdio: "pipe" } as const;
      return execFileSync("git", args, options).trim();
    } catch {
      return null; // no git, or no repository
    }
  };
  const commit = git("rev-parse", "HEAD");
  const status = commit === null ? null : git("status", "--porcelain", "--", ".");
  return {
    file: relative(process.cwd(), scenario.file) || scenario.file,
    variant: scenario.variant,
    environment: scenario.environment,
    blob: gitBlobHash(yaml),
    commit,
    dirty: status === null ? null : status !== "",
  };
}
