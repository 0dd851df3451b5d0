// The command line: lists the commands, turns what they throw into one clear error and an exit
// code.
import { Command, CommanderError, Help, type Option } from "commander";
import { AwsFailure } from "../core/change.ts";
import { GatecrashError, isOfTheMachine, messageOf } from "../core/error.ts";
import { EXIT, type ExitCode, exitOfSignal } from "../core/exit.ts";
import { abortCommand } from "./abort.ts";
import { bootstrapCommand } from "./bootstrap.ts";
import { certifyCommand } from "./certify.ts";
import { compareCommand } from "./compare.ts";
import type { CommandContext } from "./context.ts";
import { healCommand } from "./heal.ts";
import { importCommand } from "./import.ts";
import { initCommand } from "./init.ts";
import { lintCommand } from "./lint.ts";
import { loadCommand } from "./load.ts";
import { localCommand } from "./local.ts";
import { planCommand } from "./plan.ts";
import { reportCommand } from "./report.ts";
import { runCommand } from "./run.ts";
import { statusCommand } from "./status.ts";
import { overRewrittenLine } from "./terminal.ts";
import { verifyCommand } from "./verify.ts";
import { VERSION } from "./version.ts";

/** Where a command writes: the process's own streams, or a test's. */
export interface Streams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/**
 * Runs one command line (without `node` and the script); resolves to the exit code, never rejects.
 */
export async function main(
  argv: readonly string[],
  signal: AbortSignal,
  { stdout, stderr }: Streams = process,
): Promise<ExitCode> {
  let code = EXIT.pass as ExitCode;
  const context: CommandContext = {
    signal,
    out: (text) => stdout.write(text),
    err: overRewrittenLine((text) => stderr.write(text)),
    exit: (wanted) => {
      code = wanted;
    },
  };
  try {
    await program(context).parseAsync([...argv], { from: "user" });
    return code;
  } catch (thrown) {
    // Ended by a signal before anything was sent; later trouble is told as at any other time.
    const isEnded = signal.aborted && isAbort(thrown, signal);
    const last = isEnded ? exitOfSignal(String(signal.reason)) : explain(thrown, context);
    // What an earlier run of several has left changed is not forgotten over a later one's trouble.
    return code === EXIT.undoNotVerified ? code : last;
  }
}

function program(context: CommandContext): Command {
  const root = new Command("gatecrash")
    .description(
      "Load tests and chaos experiments for deployed serverless endpoints, with a verdict.",
    )
    .version(VERSION)
    .exitOverride()
    .configureHelp({ optionDescription })
    .configureOutput({ writeOut: context.out, writeErr: context.err })
    .showHelpAfterError("(gatecrash --help lists the commands)");
  const commands = [
    initCommand,
    runCommand,
    planCommand,
    lintCommand,
    reportCommand,
    compareCommand,
    verifyCommand,
    loadCommand,
    healCommand,
    statusCommand,
    abortCommand,
    importCommand,
    localCommand,
    bootstrapCommand,
    certifyCommand,
  ];
  for (const make of commands) {
    root.addCommand(make(context).copyInheritedSettings(root));
  }
  return root;
}

/** An empty list or record is no default that helps anybody. */
const optionDescription = (option: Option): string =>
  typeof option.defaultValue === "object"
    ? option.description
    : new Help().optionDescription(option);

function isAbort(thrown: unknown, { reason }: AbortSignal): boolean {
  return thrown === reason || (thrown instanceof Error && thrown.name === "AbortError");
}

/** One error or several, each with its place and hint; our own bugs with their stack. */
function explain(thrown: unknown, context: CommandContext): ExitCode {
  if (thrown instanceof CommanderError) {
    return thrown.exitCode === 0 ? EXIT.pass : EXIT.usage;
  }
  const all: unknown[] = thrown instanceof AggregateError ? thrown.errors.flatMap(each) : [thrown];
  let ours = all.length === 0;
  for (const one of all) {
    if (one instanceof GatecrashError) context.err(`error: ${one.render()}\n`);
    else if (one instanceof AwsFailure) context.err(`error: ${refused(one).render()}\n`);
    else if (isOfTheMachine(one)) context.err(`error: on this machine: ${messageOf(one)}\n`);
    else {
      const text = one instanceof Error ? (one.stack ?? one.message) : messageOf(one);
      context.err(`internal error, please report it: ${text}\n`);
      ours = true;
    }
  }
  const left = all.some((one) => one instanceof GatecrashError && one.code === "undo");
  return left ? EXIT.undoNotVerified : ours ? EXIT.bug : EXIT.usage;
}

/** Whatever AWS was asked for: that it does not answer, or not to us, is no bug of ours. */
function refused({ name, message, status, hint: known }: AwsFailure): GatecrashError {
  const guess =
    status === 401 || status === 403 || /AccessDenied|Unauthorized/.test(name)
      ? "gatecrash plan <scenario> --env <name> --iam prints the rights that it takes"
      : "try again; if it stays so, look at the account and the way to it";
  return new GatecrashError("aws", `AWS did not do what it was asked: ${name}: ${message}`, {
    hint: known ?? guess,
  });
}

/** Several errors may hold several in turn. */
const each = (error: unknown): unknown[] =>
  error instanceof AggregateError ? error.errors.flatMap(each) : [error];
