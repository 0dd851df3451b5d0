// What has been read of the platform so far: rows by event, timeout notes, the joined share.
import type { PlatformRow } from "../core/facts.ts";
import { requestKey } from "../core/ids.ts";
import { parseAccessLine } from "./access-log.ts";
import type { LogEvent } from "./log-events.ts";
import { parseReportEvent } from "./report-line.ts";

/** Lambda refused: there will never be a REPORT. */
const REFUSED = 429;

export class PlatformLog {
  readonly #seen = new Set<string>();
  readonly #rows: PlatformRow[] = [];
  readonly #timedOut = new Set<string>();
  /** Hex keys: request ids with a REPORT, and access rows by the front's request id. */
  readonly #reported = new Set<string>();
  readonly #access = new Map<string, PlatformRow>();
  events = 0;
  malformed = 0;

  get size(): number {
    return this.#seen.size;
  }

  report(event: LogEvent, functionArn: string): void {
    if (!this.#isNew(event)) return;
    const place = { function: functionArn, stream: event.stream, atMs: event.atMs };
    const parsed = parseReportEvent(event.message, place);
    if (parsed.kind === "malformed") this.malformed++;
    if (parsed.kind === "timeout") this.#timedOut.add(parsed.requestId);
    if (parsed.kind !== "row") return;
    this.#rows.push(parsed.row);
    const { kind, request_id } = parsed.row;
    if (kind === "report" && request_id !== null) this.#reported.add(keyOf(request_id));
  }

  access(event: LogEvent): void {
    if (!this.#isNew(event)) return;
    const place = { function: null, stream: event.stream, atMs: event.atMs };
    const row = parseAccessLine(event.message, place);
    if (row === null) {
      this.malformed++;
      return;
    }
    this.#rows.push(row);
    if (row.front_request_id !== null) this.#access.set(keyOf(row.front_request_id), row);
  }

  #isNew(event: LogEvent): boolean {
    this.events++;
    if (this.#seen.has(event.id)) return false;
    this.#seen.add(event.id);
    return true;
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

  /** Ordered by time; reports of old runtimes get the timeout that a line of its own told of. */
  rows(): PlatformRow[] {
    return this.#rows
      .map((row) =>
        row.status === null && row.request_id !== null && this.#timedOut.has(row.request_id)
          ? { ...row, status: "timeout" }
          : row,
      )
      .sort((a, b) => a.at - b.at);
  }
}

const keyOf = (id: string): string => Buffer.from(requestKey(id)).toString("hex");
