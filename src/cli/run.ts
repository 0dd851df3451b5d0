// `gatecrash run`: one scenario, or every variant of every scenario below a folder.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { GatecrashError } from "../core/error.ts";
import { EXIT, type ExitCode, exitOfSignal, strongestExit } from "../core/exit.ts";
import { resultOf } from "../report/result-json.ts";
import { lintScenario } from "../scenario/lint.ts";
import { listVariants } from "../scenario/read.ts";
import type { CommandContext } from "./context.ts";
import { meetsExpectation } from "./expectation.ts";
import {
  type BaseOptions,
  baseOption,
  baseWarning,
  criteriaFromOption,
  readJudged,
} from "./judged-by.ts";
import { complain } from "./lint-plan.ts";
import { durationOption, numberOption, workersOption } from "./options.ts";
import { showPlan } from "./plan.ts";
import { printed } from "./report.ts";
import type { RunRequest } from "./run-request.ts";
import { runScenario } from "./run-scenario.ts";
import { NO_WHAT_IF } from "./what-if.ts";

interface RunOptions extends BaseOptions {
  readonly variant?: string;
  readonly env: string;
  readonly endpoint?: string;
  readonly out?: string;
  readonly seed?: number;
  readonly workers: number;
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly allowExec?: boolean;
  readonly wait?: number;
  readonly yesProduction?: string;
}

const EXAMPLES = `
Examples:
  gatecrash run scenarios/zero-concurrency --variant hardened
  gatecrash run scenarios/zero-concurrency --variant naive --dry-run
  gatecrash run --all scenarios            every variant must give what its scenario expects

Exit codes: 0 pass, 1 fail, 2 inconclusive, 3 invalid, 4 something was not put back,
  5 stopped, 64 usage or scenario error (nothing was sent), 70 our bug, 130/143 signals
`;

export function runCommand(context: CommandContext): Command {
  return new Command("run")
    .description("Plan, run, undo, judge and report a scenario.")
    .argument("<scenario>", "scenario file, or its folder; with --all a folder of them")
    .option("--variant <name>", "which system of the scenario")
    .option("--env <name>", "where it runs", "local")
    .option("--endpoint <url>", "a local AWS that runs already")
    .option("--out <dir>", "run directory (with --all their parent); default: runs/<time>")
    .option("--seed <n>", "in place of the scenario's", numberOption({ least: 0, whole: true }))
    .option("--workers <n>", "load threads", workersOption, 1)
    .option("--all", "run every variant of every scenario below <scenario>")
    .option("--dry-run", "print the plan (see gatecrash plan); send and change nothing")
    .option("--json", "print result.json and nothing else on standard output")
    .option("--allow-exec", "let sinks run the commands that the scenario names")
    .option("--wait <time>", "wait so long for a run that holds what is to change", durationOption)
    .option("--yes-production <account>", "it looks like production, and is meant")
    .addOption(baseOption())
    .addOption(criteriaFromOption())
    .option("--quiet", "no progress")
    .addHelpText("after", EXAMPLES)
    .action(async (path: string, options: RunOptions) => {
      context.exit(
        options.all ? await runAll(path, options, context) : await one(path, options, context),
      );
    });
}

async function one(path: string, options: RunOptions, context: CommandContext): Promise<ExitCode> {
  const request = requestOf(path, options.variant ?? null, options, context);
  if (options.dryRun) {
    const { scenario, endpoint, frozen } = request;
    return showPlan(
      { scenario, endpoint, ...(frozen === undefined ? {} : { frozen }), whatIf: NO_WHAT_IF },
      options.json === true,
      context,
    );
  }
  const { report, exit, told } = await runScenario(request, context);
  context.out(
    options.json ? `${JSON.stringify(resultOf(report), null, 2)}\n` : printed(report, "text"),
  );
  await told();
  return exit;
}

function requestOf(
  path: string,
  variant: string | null,
  options: RunOptions,
  context: CommandContext,
): RunRequest {
  const wanted = { variant, environment: options.env };
  const { scenario: read, ...frozen } = readJudged(path, wanted, options, process.env);
  context.err(baseWarning(frozen.base));
  const scenario = options.seed === undefined ? read : { ...read, seed: options.seed };
  complain(scenario, lintScenario(scenario), context);
  return {
    scenario,
    frozen,
    endpoint: options.endpoint ?? null,
    out: options.out ?? null,
    workers: options.workers,
    command: process.argv.slice(2),
    allowExec: options.allowExec === true,
    waitUs: options.wait ?? 0,
    yesProduction: options.yesProduction ?? null,
    quiet: options.quiet === true || options.json === true,
  };
}

/** Exit 0 when each variant gave its `expect:`; what is stronger than a verdict stays. */
async function runAll(
  root: string,
  options: RunOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const codes: ExitCode[] = [];
  // All are read before the first one runs: a mistake in the last costs nobody the others' time.
  const requests = scenarioFolders(root).flatMap((folder) =>
    variantsOf(folder, options).map((variant) => {
      const name = variant === null ? folder : `${folder} ${variant}`;
      const out = options.out && join(options.out, name.replaceAll(/[^\w-]+/g, "-"));
      const own = { ...options, ...(out ? { out } : {}) };
      return { name, request: requestOf(folder, variant, own, context) };
    }),
  );
  for (const { name, request } of requests) {
    if (context.signal.aborted) {
      codes.push(exitOfSignal(String(context.signal.reason)));
      break;
    }
    const { report, exit, told } = await runScenario(request, context);
    const met = meetsExpectation(request.scenario.expect, report);
    context.out(`${met.holds ? "as expected" : "NOT AS EXPECTED"}  ${name}: ${met.text}\n`);
    await told();
    codes.push(exit >= EXIT.undoNotVerified ? exit : met.holds ? EXIT.pass : EXIT.fail);
    context.exit(strongestExit(codes)); // it stands where a later one cannot be run at all
  }
  return strongestExit(codes);
}

function scenarioFolders(root: string): string[] {
  const isScenario = (folder: string): boolean => existsSync(join(folder, "scenario.yaml"));
  if (!existsSync(root)) throw new GatecrashError("usage", `${root}: no such folder`);
  if (isScenario(root)) return [root];
  const found = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(root, entry.name))
    .filter(isScenario)
    .sort();
  if (found.length > 0) return found;
  throw new GatecrashError("usage", `${root}: no scenario.yaml in it or in its folders`);
}

function variantsOf(folder: string, options: RunOptions): (string | null)[] {
  if (options.variant !== undefined) return [options.variant];
  const names = listVariants(folder);
  return names.length === 0 ? [null] : [...names];
}
