// Everything that drawings and tables of detail need beside what is judged.
import { coldCausesOf } from "./cold-causes.ts";
import { curvesOf } from "./curves.ts";
import type { AnsweredBy, Drawn, PlatformConcurrency } from "./drawn-result.ts";
import { faultEffectOf } from "./fault-effect.ts";
import type { JudgeFacts } from "./judge-facts.ts";
import { limitsOf } from "./limits.ts";
import { oldNewRatios } from "./old-new.ts";
import { phaseCountsOf } from "./phase-counts.ts";
import type { PlatformIndex } from "./platform-index.ts";
import { functionName } from "./selection.ts";
import { seriesOf } from "./series.ts";
import type { ShardResult } from "./shards.ts";
import { timePartsOf } from "./time-parts.ts";

export function drawnOf(facts: JudgeFacts, streams: ShardResult): Drawn {
  const { tables, story } = facts;
  return lazily({
    series: () => seriesOf(tables, story),
    phases: () => phaseCountsOf(tables),
    curves: () => curvesOf(tables),
    concurrency: () => levelsOf(facts, "ConcurrentExecutions"),
    iteratorAge: () => levelsOf(facts, "IteratorAge"),
    streams: () => streams,
    limits: () => limitsOf(facts),
    spilled: () => spilledOf(facts),
    answeredBy: () => answeredBy(tables.platform),
    statuses: () => Object.fromEntries([...tables.statuses].sort(([a], [b]) => a - b)),
    oldNewRatios: () => oldNewRatios(tables),
    faultEffects: () =>
      Object.fromEntries(story.faults.map((fault) => [fault.name, faultEffectOf(facts, fault)])),
    timeParts: () => timePartsOf(tables),
    coldCauses: () => coldCausesOf(tables.platform),
  });
}

/** Each part is made when it is first looked at: together they cost as much as judging does. */
function lazily<T extends object>(parts: { readonly [key in keyof T]: () => T[key] }): T {
  const made = {} as T;
  for (const key of Object.keys(parts) as (keyof T)[])
    Object.defineProperty(made, key, {
      ...{ enumerable: true, configurable: true },
      get: (): T[keyof T] => {
        const value = parts[key]();
        Object.defineProperty(made, key, { enumerable: true, value });
        return value;
      },
    });
  return made;
}

/** The whole minutes that the run touches, by function; the account's own last. */
function levelsOf({ metrics, tables }: JudgeFacts, metric: string): PlatformConcurrency[] {
  const byName = new Map<string, { atUs: number; value: number }[]>();
  for (const point of metrics) {
    if (point.metric !== metric || point.stat !== "Maximum") continue;
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

/** By alias or version that has provisioned concurrency. */
function spilledOf({ metrics }: JudgeFacts): { readonly [name: string]: number } {
  const spilled: { [name: string]: number } = {};
  for (const { metric, stat, dimensions, value } of metrics) {
    const of = dimensions.FunctionName;
    if (metric !== "ProvisionedConcurrencySpilloverInvocations" || stat !== "Sum") continue;
    if (of === undefined) continue;
    const name = dimensions.Resource ?? functionName(of);
    spilled[name] = (spilled[name] ?? 0) + value;
  }
  return spilled;
}

function answeredBy(platform: PlatformIndex): AnsweredBy[] {
  const counts = new Map<string, Map<string, number>>();
  for (let row = 0; row < platform.reports; row++) {
    const name = functionName(platform.functions.texts[platform.functionCode[row]!] ?? "");
    const version = platform.versions.texts[platform.versionCode[row]!] ?? "";
    const versions = counts.get(name) ?? new Map<string, number>();
    counts.set(name, versions.set(version, (versions.get(version) ?? 0) + 1));
  }
  const inOrder = <T>(map: ReadonlyMap<string, T>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return inOrder(counts).map(([name, versions]) => ({
    name,
    versions: inOrder(versions).map(([version, invocations]) => ({ version, invocations })),
  }));
}
