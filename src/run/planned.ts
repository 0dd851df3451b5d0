// Counts what a driver plans, before anything is sent: the left side of the balance.
import type { Arrival, Call } from "../core/arrival.ts";
import { US_PER_S } from "../core/time.ts";

export interface Planned {
  readonly planned: number;
  /** Arrivals by whole second of the run in which they are due, by index. */
  readonly perSecond: readonly number[];
  /** The same by route code; a route without arrivals has an empty list. */
  readonly perRoute: readonly (readonly number[])[];
  /** Arrivals by HTTP method, or `invoke` and `item`. */
  readonly methods: { readonly [method: string]: number };
  /** Bodies and payloads, without headers. */
  readonly bodyBytes: number;
}

/**
 * Reads the whole schedule; drivers are pure, so the workers' own reading gives the same.
 * `routes` counts the load's routes, the nameless one included.
 */
export function countPlanned(arrivals: Iterable<Arrival>, routes: number): Planned {
  const perSecond: number[] = [];
  const perRoute = Array.from({ length: routes }, (): number[] => []);
  const methods: { [method: string]: number } = {};
  let [planned, bodyBytes] = [0, 0];
  for (const { dueUs, route, call } of arrivals) {
    const second = Math.max(0, Math.floor(dueUs / US_PER_S));
    addTo(perSecond, second);
    addTo(perRoute[route]!, second);
    const method = call.kind === "http" ? call.method : call.kind;
    methods[method] = (methods[method] ?? 0) + 1;
    bodyBytes += bytesOf(call);
    planned++;
  }
  return { planned, perSecond, perRoute, methods, bodyBytes };
}

function addTo(counts: number[], second: number): void {
  while (counts.length <= second) counts.push(0);
  counts[second]!++;
}

function bytesOf(call: Call): number {
  if (call.kind === "http") return call.body?.length ?? 0;
  return call.kind === "invoke" ? call.payload.length : call.data.length;
}
