// `gatecrash heal`: puts back what a dead run left, from the undo log alone.
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { Command } from "commander";
import { AWS_ENDPOINT } from "../aws/endpoint.ts";
import { GatecrashError } from "../core/error.ts";
import { EXIT } from "../core/exit.ts";
import type { NotifySpec } from "../core/notice.ts";
import { systemClock } from "../run/clock.ts";
import { type Healed, type HealReport, heal } from "../run/heal.ts";
import { healAccount } from "../run/heal-account.ts";
import { isGone, lifeOf } from "../run/process-mark.ts";
import { undoFile, undoLogPath } from "../run/undo-file.ts";
import { createUndoLog } from "../run/undo-log.ts";
import { readNotify } from "../scenario/read.ts";
import { connectTo, namedPlace, namesPlace, type PlaceFlags, withPlace } from "./account-place.ts";
import type { CommandContext } from "./context.ts";
import { tellLeft } from "./heal-notices.ts";
import { agreedText } from "./judged-by.ts";
import { HEAL_UNDO_US } from "./run-faults.ts";
import { ownerAlive } from "./run-undo.ts";

interface HealFlags extends PlaceFlags {
  readonly undoLog?: string;
  readonly dryRun?: boolean;
  readonly verifyClean?: boolean;
  readonly json?: boolean;
}

const STOP_TIMEOUT_MS = 5_000;

const EXAMPLES = `
Examples:
  gatecrash heal                                                 from your own undo log
  gatecrash heal --account 222222222222 --region eu-west-1       from the account, on any machine
  gatecrash heal --scenario scenarios/checkout --env staging     the same, as who is declared there
  gatecrash heal --verify-clean                                  4 if anything is left after it
`;

export function healCommand(context: CommandContext): Command {
  const command = new Command("heal")
    .description("Put back what a killed run has left changed; exit code 0, or 4 if it could not.")
    .option("--undo-log <file>", "the undo log to work from (default: your own)")
    .option("--dry-run", "say what would be put back, change nothing")
    .option("--verify-clean", "then look again: exit code 4 if any change or lease is left")
    .option("--json", "print one JSON document")
    .addHelpText("after", EXAMPLES);
  return withPlace(command).action(async (flags: HealFlags) => {
    const { path, heal } = await sourceOf(flags);
    const dryRun = flags.dryRun === true;
    const first = await heal(dryRun);
    const report = flags.verifyClean === true ? lookedAgain(first, await heal(true)) : first;
    context.out(flags.json === true ? asJson(path, report) : asText(path, report));
    if (!dryRun) {
      const clock = systemClock();
      const by = { purpose: "restore", profile: flags.profile } as const;
      await tellLeft(report.healed, {
        clock,
        connect: (record) => connectTo(record, { ...by, runId: record.run }, clock),
        others: toldIn(flags),
        warn: (text) => context.err(`warning: ${text}\n`),
      });
    }
    context.exit(report.clean ? EXIT.pass : EXIT.undoNotVerified);
  });
}

function toldIn({ scenario, env = "", base }: HealFlags): NotifySpec[] {
  if (scenario === undefined) return [];
  return readNotify(scenario, env, agreedText(scenario, base, process.env));
}

interface HealSource {
  /** What is healed from, for messages. */
  readonly path: string;
  heal(dryRun: boolean): Promise<HealReport>;
}

async function sourceOf(flags: HealFlags): Promise<HealSource> {
  if (!namesPlace(flags)) {
    const path = flags.undoLog === undefined ? undoLogPath(process.env) : named(flags.undoLog);
    return { path, heal: (dryRun) => healFrom(path, flags.profile, dryRun) };
  }
  if (flags.undoLog !== undefined) {
    throw new GatecrashError("usage", "heal from an undo log or from an account, not from both");
  }
  const place = await namedPlace(flags, "restore", systemClock());
  const { endpoint, account } = place.place;
  const path = `account ${account}${endpoint === AWS_ENDPOINT ? "" : ` at ${endpoint}`}`;
  const heal = (dryRun: boolean) => healAccount({ ...place, undoUs: HEAL_UNDO_US, dryRun, isGone });
  return { path, heal };
}

/** Whatever a second look would still do is not clean, also what somebody else has changed. */
function lookedAgain(first: HealReport, second: HealReport): HealReport {
  const left = second.healed.filter(({ record }) =>
    first.healed.every((each) => each.record.id !== record.id || each.outcome === "would"),
  );
  const clean = first.clean && second.clean && second.healed.length === 0;
  return { ...first, healed: [...first.healed, ...left], clean };
}

/** A name with a slip of the pen must not pass for a log without open records. */
function named(file: string): string {
  const hint = `your own is ${undoLogPath(process.env)}`;
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) {
    throw new GatecrashError("usage", `--undo-log ${file}: no such file`, { hint });
  }
  if (!stat.isFile() || !/^(\{|$)/.test(readFileSync(file, "utf8"))) {
    throw new GatecrashError("usage", `--undo-log ${file}: this is no undo log`, { hint });
  }
  return resolve(file);
}

function healFrom(path: string, profile: string | undefined, dryRun: boolean): Promise<HealReport> {
  const clock = systemClock();
  return heal({
    undoLog: createUndoLog({ file: undoFile(path), clock, alive: ownerAlive }),
    clock,
    connect: (record) => {
      return connectTo(record, { purpose: "restore", profile, runId: record.run }, clock);
    },
    owner: (record) => lifeOf(record.owner),
    localGone: (record) => record.local !== null && lifeOf(record.local) === "ended",
    stopLocal,
    undoUs: HEAL_UNDO_US,
    dryRun,
  });
}

async function stopLocal(endpoint: string): Promise<void> {
  const signal = AbortSignal.timeout(STOP_TIMEOUT_MS);
  const answer = await fetch(new URL("/_local/stop", endpoint), { method: "POST", signal });
  await answer.arrayBuffer();
}

function asText(path: string, report: HealReport): string {
  const { healed, stopped, torn, unclear } = report;
  const lines = healed.map(({ line }) => line);
  if (torn > 0) lines.push(`unfinished lines in the undo log, never acted upon: ${torn}`);
  for (const endpoint of stopped) lines.push(`local AWS at ${endpoint} was stopped`);
  lines.push(...unclear);
  if (healed.length === 0) lines.push(`nothing to heal: no open record in ${path}`);
  else if (healed.some(needsPerson)) lines.push(summary(healed));
  return `${lines.join("\n")}\n`;
}

const needsPerson = ({ outcome }: Healed): boolean => ["drift", "failed", "busy"].includes(outcome);

function summary(healed: readonly Healed[]): string {
  const left = healed.filter(needsPerson);
  return `${left.length} of ${healed.length} need a person`;
}

function asJson(path: string, { healed, stopped, torn, unclear, clean }: HealReport): string {
  const records = healed.map(({ record: { run, fault, resource }, outcome, line, command }) => {
    return { run, fault, resource, outcome, line, command };
  });
  return `${JSON.stringify({ undo_log: path, clean, records, stopped, torn, unclear }, null, 2)}\n`;
}
