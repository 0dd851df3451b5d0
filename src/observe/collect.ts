// Collects what the platform says of a run, REPORT and access-log lines, until all are there.
import { AwsFailure, type ControlPlane } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import type { PlatformRow } from "../core/facts.ts";
import { type Clock, runUs } from "../core/time.ts";
import { logEvents } from "./log-events.ts";
import { PlatformLog } from "./platform-log.ts";

export interface CollectInput {
  readonly control: ControlPlane;
  /** ARNs, qualified or not. */
  readonly functions: readonly string[];
  readonly accessLogGroup: string | null;
  /** Wall time, ms since 1970: from the start of the run to the end of its last attempt. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Longest time to wait for lines that are still on their way. */
  readonly waitUs: number;
  readonly clock: Clock;
  /** Hex of `requestKey` of every request id the load was answered with; ends the wait early. */
  readonly expected?: ReadonlySet<string>;
  /** Nothing new for so long is the end; default 2 s, on AWS rather 30 s. */
  readonly quietUs?: number;
  readonly signal?: AbortSignal;
  /** Takes rows of long runs as they are read, so that memory stays flat; `rows` has the rest. */
  readonly onRows?: (rows: readonly PlatformRow[]) => Promise<void>;
  readonly onProgress?: (progress: CollectProgress) => void;
}

interface CollectProgress {
  readonly round: number;
  readonly rows: number;
  readonly joined: number | null;
  readonly expected: number | null;
}

export interface Collected {
  /** All that `onRows` did not get. */
  readonly rows: readonly PlatformRow[];
  /** Events read, repeats included; lines that began like the platform's and were broken. */
  readonly events: number;
  readonly malformed: number;
  /** Of `expected`: how many have a REPORT or are known to be refused. Null without `expected`. */
  readonly joined: number | null;
  /** Why it ended: everything is there, nothing new came, or the wait was over. */
  readonly end: "joined" | "quiet" | "waited";
}

const QUIET_US = 2_000_000;
const PAUSE_FIRST_US = 250_000;
const PAUSE_MAX_US = 10_000_000;
/** Events may appear late with an earlier stamp; later rounds reach back this far. */
const OVERLAP_MS = 120_000;

/** The lines Lambda writes about an invocation; everything else stays in the log group. */
const REPORT_PATTERN = [
  "REPORT RequestId:",
  "INIT_REPORT",
  "RESTORE_REPORT",
  "platform.report",
  "platform.initReport",
  "platform.restoreReport",
  "Task timed out after",
]
  .map((phrase) => `?"${phrase}"`)
  .join(" ");

/** @throws GatecrashError `aws` when the logs may not be read at all. */
export async function collectPlatform(input: CollectInput): Promise<Collected> {
  const { clock, expected } = input;
  const log = new PlatformLog(expected !== undefined);
  const groups = await groupsOf(input);
  const deadlineUs = clock.nowUs() + input.waitUs;
  const quietUs = input.quietUs ?? QUIET_US;
  let lastNewUs: number = clock.nowUs();
  let pauseUs = PAUSE_FIRST_US;
  for (let round = 1; ; round++) {
    const before = log.size;
    const refused = await readAll(input, groups, log);
    const nowUs = clock.nowUs();
    if (log.size > before || refused) lastNewUs = nowUs;
    const joined = expected === undefined ? null : log.joined(expected);
    const progress = { round, rows: log.size, joined, expected: expected?.size ?? null };
    input.onProgress?.(progress);
    const end = endOf(progress, nowUs - lastNewUs >= quietUs, nowUs >= deadlineUs);
    if (end !== null) {
      const { events, malformed } = log;
      return { rows: log.rows(), events, malformed, joined, end };
    }
    const quietAtUs = Math.max(lastNewUs + quietUs, nowUs + PAUSE_FIRST_US);
    const nextUs = Math.min(deadlineUs, quietAtUs, nowUs + pauseUs);
    await clock.sleepUntil(runUs(nextUs), input.signal);
    pauseUs = Math.min(PAUSE_MAX_US, pauseUs * 2);
  }
}

