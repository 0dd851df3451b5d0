// What has been read of the platform so far: rows by event, timeout notes, the joined share.
import type { PlatformRow } from "../core/facts.ts";
import { requestKey } from "../core/ids.ts";
import { parseAccessLine } from "./access-log.ts";
import type { LogEvent } from "./log-events.ts";
import { parseReportEvent } from "./report-line.ts";

/** Lambda refused: there will never be a REPORT. */
const REFUSED = 429;

/** Rows that are held before any of them is handed over. */
const HELD_ROWS = 65_536;

export class PlatformLog {
  /** By group (a function's ARN, "" = the access log): event ids and their times, oldest first. */
  readonly #seen = new Map<string, Map<string, number>>();
  #rows: PlatformRow[] = [];
  /** Rows that were too young to be handed over the last time. */
  #young = 0;
  readonly #timedOut = new Set<string>();
  readonly #joins: boolean;
  /** Hex keys: request ids with a REPORT, and access rows by the front's request id. */
  readonly #reported = new Set<string>();
  readonly #access = new Map<string, PlatformRow>();
  events = 0;
  malformed = 0;
  /** Different events so far. */
  size = 0;

  /** Without `joins` nothing is remembered of a row that was handed over. */
  constructor(joins: boolean) {
    this.#joins = joins;
  }

  report(event: LogEvent, functionArn: string): void {
    if (!this.#isNew(event, functionArn)) return;
    const place = { function: functionArn, stream: event.stream, atMs: event.atMs };
    const parsed = parseReportEvent(event.message, place);
    if (parsed.kind === "malformed") this.malformed++;
    if (parsed.kind === "timeout") this.#timedOut.add(parsed.requestId);
    if (parsed.kind !== "row") return;
    this.#rows.push(parsed.row);
    const { kind, request_id } = parsed.row;
    if (this.#joins && kind === "report" && request_id !== null)
      this.#reported.add(keyOf(request_id));
  }

  access(event: LogEvent): void {
    if (!this.#isNew(event, "")) return;
    const place = { function: null, stream: event.stream, atMs: event.atMs };
    const row = parseAccessLine(event.message, place);
    if (row === null) {
      this.malformed++;
      return;
    }
    this.#rows.push(row);
    if (this.#joins && row.front_request_id !== null)
      this.#access.set(keyOf(row.front_request_id), row);
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

  /** Of these request ids (hex of their keys), those whose fate is known: a REPORT or a refusal. */
  joined(expected: ReadonlySet<string>): number {
    let count = 0;
    for (const key of expected) if (this.#isJoined(key)) count++;
    return count;
  }

  #isJoined(key: string): boolean {
    if (this.#reported.has(key)) return true;
    const access = this.#access.get(key);
    if (access === undefined) return false;
    if (access.request_id === null || access.integration_status === REFUSED) return true;
    return this.#reported.has(keyOf(access.request_id));
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

const keyOf = (id: string): string => Buffer.from(requestKey(id)).toString("hex");
