// What has been read of the platform so far: rows by event, each once, and timeout notes.
import type { PlatformRow } from "../core/facts.ts";
import { parseAccessLine } from "./access-log.ts";
import type { JoinedShare } from "./joined-share.ts";
import type { LogEvent } from "./log-events.ts";
import { parseReportEvent } from "./report-line.ts";

/** Rows that are held before any of them is handed over. */
const HELD_ROWS = 65_536;

export class PlatformLog {
  /** By group (a function's ARN, "" = the access log): event ids and their times, oldest first. */
  readonly #seen = new Map<string, Map<string, number>>();
  #rows: PlatformRow[] = [];
  /** Rows that were too young to be handed over the last time. */
  #young = 0;
  readonly #timedOut = new Set<string>();
  readonly #share: JoinedShare | null;
  events = 0;
  malformed = 0;
  /** Different events so far. */
  size = 0;

  /** `share` is told of every row. */
  constructor(share: JoinedShare | null) {
    this.#share = share;
  }

  report(event: LogEvent, functionArn: string): void {
    if (!this.#isNew(event, functionArn)) return;
    const place = { function: functionArn, stream: event.stream, atMs: event.atMs };
    const parsed = parseReportEvent(event.message, place);
    if (parsed.kind === "malformed") this.malformed++;
    if (parsed.kind === "timeout") this.#timedOut.add(parsed.requestId);
    if (parsed.kind !== "row") return;
    this.#add(parsed.row);
  }

  access(event: LogEvent): void {
    if (!this.#isNew(event, "")) return;
    const place = { function: null, stream: event.stream, atMs: event.atMs };
    const row = parseAccessLine(event.message, place);
    if (row === null) {
      this.malformed++;
      return;
    }
    this.#add(row);
  }

  #add(row: PlatformRow): void {
    this.#rows.push(row);
    this.#share?.take(row);
  }

  #isNew({ id, atMs }: LogEvent, group: string): boolean {
    this.events++;
    const seen = this.#seen.get(group) ?? new Map<string, number>();
    this.#seen.set(group, seen);
    if (seen.has(id)) return false;
    seen.set(id, atMs);
    this.size++;
    return true;
  }

  /**
   * Rows of a group from before a moment that will not be read again, once there are many; they and
   * their events are forgotten. Memory then grows with the rate of lines, not with their number.
   */
  takeBefore(functionArn: string | null, beforeMs: number): PlatformRow[] {
    if (this.#rows.length < this.#young + HELD_ROWS) return [];
    const isOld = (row: PlatformRow) => row.function === functionArn && row.at < beforeMs;
    const old = this.#rows.filter(isOld);
    this.#rows = this.#rows.filter((row) => !isOld(row));
    this.#young = this.#rows.length;
    const seen = this.#seen.get(functionArn ?? "");
    for (const [id, atMs] of seen ?? []) if (atMs < beforeMs) seen?.delete(id);
    return this.#finished(old);
  }

  /** What was not handed over. */
  rows(): PlatformRow[] {
    return this.#finished(this.#rows);
  }

  /** Ordered by time; reports of old runtimes get the timeout that a line of its own told of. */
  #finished(rows: readonly PlatformRow[]): PlatformRow[] {
    return rows
      .map((row) =>
        row.status === null && row.request_id !== null && this.#timedOut.has(row.request_id)
          ? { ...row, status: "timeout" }
          : row,
      )
      .sort((a, b) => a.at - b.at);
  }
}
