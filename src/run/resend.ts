// The load's own resends: when one is ready, and the queue of those that wait.
import type { Arrival } from "../core/arrival.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Rng } from "../core/rng.ts";
import type { Resend } from "../core/scenario.ts";
import { US_PER_MS } from "../core/time.ts";

/** An arrival that is to be sent again. */
export interface Waiting {
  readonly arrival: Arrival;
  /** The attempt that will be made: 2 is the first resend. */
  readonly attempt: number;
  readonly readyUs: number;
  /** How the previous attempt ended: the arrival's outcome if this one is never made. */
  readonly last: { readonly outcome: Outcome; readonly degraded: boolean; readonly doneUs: number };
}

export function isResent(policy: Resend | null, attempt: number, outcome: Outcome): boolean {
  if (policy === null || attempt >= policy.attempts) return false;
  return (policy.on as readonly Outcome[]).includes(outcome);
}

/**
 * Wait before attempt `attempt + 1`: backoff × 2^(attempt − 1), at most `maxUs`; with full jitter
 * uniform below that. Drawn by index and attempt: the order of the replies changes nothing.
 */
export function backoffUs(policy: Resend, rng: Rng, index: number, attempt: number): number {
  const ceilingUs = Math.min(policy.maxUs, policy.backoffUs * 2 ** (attempt - 1));
  if (policy.jitter === "none") return Math.round(ceilingUs);
  return Math.floor(rng.fork(`${index}/${attempt}`).next() * (ceilingUs + 1));
}

/**
 * Wait after an answer that asks for `askedMs` (absent = it does not): no shorter than that, as far
 * as the policy goes, which ends at `maxUs`.
 */
export function waitUs(
  policy: Resend,
  rng: Rng,
  index: number,
  attempt: number,
  askedMs: number | undefined,
): number {
  const ownUs = backoffUs(policy, rng, index, attempt);
  if (askedMs === undefined || policy.retryAfter === "ignore") return ownUs;
  return Math.max(ownUs, Math.min(policy.maxUs, askedMs * US_PER_MS));
}

/** A binary heap by `readyUs`. */
export class ResendQueue<T extends { readonly readyUs: number } = Waiting> {
  readonly #heap: T[] = [];

  get size(): number {
    return this.#heap.length;
  }

  peek(): T | undefined {
    return this.#heap[0];
  }

  push(item: T): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]!.readyUs <= item.readyUs) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = item;
  }

  pop(): T | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.readyUs < heap[child]!.readyUs) child++;
      if (heap[child]!.readyUs >= last.readyUs) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return top;
  }
}
