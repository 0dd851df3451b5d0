// How many answers have met their REPORT line: both come in order of time, and are then forgotten.

import type { PlatformRow } from "../core/facts.ts";
import { requestKey, requestKeyText } from "../core/ids.ts";

/** What the load was answered with, by moment. */
export interface Answers {
  /** Keys (requestKeyText) of the answers up to a moment that were not told of before. */
  until(wallMs: number): Promise<readonly string[]>;
}

/** Lambda refused: there will never be a REPORT. */
const REFUSED = 429;

const keyOf = (id: string): string => requestKeyText(requestKey(id));

/**
 * Answers are to be told of before the lines about them, access-log lines before REPORT lines.
 * Memory grows with the rate of both, as long as `forget` is called.
 */
export class JoinedShare {
  expected = 0;
  /** Those that have a REPORT or are known to be refused. */
  joined = 0;
  /** Keys without a REPORT yet, and REPORT keys that nobody waits for, with their moments in ms. */
  readonly #open = new Map<string, number>();
  readonly #reports = new Map<string, number>();

  expect(keys: readonly string[], atMs: number): void {
    for (const key of keys) {
      this.expected++;
      this.#await(key, atMs);
    }
  }

  take(row: PlatformRow): void {
    if (row.kind === "access") this.#access(row);
    if (row.kind !== "report") return;
    // Which of the two an answer was kept with is its load's affair.
    for (const id of [row.request_id, row.trace_id]) {
      if (id === null) continue;
      const key = keyOf(id);
      if (this.#open.delete(key)) this.joined++;
      else this.#reports.set(key, row.at);
    }
  }

  #access({ front_request_id, request_id, integration_status, at }: PlatformRow): void {
    if (front_request_id === null || !this.#open.delete(keyOf(front_request_id))) return;
    if (request_id === null || integration_status === REFUSED) this.joined++;
    else this.#await(keyOf(request_id), at);
  }

  #await(key: string, atMs: number): void {
    if (this.#reports.delete(key)) this.joined++;
    else this.#open.set(key, atMs);
  }

  /** What is older will not be read again: those answers stay without a REPORT. */
  forget(beforeMs: number): void {
    for (const waiting of [this.#open, this.#reports])
      for (const [key, atMs] of waiting) if (atMs < beforeMs) waiting.delete(key);
  }
}
