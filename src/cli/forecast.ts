// What a plan will need: Little's law on its worst second, and the virtual-time twin on all of it.
import type { Predicted } from "../core/facts.ts";
import type { Scenario } from "../core/scenario.ts";
import { type BurstNeeds, burstNeeds, SCALING_BUCKET } from "../model/capacity.ts";
import { foresee, type TwinArrival, type TwinFunction, type TwinResult } from "../model/twin.ts";
import type { CountedLoad } from "./count-loads.ts";

/** What nobody has measured yet; null = not known. */
export interface Assumptions {
  /** Concurrency quota of the account. */
  readonly quota: number | null;
  /** In place of what a capture recorded. */
  readonly serviceMs: number | null;
  readonly initMs: number;
}

export interface Forecast {
  readonly predicted: Predicted;
  /** Arrivals that invoke a function, in the busiest second; null = no load does so. */
  readonly worstPerSecond: number | null;
  /** Mean over the busiest second; null = no service time is known. */
  readonly serviceMs: number | null;
  /** In closed form; null = no service time or no quota is known. */
  readonly needs: BurstNeeds | null;
  readonly twin: TwinResult | null;
}

/** Above this many arrivals only closed forms are used: the twin takes some 4 µs for each. */
export const TWIN_ARRIVALS_MAX = 2_000_000;
/** As `AccountLimits.idleKeepUs`: AWS publishes no figure, minutes are seen. */
const IDLE_KEEP_US = 300_000_000;

/** One function for each route is assumed, each starting from nothing. */
interface Route {
  readonly counted: CountedLoad;
  readonly code: number;
  readonly serviceMs: number | null;
}

export function forecast(
  scenario: Scenario,
  counted: readonly CountedLoad[],
  assumed: Assumptions,
  twinMax = TWIN_ARRIVALS_MAX,
): Forecast {
  const arrivals = counted.reduce((sum, { facts }) => sum + facts.planned, 0);
  const routes = counted.filter(invokes).flatMap((one) => routesOf(one, assumed));
  // A closed loop has as many in service as it has connections, whatever else is true of it.
  const closed = counted.reduce((sum, { facts }) => sum + (facts.closed?.connections ?? 0), 0);
  const seconds = perSecond(routes);
  const worst = seconds.indexOf(seconds.reduce((most, n) => Math.max(most, n), 0));
  const known = routes.length > 0 && routes.every(({ serviceMs }) => serviceMs !== null);
  const at = (second: number): number => busyMsAt(routes, second) / (seconds[second] || 1);
  const serviceMs = known ? at(worst) : null;
  const { quota } = assumed;
  const first = seconds.findIndex((count) => count > 0);
  const warm = first === worst ? 0 : busyMsAt(routes, first) / 1_000;
  const bucket = scenario.environment === "local" ? scenario.local.scalingBucket : SCALING_BUCKET;
  const scalingBucket = bucket * scenario.scale;
  const needs =
    serviceMs === null || quota === null
      ? null
      : burstNeeds({
          ...{ perSecond: seconds[worst]!, durationMs: serviceMs, quota, warm, scalingBucket },
        });
  const twin =
    needs === null || arrivals > twinMax
      ? null
      : foresee(
          { concurrency: quota!, unreservedMinimum: 0, scalingBucket, idleKeepUs: IDLE_KEEP_US },
          routes.map((route) => twinFunction(route, assumed.initMs)),
          merged(routes),
        );
  const given = assumed.serviceMs === null ? "recorded" : "given";
  const little = serviceMs === null ? null : Math.ceil(busyMsAt(routes, worst) / 1_000);
  const open = routes.length === 0 && closed > 0 ? 0 : (twin?.inFlightMax ?? little);
  return {
    predicted: {
      arrivals,
      in_flight: open === null ? null : open + closed,
      cold_starts: twin?.cold ?? null,
      throttles: twin?.refusedTotal ?? null,
      service: known ? given : null,
    },
    worstPerSecond: routes.length === 0 ? null : seconds[worst]!,
    ...{ serviceMs, needs, twin },
  };
}

/** Queues and streams are read by pollers, at their own pace. */
const invokes = ({ load, facts }: CountedLoad): boolean =>
  facts.closed === undefined && (load.target.kind === "http" || load.target.kind === "lambda");

function routesOf(counted: CountedLoad, { serviceMs }: Assumptions): Route[] {
  return counted.facts.routes.map((_, code) => {
    return { counted, code, serviceMs: serviceMs ?? counted.recordedMs?.[code] ?? null };
  });
}

function perSecond(routes: readonly Route[]): number[] {
  const sum: number[] = [];
  for (const { counted, code } of routes)
    for (const [second, count] of counted.counts.perRoute[code]!.entries())
      sum[second] = (sum[second] ?? 0) + count;
  return Array.from(sum, (count) => count ?? 0);
}

/** Environment-milliseconds that begin in a second. */
function busyMsAt(routes: readonly Route[], second: number): number {
  return routes.reduce((sum, { counted, code, serviceMs }) => {
    return sum + (counted.counts.perRoute[code]![second] ?? 0) * (serviceMs ?? 0);
  }, 0);
}

function twinFunction({ counted, code, serviceMs }: Route, initMs: number): TwinFunction {
  const name = `${counted.facts.name}/${code}`;
  return { name, limits: { reserved: null, provisioned: 0 }, serviceMs: serviceMs ?? 0, initMs };
}

/** Arrivals of all loads in due order; `of` is the position in `routes`. */
function* merged(routes: readonly Route[]): Iterable<TwinArrival> {
  const loads = [...new Set(routes.map(({ counted }) => counted))].map((counted) => {
    const first = routes.findIndex((route) => route.counted === counted);
    const iterator = counted.arrivals()[Symbol.iterator]();
    return { first, iterator, head: iterator.next() };
  });
  for (;;) {
    let next: (typeof loads)[number] | null = null;
    for (const one of loads) {
      if (one.head.done === true) continue;
      if (next?.head.done === false && next.head.value.dueUs <= one.head.value.dueUs) continue;
      next = one;
    }
    if (next === null || next.head.done === true) return;
    const { dueUs, route } = next.head.value;
    yield { dueUs, of: next.first + route };
    next.head = next.iterator.next();
  }
}
