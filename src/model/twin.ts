// The virtual-time twin: planned arrivals against Lambda's admission, before anything is sent.
import { AdmissionModel, SOLE_HOLDER } from "./admission.ts";
import type { AccountLimits, FunctionLimits, ThrottleReason } from "./limits.ts";

/** One function of the twin, and what is assumed about it. */
export interface TwinFunction {
  readonly name: string;
  readonly limits: FunctionLimits;
  /** Time an invocation keeps its environment busy; a cold one takes `initMs` more. */
  readonly serviceMs: number;
  readonly initMs: number;
}

/** Ordered by `dueUs`. */
export interface TwinArrival {
  readonly dueUs: number;
  /** Position in the list of functions. */
  readonly of: number;
}

export interface TwinResult {
  readonly offered: number;
  readonly cold: number;
  readonly provisioned: number;
  readonly refused: { readonly [reason in ThrottleReason]?: number };
  readonly refusedTotal: number;
  /** Most invocations in service at once, over all functions. */
  readonly inFlightMax: number;
  /** µs of the run of the last cold start; −1 = there was none. */
  readonly lastColdUs: number;
}

/** Refused arrivals are gone: nobody resends them here. No environment is warm at the start. */
export function foresee(
  account: AccountLimits,
  functions: readonly TwinFunction[],
  arrivals: Iterable<TwinArrival>,
): TwinResult {
  const model = new AdmissionModel(account);
  for (const { name, limits } of functions) model.declare(name, limits);
  const ends = new Ends();
  const refused: { [reason in ThrottleReason]?: number } = {};
  let [offered, cold, provisioned, refusedTotal, inFlightMax, lastColdUs] = [0, 0, 0, 0, 0, -1];
  for (const { dueUs, of } of arrivals) {
    for (let end = ends.before(dueUs); end !== null; end = ends.before(dueUs))
      model.release(functions[end.of]!.name, end.environment, end.atUs, true);
    const fn = functions[of]!;
    const answer = model.admit(fn.name, dueUs, { holder: SOLE_HOLDER });
    offered++;
    if (!answer.ok) {
      refused[answer.reason] = (refused[answer.reason] ?? 0) + 1;
      refusedTotal++;
      continue;
    }
    if (answer.start === "new") [cold, lastColdUs] = [cold + 1, dueUs];
    if (answer.start === "provisioned") provisioned++;
    const busyMs = fn.serviceMs + (answer.start === "new" ? fn.initMs : 0);
    ends.add({ atUs: dueUs + busyMs * 1_000, of, environment: answer.environment });
    inFlightMax = Math.max(inFlightMax, ends.size);
  }
  return { offered, cold, provisioned, refused, refusedTotal, inFlightMax, lastColdUs };
}

interface End {
  readonly atUs: number;
  readonly of: number;
  readonly environment: number;
}

/** A binary heap of what is in service, the earliest end on top. */
class Ends {
  readonly #heap: End[] = [];

  get size(): number {
    return this.#heap.length;
  }

  add(end: End): void {
    const heap = this.#heap;
    let at = heap.push(end) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]!.atUs <= end.atUs) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = end;
  }

  /** Takes the earliest if it ends by `atUs`. */
  before(atUs: number): End | null {
    const heap = this.#heap;
    const top = heap[0];
    if (top === undefined || top.atUs > atUs) return null;
    const last = heap.pop()!;
    if (heap.length > 0) this.#sink(last);
    return top;
  }

  #sink(end: End): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.atUs < heap[child]!.atUs) child++;
      if (heap[child]!.atUs >= end.atUs) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = end;
  }
}
