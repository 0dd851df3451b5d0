// Reads the log groups of a run in order of time, minute by minute where answers are to be joined.
import { AwsFailure, type ControlPlane } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import type { PlatformRow } from "../core/facts.ts";
import type { Answers, JoinedShare } from "./joined-share.ts";
import { logEvents } from "./log-events.ts";
import type { Group, LogReader } from "./log-groups.ts";
import type { PlatformLog } from "./platform-log.ts";

/** Events may appear late with an earlier stamp; later rounds reach back this far. */
const OVERLAP_MS = 120_000;
const STEP_MS = 60_000;
/** The platform's clock may be this much behind ours. */
const SKEW_MS = 10_000;

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

export interface ReadInput {
  /** Says where functions log to. */
  readonly control: ControlPlane;
  readonly logs: LogReader;
  /** Wall time, ms since 1970: from the start of the run to the end of its last attempt. */
  readonly fromMs: number;
  readonly toMs: number;
  /** What is to be joined; once all of it is, nothing more is waited for. */
  readonly answers?: Answers;
  /** Takes rows of long runs as they are read, so that memory stays flat. */
  readonly onRows?: (rows: readonly PlatformRow[]) => Promise<void>;
}

/** Reads all groups from the start of the run to its end, then again and again what is young. */
export class PlatformReader {
  readonly #input: ReadInput;
  readonly #groups: readonly Group[];
  readonly #log: PlatformLog;
  readonly #share: JoinedShare | null;
  /** Everything before was read once; minutes are the steps where answers are joined. */
  #readMs: number;

  constructor(
    input: ReadInput,
    groups: readonly Group[],
    { log, share }: { readonly log: PlatformLog; readonly share: JoinedShare | null },
  ) {
    this.#input = input;
    this.#groups = groups;
    this.#log = log;
    this.#share = share;
    this.#readMs = input.fromMs;
  }

  get atEnd(): boolean {
    return this.#readMs >= this.#input.toMs;
  }

  /** True when AWS refused a read for its rate: the next round goes on from there. */
  async round(): Promise<boolean> {
    const { toMs, answers } = this.#input;
    do {
      const endMs = answers === undefined ? toMs : Math.min(toMs, this.#readMs + STEP_MS);
      await this.#expect(endMs);
      for (const group of this.#groups) if (!(await this.#read(group, endMs))) return true;
      this.#readMs = endMs;
      this.#share?.forget(endMs - OVERLAP_MS);
    } while (!this.atEnd);
    return false;
  }

  async #expect(endMs: number): Promise<void> {
    const { answers, toMs } = this.#input;
    const untilMs = endMs >= toMs ? Number.POSITIVE_INFINITY : endMs + SKEW_MS;
    if (answers !== undefined) this.#share?.expect(await answers.until(untilMs), endMs);
  }

  /** False when AWS refused. */
  async #read(group: Group, endMs: number): Promise<boolean> {
    const { control } = this.#input.logs;
    const log = this.#log;
    const startMs = this.atEnd ? this.#input.fromMs : this.#readMs;
    const fromMs = Math.max(startMs, group.latestMs - OVERLAP_MS);
    const pattern = group.functionArn === null ? null : REPORT_PATTERN;
    const query = { group: group.name, fromMs, toMs: endMs, pattern };
    try {
      // Pages come in order of time, so one that was refused is asked for again from there.
      for await (const events of logEvents(control, query)) {
        for (const event of events) {
          if (group.functionArn === null) log.access(event);
          else log.report(event, group.functionArn);
          group.latestMs = Math.max(group.latestMs, event.atMs);
        }
        const old = log.takeBefore(group.functionArn, this.#oldBefore(group));
        if (old.length > 0) await this.#input.onRows?.(old);
      }
      return true;
    } catch (thrown) {
      if (!isThrottle(thrown)) throw this.#asError(thrown, group.name);
      return false;
    }
  }

  #asError(thrown: unknown, group: string): unknown {
    if (!(thrown instanceof AwsFailure)) return thrown;
    const { elsewhere } = this.#input.logs;
    const who = elsewhere === null ? "observing" : `logs, of account ${elsewhere.account},`;
    return new GatecrashError("aws", `cannot read log group ${group}: ${thrown.name}`, {
      hint: `the identity for ${who} needs logs:FilterLogEvents on it`,
      cause: thrown,
    });
  }

  /** What is older lies before whatever is read again; without a taker nothing ever is. */
  #oldBefore({ latestMs }: Group): number {
    return this.#input.onRows === undefined ? Number.NEGATIVE_INFINITY : latestMs - OVERLAP_MS;
  }
}

const isThrottle = (thrown: unknown): boolean =>
  thrown instanceof AwsFailure && /Throttl|TooManyRequests|LimitExceeded/.test(thrown.name);
