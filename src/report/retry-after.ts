// What answers asked their clients to wait (`Retry-After`), by who asked, and whether they waited.
import { formatMs, formatNumber } from "../core/format.ts";
import { OUTCOMES, outcomeCode, REFUSERS } from "../core/outcome.ts";
import type { AttemptChunk } from "./attempt-chunk.ts";
import { ExactValues } from "./exact-values.ts";

const THROTTLED = outcomeCode("throttled");
const US_PER_MS = 1_000;
/** More than there are: they only keep numbers apart. */
const ARMS_MAX = 64;
const ATTEMPTS_MAX = 65_536;

/** Of one refuser (`lambda`, `gateway`) or one status (`status 503`). */
export interface RetryAfterRow {
  readonly by: string;
  /** Attempts that ended so, and those of them that said how long to wait. */
  readonly attempts: number;
  readonly said: number;
  readonly min_ms: number;
  readonly p50_ms: number;
  readonly max_ms: number;
}

export interface RetryAfterResult {
  readonly rows: readonly RetryAfterRow[];
  /** Resends of attempts that were asked to wait: those that did, and those that came sooner. */
  readonly waited: number;
  readonly sooner: number;
}

interface Row {
  attempts: number;
  readonly values: ExactValues;
}

export class RetryAfters {
  readonly #rows = new Map<string, Row>();
  /** By load and arm, then by attempt: until when it was asked to wait; when it was sent. */
  readonly #until = new Map<number, Map<number, number>>();
  readonly #sent = new Map<number, Map<number, number>>();

  /** `waits`: ms by row, −1 = the answer did not say. */
  add(chunk: AttemptChunk, waits: Int32Array, statuses: Int32Array, index: Int32Array): void {
    const { load, arm, attempt, outcome, doneUs, sentUs } = chunk;
    for (let row = 0; row < chunk.rows; row++) {
      const waitMs = waits[row]!;
      const number = attempt[row]!;
      const isGood = OUTCOMES[outcome[row]!] === "ok";
      if (isGood && number < 2 && waitMs < 0) continue;
      const table = load[row]! * ARMS_MAX + arm[row]!;
      const arrival = index[row]! * ATTEMPTS_MAX;
      if (number > 1 && sentUs[row]! >= 0) put(this.#sent, table, arrival + number, sentUs[row]!);
      if (statuses[row]! <= 0 || (isGood && waitMs < 0)) continue;
      const isThrottle = outcome[row] === THROTTLED;
      const by = isThrottle ? REFUSERS[chunk.refusedBy[row]!]! : `status ${statuses[row]}`;
      const found = this.#rows.get(by) ?? { attempts: 0, values: new ExactValues() };
      this.#rows.set(by, found);
      found.attempts++;
      if (waitMs < 0) continue;
      found.values.add(waitMs);
      put(this.#until, table, arrival + number + 1, doneUs[row]! + waitMs * US_PER_MS);
    }
  }

  /** Null where nothing said how long to wait. */
  result(): RetryAfterResult | null {
    const rows = [...this.#rows]
      .filter(([, { values }]) => values.n > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([by, { attempts, values }]) => ({
        ...{ by, attempts, said: values.n, min_ms: values.atRank(1) },
        ...{ p50_ms: values.quantile(0.5), max_ms: values.max() },
      }));
    if (rows.length === 0) return null;
    let [waited, sooner] = [0, 0];
    for (const [table, untils] of this.#until)
      for (const [attempt, untilUs] of untils) {
        const sentUs = this.#sent.get(table)?.get(attempt);
        if (sentUs === undefined) continue;
        if (sentUs < untilUs) sooner++;
        else waited++;
      }
    return { rows, waited, sooner };
  }
}

function put(into: Map<number, Map<number, number>>, table: number, at: number, us: number): void {
  const found = into.get(table) ?? new Map<number, number>();
  into.set(table, found.set(at, us));
}

/** `Retry-After in 40 of 120 by lambda (1,000–3,000 ms, p50 2,000); …`. */
export function retryAfterText({ rows, waited, sooner }: RetryAfterResult): string {
  const each = rows.map(({ by, attempts, said, ...row }) => {
    const [min, p50, max] = [row.min_ms, row.p50_ms, row.max_ms].map((ms) => {
      return formatMs(ms * US_PER_MS);
    });
    const spread = min === max ? `${min} ms` : `${min}–${max} ms, p50 ${p50}`;
    return `${formatNumber(said)} of ${formatNumber(attempts)} by ${by} (${spread})`;
  });
  const resends = waited + sooner;
  const early =
    resends === 0
      ? ""
      : `; ${formatNumber(sooner)} of ${formatNumber(resends)} resends came sooner`;
  return `Retry-After in ${each.join(", ")}${early}`;
}
