// Entry of local AWS's own process: one JSON line when ready, then it serves until told to stop.
import { parseArgs } from "node:util";
import { GatecrashError, messageOf } from "../core/error.ts";
import { EXIT } from "../core/exit.ts";
import { DEFAULTS, type LocalAwsOptions } from "./options.ts";
import { startLocalAws } from "./start.ts";

/** Time for the starter to read the line about an error. */
const LINE_READ_MS = 100;
const IDLE_EXIT_MS = 600_000;
const LOOK_MS = 1_000;

const FLAGS = {
  template: { type: "string" },
  port: { type: "string", default: String(DEFAULTS.port) },
  scale: { type: "string", default: String(DEFAULTS.scale) },
  concurrency: { type: "string", default: String(DEFAULTS.concurrency) },
  "unreserved-minimum": { type: "string", default: String(DEFAULTS.unreservedMinimum) },
  "scaling-bucket": { type: "string", default: String(DEFAULTS.scalingBucket) },
  account: { type: "string", default: DEFAULTS.account },
  region: { type: "string", default: DEFAULTS.region },
  roles: { type: "string" },
  "logs-account": { type: "string" },
  "logs-groups": { type: "string" },
  "logs-roles": { type: "string" },
  "idle-exit-ms": { type: "string", default: String(IDLE_EXIT_MS) },
  // Process id. Once it is gone and nothing was changed, nobody has anything to put back here.
  starter: { type: "string" },
} as const;

interface Ends {
  readonly idleExitMs: number;
  /** Null: nobody's end is ours. */
  readonly starter: number | null;
}

function optionsOf(args: string[]): LocalAwsOptions & Ends {
  const { values } = parseFlags(args);
  const number = (flag: keyof typeof FLAGS): number => {
    const value = Number(values[flag]);
    if (Number.isFinite(value) && value >= 0) return value;
    throw new GatecrashError("usage", `--${flag} takes a number, not ${String(values[flag])}`);
  };
  if (values.template === undefined)
    throw new GatecrashError("usage", "--template is missing", {
      hint: "--template template.yaml",
    });
  if (!/^\d{12}$/.test(values.account))
    throw new GatecrashError("usage", "--account takes twelve digits");
  return {
    template: values.template,
    port: number("port"),
    scale: number("scale"),
    concurrency: number("concurrency"),
    unreservedMinimum: number("unreserved-minimum"),
    scalingBucket: number("scaling-bucket"),
    account: values.account,
    region: values.region,
    ...(values.roles === undefined ? {} : { roles: values.roles }),
    ...logsOf(values),
    idleExitMs: number("idle-exit-ms"),
    starter: values.starter === undefined ? null : number("starter"),
  };
}

function logsOf(
  values: {
    readonly [flag in "logs-account" | "logs-groups" | "logs-roles"]?: string | undefined;
  },
): Partial<LocalAwsOptions> {
  const { "logs-account": logsAccount, "logs-groups": logsGroups } = values;
  const { "logs-roles": logsRoles } = values;
  return {
    ...(logsAccount === undefined ? {} : { logsAccount }),
    ...(logsGroups === undefined ? {} : { logsGroups }),
    ...(logsRoles === undefined ? {} : { logsRoles }),
  };
}

function parseFlags(args: string[]) {
  try {
    return parseArgs({ args, options: FLAGS, strict: true });
  } catch (thrown) {
    throw new GatecrashError("usage", messageOf(thrown), { cause: thrown });
  }
}

async function main(): Promise<void> {
  const { idleExitMs, starter, ...options } = optionsOf(process.argv.slice(2));
  // Listened to before the first line: whoever has read it may send a signal at once.
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => resolve());
  });
  const local = await startLocalAws(options);
  const { endpoint, outputs } = local;
  // Whoever read the first line may be gone.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  process.stdout.write(`${JSON.stringify({ endpoint, pid: process.pid, outputs })}\n`);
  const everyMs = Math.min(LOOK_MS, Math.max(50, idleExitMs / 4));
  let alone = 0;
  const left = new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      // Twice: what the starter sent with its last breath has arrived by then.
      const orphaned = starter !== null && process.ppid !== starter;
      alone = orphaned && !local.changed() ? alone + 1 : 0;
      const isWatched = starter !== null && !orphaned;
      if (alone < 2 && (isWatched || local.idleMs() < idleExitMs)) return;
      clearInterval(timer);
      resolve();
    }, everyMs);
  });
  await Promise.race([left, signalled, local.stopAsked]);
  await local.stop();
  process.exit(EXIT.pass);
}

/** One JSON line for whoever started us, and the same for a person on standard error. */
function fail(thrown: unknown): void {
  const known = thrown instanceof GatecrashError ? thrown : undefined;
  const { file, line } = known?.place ?? {};
  // The stack of a bug is for its report; an operator's error needs none.
  const stack = known === undefined && thrown instanceof Error ? thrown.stack : undefined;
  const error = { message: messageOf(thrown), file, line, hint: known?.hint, stack };
  const code = known === undefined ? EXIT.bug : EXIT.usage;
  // Whoever started us may notice the end before the line when both come at once.
  process.stdout.write(`${JSON.stringify({ error })}\n`, () => {
    setTimeout(() => process.exit(code), LINE_READ_MS);
  });
}

main().catch(fail);
