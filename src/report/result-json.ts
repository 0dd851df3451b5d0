// result.json: the report for machines. Times in ms, shares 0–1; null = not known or without end.
import { coldWaveName } from "../core/window.ts";
import { criteriaChanged } from "./base-words.ts";
import type { VersionRow } from "./by-version.ts";
import type { ColdWave } from "./cold-wave.ts";
import type { CostResult } from "./cost-result.ts";
import type { CrossCheckResult } from "./cross-check.ts";
import { detailsOf, effectOf, ms, ratiosOf } from "./detail-json.ts";
import type { Drawn } from "./drawn-result.ts";
import { resourceName } from "./fault-result.ts";
import type { OldNew } from "./old-new.ts";
import { sinkJson } from "./reconcile-json.ts";
import type {
  CriterionResult,
  FaultResult,
  GeneratorResult,
  LatencyRow,
  Report,
  Reporter,
} from "./result.ts";
import { functionName } from "./selection.ts";
import type { Interval } from "./statistics.ts";
import { withoutPlaces } from "./without-places.ts";

/** Version of the document's shape; schema/result.schema.json describes it. */
export const RESULT_VERSION = 1;

export const jsonReport: Reporter = (report) => `${JSON.stringify(resultOf(report), null, 2)}\n`;

/** The document as data, for `--json`. */
export function resultOf(report: Report) {
  const { plan } = report;
  return {
    gatecrash_result: RESULT_VERSION,
    run: plan.run,
    title: plan.title,
    scenario: plan.scenario,
    ...(plan.base === undefined ? {} : { criteria_changed: criteriaChanged(plan.base) }),
    version: plan.version,
    seed: plan.seed,
    verdict: report.verdict,
    reason: report.reason,
    exit_code: report.exitCode,
    invalid: report.invalid,
    stopped: report.stopped,
    observed_ms: ms(report.observedUs),
    criteria: report.criteria.map(criterionOf),
    counts: report.counts,
    loads: report.loads,
    starts: report.starts,
    joins: report.joins,
    ...(report.collected === null ? {} : { collected: collectedOf(report.collected) }),
    latencies: report.latencies.map(latencyOf),
    ...(report.versions.length === 0 ? {} : { versions: report.versions.map(versionOf) }),
    ...(report.oldNew === null ? {} : { old_new: oldNewJson(report.oldNew, report.drawn) }),
    ...(report.cost === null ? {} : { cost: costJson(report.cost) }),
    throttles: report.throttles,
    errors: report.errors,
    dropped_by: report.droppedBy,
    faults: report.faults.map((fault) => faultOf(fault, report.drawn)),
    balance: report.balance,
    reconciliation: report.reconciliation.map(sinkJson),
    ...(report.crossChecks.length === 0 ? {} : { cross_checks: report.crossChecks.map(checkOf) }),
    ...(report.fronts.length === 0 ? {} : { fronts: report.fronts }),
    ...(report.cleanUps.length === 0 ? {} : { clean_ups: report.cleanUps.map(cleanUpOf) }),
    ...(report.alarms.length === 0 ? {} : { alarms: report.alarms.map(alarmOf) }),
    ...(report.notices.length === 0 ? {} : { notices: report.notices }),
    ...detailsOf(report.drawn),
    generator: generatorOf(report.generator),
    predicted: plan.predicted ?? {},
    measured: plan.predicted === undefined ? {} : report.measured,
  };
}

function versionOf({ p50, p95, p99, function: name, ...row }: VersionRow) {
  const version = row.version === "" ? null : row.version;
  const times = { p50_ms: ms(p50), p95_ms: ms(p95), p99_ms: ms(p99) };
  return { ...row, function: name === "" ? null : name, version, ...times };
}

function latencyOf({ intervals, ...row }: LatencyRow) {
  return {
    ...{ load: row.load, arm: row.arm, start: row.start, n: row.n },
    ...{ p50_ms: ms(row.p50), p90_ms: ms(row.p90), p95_ms: ms(row.p95), p99_ms: ms(row.p99) },
    ...{ p999_ms: ms(row.p999), max_ms: ms(row.max) },
    intervals: {
      p50_ms: endsOf(intervals.p50),
      p95_ms: endsOf(intervals.p95),
      p99_ms: endsOf(intervals.p99),
    },
    init_p50_ms: ms(row.initP50),
  };
}

function generatorOf(generator: GeneratorResult) {
  return {
    lag_p50_ms: ms(generator.lagP50Us),
    lag_p99_ms: ms(generator.lagP99Us),
    lag_max_ms: ms(generator.lagMaxUs),
    lag_limit_ms: ms(generator.lagLimitUs),
    cpu_max: generator.cpuMax,
    cpu_limit: generator.cpuLimit,
    dropped: generator.dropped,
    dropped_limit: generator.droppedLimit,
    connect_failures: generator.connectFailures,
    connections_opened: generator.opened,
    attempts_sent: generator.attempts,
    loop_max_ms: ms(generator.loopMaxUs),
    clock_step_ms: generator.clockStepMs,
    clock_offset: clockOf(generator.clockOffset),
    machines: generator.machines,
  };
}