function endOf(
  progress: CollectProgress,
  quiet: boolean,
  waited: boolean,
): Collected["end"] | null {
  const { joined, expected, rows } = progress;
  if (joined !== null && expected !== null && expected > 0 && joined >= expected) return "joined";
  // An empty answer says nothing: log lines take seconds to appear.
  if (quiet && (rows > 0 || expected === 0)) return "quiet";
  return waited ? "waited" : null;
}

interface Group {
  readonly name: string;
  /** Null for the access log. */
  readonly functionArn: string | null;
  latestMs: number;
}

async function groupsOf({ control, functions, accessLogGroup }: CollectInput): Promise<Group[]> {
  const arns = [...new Set(functions.map(unqualified))];
  const groups: Group[] = [];
  for (const functionArn of arns)
    groups.push({ name: await logGroupOf(control, functionArn), functionArn, latestMs: 0 });
  if (accessLogGroup !== null)
    groups.push({ name: groupName(accessLogGroup), functionArn: null, latestMs: 0 });
  return groups;
}

/** True when AWS refused a read for its rate: the round is incomplete and not the last. */
async function readAll(input: CollectInput, groups: Group[], log: PlatformLog): Promise<boolean> {
  let refused = false;
  for (const group of groups) {
    const fromMs = Math.max(input.fromMs, group.latestMs - OVERLAP_MS);
    const pattern = group.functionArn === null ? null : REPORT_PATTERN;
    const query = { group: group.name, fromMs, toMs: input.toMs, pattern };
    try {
      // Pages come in order of time, so one that was refused is asked for again from there.
      for await (const events of logEvents(input.control, query)) {
        for (const event of events) {
          if (group.functionArn === null) log.access(event);
          else log.report(event, group.functionArn);
          group.latestMs = Math.max(group.latestMs, event.atMs);
        }
        const old = log.takeBefore(group.functionArn, oldBefore(input, group));
        if (old.length > 0) await input.onRows?.(old);
      }
    } catch (thrown) {
      if (!isThrottle(thrown)) throw asError(thrown, group.name);
      refused = true;
    }
  }
  return refused;
}

/** What is older lies before whatever is read again; without a taker nothing ever is. */
function oldBefore({ onRows }: CollectInput, { latestMs }: Group): number {
  return onRows === undefined ? Number.NEGATIVE_INFINITY : latestMs - OVERLAP_MS;
}

const isThrottle = (thrown: unknown): boolean =>
  thrown instanceof AwsFailure && /Throttl|TooManyRequests|LimitExceeded/.test(thrown.name);

function asError(thrown: unknown, group: string): unknown {
  if (!(thrown instanceof AwsFailure)) return thrown;
  return new GatecrashError("aws", `cannot read log group ${group}: ${thrown.name}`, {
    hint: "the identity for observing needs logs:FilterLogEvents on it",
    cause: thrown,
  });
}

/** A function may log to a group of its own; without the right to ask, the default is used. */
async function logGroupOf(control: ControlPlane, arn: string): Promise<string> {
  const input = { FunctionName: arn };
  const fallback = `/aws/lambda/${functionName(arn)}`;
  try {
    const output = await control.call("lambda", "GetFunctionConfiguration", input);
    const logging = output.LoggingConfig as { readonly LogGroup?: unknown } | undefined;
    return typeof logging?.LogGroup === "string" ? logging.LogGroup : fallback;
  } catch (thrown) {
    if (thrown instanceof AwsFailure) return fallback;
    throw thrown;
  }
}

/** `arn:aws:lambda:r:a:function:name:alias` → without the alias; a plain name stays. */
function unqualified(arn: string): string {
  return arn.startsWith("arn:") ? arn.split(":").slice(0, 7).join(":") : arn;
}

export function functionName(arn: string): string {
  return arn.startsWith("arn:") ? (arn.split(":")[6] ?? arn) : arn;
}

/** A log group's ARN, with or without `:*`, or its name. */
function groupName(group: string): string {
  return group.startsWith("arn:") ? (group.split(":")[6] ?? group) : group;
}
