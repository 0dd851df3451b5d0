// `gatecrash load`: one URL, one rate, a few figures; run and judged as any scenario is.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { GatecrashError, messageOf } from "../core/error.ts";
import { EXIT, type ExitCode, exitOfSignal } from "../core/exit.ts";
import { type EpochMs, epochMs } from "../core/time.ts";
import { loadSummary } from "../report/load-summary.ts";
import type { Share } from "../run/worker-contract.ts";
import type { CommandContext } from "./context.ts";
import { type LoadOptions, type LoadRequest, loadRequest } from "./load-request.ts";
import { type LoadFigures, loadJson, loadText } from "./load-text.ts";
import { listOption, numberOption, workersOption } from "./options.ts";
import type { RunRequest } from "./run-request.ts";
import { runScenario, runSlice } from "./run-scenario.ts";
import { hasColours } from "./terminal.ts";

interface CommandOptions extends LoadOptions {
  readonly workers: number;
  readonly json?: boolean;
  readonly out?: string;
  readonly slice?: Share;
  readonly startAt?: EpochMs;
}

const EXAMPLES = `
Examples:
  gatecrash load http://127.0.0.1:3000/ --rate 500/s --expect "p99 <= 300ms"
  gatecrash load http://127.0.0.1:3000/orders --rate 50/s --body '{"id":"{{uuid}}"}'
  gatecrash load http://127.0.0.1:3000/ --connections 64 --json | jq .achieved_per_s
  gatecrash load https://stage.example.com/ --rate 100/s --allow-host stage.example.com

Exit codes: 0 every expectation holds, 1 one does not, 2 undecided, 3 the figures mean nothing,
  5 stopped, 64 usage error (nothing was sent), 70 our bug, 130/143 signals
`;

export function loadCommand(context: CommandContext): Command {
  const whole = { least: 1, whole: true };
  return new Command("load")
    .description("Load one URL, at a rate that waits for nobody or in a closed loop.")
    .argument("<url>", "http or https; a host that is not this machine needs --allow-host too")
    .option("--rate <rate>", "arrivals, as 5000/s or 40/min")
    .option("--connections <n>", "closed loop: so many at once", numberOption(whole))
    .option("--for <time>", "how long at the full rate", "10s")
    .option("--ramp <time>", "rise to the rate over this time first")
    .option("--expect <criterion>", "what must hold; may be repeated", listOption, [])
    .option("--method <name>", "default GET, with a body POST")
    .option("--header <header>", '"Name: value"; may be repeated', listOption, [])
    .option("--body <text>", "a template, or @file")
    .option("--timeout <time>", "without an answer by then: unknown", "30s")
    .option(
      "--in-flight <n>",
      "most at once; what is due beyond is dropped",
      numberOption(whole),
      5_000,
    )
    .option("--lag-p99 <time>", "how late our own sends may be before nothing is believed", "20ms")
    .option("--workers <n>", "load threads", workersOption, 1)
    .option("--allow-host <host>", "the host again, if it is not this machine", listOption, [])
    .option("--slice <i/n>", "this machine's part, counted from 0; needs --out", sliceOption)
    .option("--start-at <time>", "when to begin, as 2026-11-30T19:00:00Z", timeOption)
    .option("--out <dir>", "keep the facts in this new directory")
    .option("--json", "print the figures as one JSON document")
    .addHelpText("after", EXAMPLES)
    .action(async (url: string, options: CommandOptions) => {
      const folder = mkdtempSync(join(tmpdir(), "gatecrash-load-"));
      try {
        context.exit(await load(url, options, folder, context));
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
}

async function load(
  url: string,
  options: CommandOptions,
  folder: string,
  context: CommandContext,
): Promise<ExitCode> {
  const made = loadRequest(url, options, folder);
  const request = requestOf(made, options, folder);
  Object.assign(process.env, made.secrets);
  if (request.slice !== undefined && request.slice.of > 1) {
    return slice(request, options, context);
  }
  const { report, exit } = await runScenario(request, context);
  const summary = await loadSummary(report.dir);
  const { perSecond } = made;
  const figures: LoadFigures = { report, summary, perSecond, workers: options.workers };
  const colour = hasColours(process.stdout, process.env);
  if (options.json) {
    context.out(loadJson(figures));
    for (const reason of report.invalid) context.err(`INVALID   ${reason}\n`);
    if (report.criteria.length > 0) context.err(`${report.verdict}: ${report.reason}\n`);
  } else context.out(loadText(figures, colour));
  // Nothing was expected, so nothing is undecided.
  return report.criteria.length === 0 && exit === EXIT.inconclusive ? EXIT.pass : exit;
}

function requestOf(made: LoadRequest, options: CommandOptions, folder: string): RunRequest {
  const { workers, slice, startAt, out } = options;
  if (slice !== undefined && slice.of > 1 && out === undefined)
    throw new GatecrashError("usage", "a slice is judged with the others: give --out");
  return {
    ...{ scenario: made.scenario, yaml: made.yaml, endpoint: null, workers, allowExec: false },
    out: out ?? join(folder, "run"),
    kept: out !== undefined,
    command: process.argv.slice(2),
    quiet: options.json === true || process.stderr.isTTY !== true,
    ...(slice === undefined ? {} : { slice }),
    ...(startAt === undefined ? {} : { startAtMs: startAt }),
  };
}

async function slice(
  request: RunRequest,
  options: CommandOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { summary, dir } = await runSlice(request, context);
  const { index, of } = request.slice!;
  const rows = summary.rows.reduce((sum, count) => sum + count, 0);
  const document = { slice: index, slices: of, rows, dir };
  if (options.json) context.out(`${JSON.stringify(document, null, 2)}\n`);
  else {
    context.out(`slice ${index} of ${of}: ${rows} attempts in ${dir}\n`);
    context.out("judged when every slice has ended: gatecrash report, on the one directory\n");
  }
  if (summary.failure !== null) {
    context.err(`error: the run was ended by: ${messageOf(summary.failure)}\n`);
    return EXIT.bug;
  }
  if (summary.stoppedBy === null) return EXIT.pass;
  if (summary.stoppedBy.why !== "signal") return EXIT.stopped;
  return exitOfSignal(summary.stoppedBy.detail);
}

function sliceOption(text: string): Share {
  const [, index = "", of = ""] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const share = { index: Number(index), of: Number(of) };
  if (of !== "" && share.index < share.of) return share;
  throw new GatecrashError("usage", `--slice ${text}: write it as 0/4, 1/4, 2/4 or 3/4`);
}

function timeOption(text: string): EpochMs {
  const ms = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (!Number.isNaN(ms)) return epochMs(ms);
  throw new GatecrashError("usage", `--start-at ${text}: write it as 2026-11-30T19:00:00Z`);
}
