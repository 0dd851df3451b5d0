// How long the recorded system took, by route: the only service time known before a run.
import type { CaptureRecord } from "../core/capture.ts";
import type { Load } from "../core/scenario.ts";
import { routeMatcher } from "./routes.ts";

/**
 * Mean recorded latency in ms by route code; the mean of all where a route has none. Null when the
 * capture holds no latencies.
 */
export function recordedMs(load: Load, records: readonly CaptureRecord[]): number[] | null {
  const match = routeMatcher(load.routes);
  const sumUs = new Array<number>(load.routes.length + 1).fill(0);
  const count = new Array<number>(load.routes.length + 1).fill(0);
  for (const { method, path, recorded } of records) {
    if (recorded?.latency_us == null) continue;
    const route = match(method, path);
    sumUs[route]! += recorded.latency_us;
    count[route]!++;
  }
  const all = count.reduce((sum, n) => sum + n, 0);
  if (all === 0) return null;
  const mean = sumUs.reduce((sum, us) => sum + us, 0) / all;
  return sumUs.map((us, route) => (count[route]! === 0 ? mean : us / count[route]!) / 1_000);
}
