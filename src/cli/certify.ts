// `gatecrash certify`: runs a scenario in a sandbox account and says what of our promises was seen.
import { Command } from "commander";
import { GatecrashError } from "../core/error.ts";
import { EXIT, type ExitCode, strongestExit } from "../core/exit.ts";
import { formatNumber } from "../core/format.ts";
import type { FaultResult, Report } from "../report/result.ts";
import type { CommandContext } from "./context.ts";
import {
  type BaseOptions,
  baseOption,
  baseWarning,
  criteriaFromOption,
  readJudged,
} from "./judged-by.ts";
import { runScenario } from "./run-scenario.ts";

interface CertifyOptions extends BaseOptions {
  readonly variant?: string;
  readonly env: string;
  readonly out?: string;
}

const EXAMPLES = `
Examples:
  gatecrash certify . --env sandbox      one row for each promise, for docs/aws-setup.md

Exit codes: those of gatecrash run; 1 when a promise was not kept although the run passed
`;

export function certifyCommand(context: CommandContext): Command {
  return new Command("certify")
    .description("Run a scenario in a sandbox account and print what was seen, as Markdown.")
    .argument("<scenario>", "scenario file, or its folder, with the faults to be certified")
    .requiredOption("--env <name>", "the sandbox account")
    .option("--variant <name>", "which system of the scenario")
    .option("--out <dir>", "run directory; default: runs/<time>")
    .addOption(baseOption())
    .addOption(criteriaFromOption())
    .addHelpText("after", EXAMPLES)
    .action(async (path: string, options: CertifyOptions) => {
      context.exit(await certify(path, options, context));
    });
}

async function certify(
  path: string,
  options: CertifyOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const wanted = { variant: options.variant ?? null, environment: options.env };
  const { scenario, ...frozen } = readJudged(path, wanted, options, process.env);
  const { account } = scenario;
  if (account === null)
    throw new GatecrashError("usage", "local AWS certifies nothing", {
      hint: "name a sandbox account of the scenario: --env sandbox",
    });
  context.err(baseWarning(frozen.base));
  const { report, exit, told } = await runScenario(
    {
      ...{ scenario, frozen, endpoint: null, out: options.out ?? null, workers: 1, quiet: false },
      ...{ command: process.argv.slice(2), allowExec: false },
    },
    context,
  );
  const rows = certificate(report);
  context.out(certificateText(rows, account.endpoint !== null));
  await told();
  const kept = rows.every(({ seen }) => seen);
  return strongestExit([exit, kept ? EXIT.pass : EXIT.fail]);
}

interface Row {
  readonly what: string;
  readonly seen: boolean;
  readonly found: string;
}

/** From the facts of the run alone. */
function certificate(report: Report): Row[] {
  const { plan, faults, starts, counts, invalid } = report;
  const rows: Row[] = [
    { what: "the run is valid", seen: invalid.length === 0, found: invalid[0] ?? "yes" },
    { what: "answers", seen: counts.ok > 0, found: `${formatNumber(counts.ok)} ok` },
    ...faults.flatMap(faultRows),
  ];
  if (plan.joins) {
    const { unjoined, ...joined } = starts;
    const known = Object.values(joined).reduce((sum, n) => sum + n, 0);
    const found = `${formatNumber(known)} joined, ${formatNumber(unjoined)} not`;
    rows.push({ what: "answers joined with their REPORT", seen: known > unjoined, found });
  }
  return rows;
}

function faultRows(fault: FaultResult): Row[] {
  const { name, kind, askedUs, onsetUs, restoreAskedUs, clearedUs, verified, change } = fault;
  return [
    { what: `${name} (${kind}): onset seen`, ...took(askedUs, onsetUs) },
    { what: `${name}: put back and read back`, seen: verified, found: change },
    { what: `${name}: clearing seen`, ...took(restoreAskedUs, clearedUs) },
  ];
}

function took(fromUs: number | null, toUs: number | null): Omit<Row, "what"> {
  if (fromUs === null || toUs === null) return { seen: false, found: "never" };
  return { seen: true, found: `after ${formatNumber((toUs - fromUs) / 1e6, 1)} s` };
}

function certificateText(rows: readonly Row[], isRehearsal: boolean): string {
  const note = isRehearsal
    ? "A rehearsal: a local AWS played the account. This says nothing about AWS.\n\n"
    : "";
  const lines = rows.map(
    ({ what, seen, found }) => `| ${what} | ${seen ? "yes" : "NO"} | ${found} |`,
  );
  return `${note}| what | seen | found |\n|---|---|---|\n${lines.join("\n")}\n`;
}
