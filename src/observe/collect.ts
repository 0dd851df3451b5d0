// Collects what the platform says of a run, REPORT and access-log lines, until all are there.
import type { PlatformRow } from "../core/facts.ts";
import { type Clock, runUs } from "../core/time.ts";
import { JoinedShare } from "./joined-share.ts";
import { groupsOf } from "./log-groups.ts";
import { PlatformLog } from "./platform-log.ts";
import { PlatformReader, type ReadInput } from "./platform-reader.ts";

/** What `onRows` takes is not in `rows` again. */
export interface CollectInput extends ReadInput {
  /** ARNs, qualified or not. */
  readonly functions: readonly string[];
  readonly accessLogGroup: string | null;
  /** Longest time to wait for lines that are still on their way. */
  readonly waitUs: number;
  readonly clock: Clock;
  /** Nothing new for so long is the end; default 2 s, on AWS rather 30 s. */
  readonly quietUs?: number;
  /** Ends the waiting: one look more. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: CollectProgress) => void;
}

interface CollectProgress {
  readonly round: number;
  readonly rows: number;
  /** Null without `answers`. */
  readonly joined: number | null;
  readonly expected: number | null;
}

export interface Collected {
  /** All that `onRows` did not get. */
  readonly rows: readonly PlatformRow[];
  /** Events read, repeats included; lines that began like the platform's and were broken. */
  readonly events: number;
  readonly malformed: number;
  /** Answers to be joined, and those that have a REPORT or are known to be refused. */
  readonly expected: number | null;
  readonly joined: number | null;
  /** Why it ended: everything is there, nothing new came, or the wait was over. */
  readonly end: "joined" | "quiet" | "waited";
}

const QUIET_US = 2_000_000;
const PAUSE_FIRST_US = 250_000;
const PAUSE_MAX_US = 10_000_000;

/** @throws GatecrashError `aws` when the logs may not be read at all. */
export async function collectPlatform(input: CollectInput): Promise<Collected> {
  const { clock } = input;
  const share = input.answers === undefined ? null : new JoinedShare();
  const log = new PlatformLog(share);
  const { control, functions, accessLogGroup, logs } = input;
  const groups = await groupsOf(control, functions, accessLogGroup, logs.elsewhere);
  const reader = new PlatformReader(input, groups, { log, share });
  const deadlineUs = clock.nowUs() + input.waitUs;
  const quietUs = input.quietUs ?? QUIET_US;
  let lastNewUs: number = clock.nowUs();
  let pauseUs = PAUSE_FIRST_US;
  for (let round = 1; ; round++) {
    const before = log.size;
    const refused = await reader.round();
    const nowUs = clock.nowUs();
    if (log.size > before || refused) lastNewUs = nowUs;
    const { joined, expected } = share ?? { joined: null, expected: null };
    const progress = { round, rows: log.size, joined, expected };
    input.onProgress?.(progress);
    const quiet = !refused && nowUs - lastNewUs >= quietUs;
    const isOver = nowUs >= deadlineUs || input.signal?.aborted === true;
    const end = endOf(progress, reader.atEnd, quiet, isOver);
    if (end !== null) {
      const { events, malformed } = log;
      return { rows: log.rows(), events, malformed, joined, expected, end };
    }
    const quietAtUs = Math.max(lastNewUs + quietUs, nowUs + PAUSE_FIRST_US);
    const nextUs = Math.min(deadlineUs, quietAtUs, nowUs + pauseUs);
    await clock.sleepUntil(runUs(nextUs), input.signal).catch(() => {}); // one last look
    pauseUs = Math.min(PAUSE_MAX_US, pauseUs * 2);
  }
}

function endOf(
  { joined, expected, rows }: CollectProgress,
  atEnd: boolean,
  quiet: boolean,
  waited: boolean,
): Collected["end"] | null {
  if (atEnd && joined !== null && expected !== null && expected > 0 && joined >= expected)
    return "joined";
  // An empty answer says nothing: log lines take seconds to appear.
  if (quiet && (rows > 0 || expected === 0)) return "quiet";
  return waited ? "waited" : null;
}
