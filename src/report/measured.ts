// What the plan had foreseen beside what was measured.
import type { PlanFile } from "../core/facts.ts";
import { formatNumber } from "../core/format.ts";
import { inFlightBySecond } from "./in-flight.ts";
import type { OutcomeCounts, Report, ThrottleCounts } from "./result.ts";
import type { Story } from "./story.ts";

/** In flight is looked at once a second, so short peaks are missed. */
export function measuredOf(
  plan: Pick<PlanFile, "loads" | "slices">,
  story: Story,
  counts: OutcomeCounts,
  coldStarts: number | null,
  throttles: ThrottleCounts,
): Report["measured"] {
  const names = new Set(plan.loads.map(({ name }) => name));
  const levels = [...inFlightBySecond(story.health, names, plan.slices).values()];
  const refused = Object.values(throttles.client).reduce((sum, count) => sum + count, 0);
  return {
    arrivals: counts.sent,
    in_flight: levels.length === 0 ? null : levels.reduce((a, b) => Math.max(a, b)),
    cold_starts: coldStarts,
    throttles: refused,
  };
}

/** `in flight 28, measured 31 · cold starts 36, measured 40`; "" when nothing was foreseen. */
export function predictedText({ plan, measured }: Report): string {
  const { predicted } = plan;
  if (predicted === undefined) return "";
  const pair = (what: string, foreseen: number | null, found: number | null): string[] => {
    if (foreseen === null || found === null) return [];
    return [`${what} ${formatNumber(foreseen)}, measured ${formatNumber(found)}`];
  };
  const parts = [
    ...pair("in flight at most", predicted.in_flight, measured.in_flight),
    ...pair("cold starts", predicted.cold_starts, measured.cold_starts),
    ...pair("throttles", predicted.throttles, measured.throttles),
  ];
  if (parts.length === 0) return "";
  const calm = plan.faults.length > 0 ? " (foreseen without the faults)" : "";
  return `${parts.join(" · ")}${calm}`;
}