function clockOf(offset: GeneratorResult["clockOffset"]) {
  if (offset === null) return null;
  const { offsetUs, withinUs, n, by } = offset;
  return { offset_ms: ms(offsetUs), within_ms: ms(withinUs), n, by };
}

const endsOf = ({ low, high }: Interval) => ({ low: ms(low), high: ms(high) });

function oldNewJson({ rows, changes }: OldNew, drawn: Drawn) {
  const byName = (us: readonly number[]) => ({
    ...{ p50_ms: ms(us[0]!), p95_ms: ms(us[1]!), p99_ms: ms(us[2]!) },
  });
  return {
    rows: rows.map(({ oldUs, newUs, ...row }) => {
      return { ...row, old: byName(oldUs), new: byName(newUs) };
    }),
    changes,
    ratios: ratiosOf(drawn),
  };
}

function costJson({ prices, functions, loads, months, notPriced }: CostResult) {
  return {
    prices,
    functions: functions.map(({ name, invocations, unpriced, usd, ...one }) => ({
      ...{ name, invocations, unpriced, gb_seconds: one.gbSeconds, init_share: one.initShare },
      ...{ usd, usd_per_million: one.usdPerMillion },
    })),
    loads: loads.map(({ load, arm, usdPerMillion, note }) => {
      return { load, arm, usd_per_million: usdPerMillion, note };
    }),
    months: months.map(({ invocations, usd, usdBeyondFree }) => {
      return { invocations, usd, usd_beyond_free_tier: usdBeyondFree };
    }),
    not_priced: notPriced,
  };
}

function collectedOf({ expected, joined, end, malformed }: NonNullable<Report["collected"]>) {
  return { expected, joined, end, malformed };
}

function checkOf({ load, by, seconds, ratio, unsound, agrees, ...rates }: CrossCheckResult) {
  return {
    ...{ load, by, seconds, ours_per_s: rates.oursPerSecond, theirs_per_s: rates.theirsPerSecond },
    ...{ ratio, unsound, agrees },
  };
}

function cleanUpOf({ load, queue, kind: _, ...counts }: Report["cleanUps"][number]) {
  const { found, ours, deleted, given_back, end, detail } = counts;
  const why = withoutPlaces(detail);
  return { load, queue: resourceName(queue), found, ours, deleted, given_back, end, detail: why };
}

function alarmOf({ name, state, atUs, reason }: Report["alarms"][number]) {
  return { name, state, at_ms: ms(atUs), reason };
}

function criterionOf(one: CriterionResult) {
  const value = (x: number | null) => {
    if (x === null || !Number.isFinite(x)) return null;
    return one.unit === "us" ? x / 1_000 : x;
  };
  const { window } = one;
  return {
    id: one.id,
    text: one.text,
    kind: one.kind,
    primary: one.primary,
    window:
      window === null
        ? null
        : {
            name: window.name,
            start_ms: window.startUs / 1_000,
            end_ms: window.endUs / 1_000,
            coverage: window.coverage,
          },
    verdict: one.verdict,
    n: one.n,
    n_effective: one.nEffective,
    unit: one.unit === "us" ? "ms" : one.unit,
    estimate: value(one.estimate),
    low: value(one.low),
    high: value(one.high),
    limit: value(one.limit),
    beyond: one.beyond,
    margin: one.beyond === null ? value(one.margin) : one.margin,
    margin_unit: one.beyond !== null ? "ratio" : one.unit === "us" ? "ms" : one.unit,
    reason: one.reason,
    needs: one.needs,
    longer_ms: ms(one.longerUs),
    blocks: one.blocks,
  };
}

/** Resources by name: a result file is shared more widely than an account id should be. */
function faultOf(fault: FaultResult, { faultEffects }: Drawn) {
  const effect = faultEffects[fault.name];
  return {
    name: fault.name,
    kind: fault.kind,
    resources: fault.resources.map(functionName),
    asked_ms: ms(fault.askedUs),
    onset_ms: ms(fault.onsetUs),
    restore_asked_ms: ms(fault.restoreAskedUs),
    cleared_ms: ms(fault.clearedUs),
    injected: fault.injected,
    undone: fault.undone,
    verified: fault.verified,
    change: fault.change,
    residue: fault.residue,
    ...(fault.coldWave === null ? {} : { cold_wave: waveOf(fault.coldWave) }),
    not_undone: fault.notUndone,
    effect: effect === undefined || fault.askedUs === null ? null : effectOf(effect),
  };
}

/** Named as criteria name it. */
function waveOf({ name, coldStarts, invocations, end, ...wave }: ColdWave) {
  const times = { start_ms: ms(wave.startUs), end_ms: ms(wave.endUs) };
  const counts = { cold_starts: coldStarts, invocations };
  return { window: coldWaveName(name), function: wave.function, ...times, ...counts, end };
}
