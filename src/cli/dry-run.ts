// `run --dry-run`: what would be sent and changed, with the system known and nothing sent to it.
import { readFile } from "node:fs/promises";
import { commandOf } from "../core/command.ts";
import { captureFields } from "../core/fields.ts";
import { formatNumber } from "../core/format.ts";
import type { Scenario } from "../core/scenario.ts";
import { systemClock } from "../run/clock.ts";
import { resolveScenario } from "../scenario/resolve.ts";
import { makeFault } from "./compose.ts";
import { makePlan } from "./make-plan.ts";
import type { RunRequest } from "./run-scenario.ts";
import { checkSecrets } from "./secrets.ts";
import { openSystem, type System } from "./system.ts";

export async function dryRun(request: RunRequest): Promise<string> {
  const system = await openSystem(request.scenario, "dry-run", request.endpoint);
  try {
    const { outputs } = system;
    const scenario = resolveScenario(request.scenario, { outputs, env: process.env });
    checkSecrets(scenario);
    const lines = [
      ...(await sends(request, scenario, system)),
      ...(await changes(scenario, system)),
    ];
    const end = "Nothing was sent and nothing was changed.";
    return `${[scenario.title, ...lines, end].join("\n")}\n`;
  } finally {
    await system.local?.stop();
  }
}

async function sends(request: RunRequest, scenario: Scenario, system: System): Promise<string[]> {
  const { plan } = await makePlan({
    run: "dry-run",
    scenario,
    yaml: await readFile(scenario.file, "utf8"),
    command: request.command,
    outputs: system.outputs,
    workers: request.workers,
    slices: 1,
    plannedAtMs: systemClock().wallMs(),
  });
  const loads = plan.loads.map((load, at) => {
    const busiest = load.planned_per_s.reduce((most, count) => Math.max(most, count), 0);
    const target = scenario.loads[at]?.target;
    const where = target?.kind === "http" ? target.url : (target?.kind ?? "");
    const arrivals = `${formatNumber(load.planned)} arrivals to ${where}`;
    return `SEND     ${load.name}: ${arrivals}, ${formatNumber(busiest)} in the busiest second`;
  });
  return [...loads, ...plan.notes.map((note) => `NOTE     ${note}`)];
}

async function changes(scenario: Scenario, system: System): Promise<string[]> {
  const lines: string[] = [];
  const endpoint = system.local === null && system.endpoint !== "aws" ? system.endpoint : null;
  for (const fault of scenario.faults.map(makeFault)) {
    const { service, action, input, fields } = fault.read;
    const prior = captureFields(await system.control.call(service, action, input), fields);
    const show = (calls: ReturnType<typeof fault.inject>): string =>
      calls.map((call) => commandOf(call, system.region, endpoint)).join(" && ") || "nothing";
    lines.push(`CHANGE   ${fault.name}: ${show(fault.inject(prior))}`);
    lines.push(`UNDO     ${fault.name}: ${show(fault.undo(prior))}`);
  }
  return lines.length > 0 ? lines : ["CHANGE   nothing: no faults in this scenario"];
}
