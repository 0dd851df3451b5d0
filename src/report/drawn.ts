// Everything that drawings and tables of detail need beside what is judged.
import { curvesOf } from "./curves.ts";
import type { JudgeFacts } from "./judge-facts.ts";
import { oldNewRatios } from "./old-new.ts";
import { recoveryOf } from "./recovery.ts";
import type { Drawn, PlatformConcurrency } from "./result.ts";
import { functionName } from "./selection.ts";
import { seriesOf } from "./series.ts";

export function drawnOf(facts: JudgeFacts): Drawn {
  const { tables, story, steady } = facts;
  const recoveries = story.faults.map(({ name, clearedUs }) => {
    const seen = clearedUs !== null && steady.length > 0;
    return [name, seen ? recoveryOf(tables, steady, clearedUs, story.observedEndUs) : null];
  });
  const statuses = [...tables.statuses].sort(([a], [b]) => a - b);
  return {
    series: seriesOf(tables, story),
    curves: curvesOf(tables),
    concurrency: concurrencyOf(facts),
    statuses: Object.fromEntries(statuses),
    oldNewRatios: oldNewRatios(tables),
    recoveries: Object.fromEntries(recoveries),
  };
}

/** The whole minutes that the run touches, by function; the account's own last. */
function concurrencyOf({ metrics, tables }: JudgeFacts): PlatformConcurrency[] {
  const byName = new Map<string, { atUs: number; value: number }[]>();
  for (const point of metrics) {
    if (point.metric !== "ConcurrentExecutions" || point.stat !== "Maximum") continue;
    if (point.dimensions.Resource !== undefined) continue;
    const of = point.dimensions.FunctionName;
    const name = of === undefined ? "account" : functionName(of);
    const atUs = (point.at - tables.plan.epoch_ms) * 1_000;
    if (atUs + point.period_s * 1_000_000 <= 0) continue;
    byName.set(name, [...(byName.get(name) ?? []), { atUs, value: point.value }]);
  }
  const rank = (name: string) => (name === "account" ? 1 : 0);
  return [...byName]
    .map(([name, points]) => ({ name, points: points.sort((a, b) => a.atUs - b.atUs) }))
    .sort((a, b) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : 1));
}
