// The account's alarms: evaluated when a period is over; nobody is called.
import type { AlarmSpec } from "../template/types.ts";
import { type AlarmState, isBreaching, rangeOf, stateOf } from "./alarm-state.ts";
import { type MetricStore, points } from "./store.ts";

export interface Alarm {
  readonly spec: AlarmSpec;
  readonly createdEpochMs: number;
  state: AlarmState;
  reason: string;
  /** When the state was last found or confirmed to be another one. */
  updatedEpochMs: number;
  /** End of the last period that was looked at. */
  evaluatedToMs: number;
}

export class AlarmTable {
  readonly #metrics: MetricStore;
  readonly #byName = new Map<string, Alarm>();

  constructor(metrics: MetricStore) {
    this.#metrics = metrics;
  }

  add(spec: AlarmSpec, atEpochMs: number): void {
    this.#byName.set(spec.name, {
      spec,
      createdEpochMs: atEpochMs,
      state: "INSUFFICIENT_DATA",
      reason: "Unchecked: Initial alarm creation",
      updatedEpochMs: atEpochMs,
      evaluatedToMs: periodEnd(spec, atEpochMs),
    });
  }

  all(): Alarm[] {
    return [...this.#byName.values()].sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1));
  }

  /** Evaluates the alarms of which a period is over; call it once a second or so. */
  evaluate(nowMs: number): void {
    for (const alarm of this.#byName.values()) {
      const endMs = periodEnd(alarm.spec, nowMs);
      if (endMs === alarm.evaluatedToMs) continue;
      alarm.evaluatedToMs = endMs;
      const values = this.#valuesBefore(alarm.spec, endMs);
      const state = stateOf(alarm.spec, values, alarm.state);
      if (state === alarm.state) continue;
      alarm.reason = reasonOf(alarm.spec, state, values, endMs);
      alarm.state = state;
      alarm.updatedEpochMs = nowMs;
    }
  }

  /** One value or null for each period of the range, the latest first. */
  #valuesBefore(spec: AlarmSpec, endMs: number): (number | null)[] {
    const { namespace, metric, dimensions, periodMs, statistic } = spec;
    const range = rangeOf(spec);
    const values = Array.from({ length: range }, (): number | null => null);
    const series = this.#metrics.find(namespace, metric, dimensions);
    if (series === undefined) return values;
    const startMs = endMs - range * periodMs;
    for (const { atMs, set } of points(series, { startMs, endMs, periodMs }))
      values[(endMs - atMs) / periodMs - 1] = set.statistic(statistic);
    return values;
  }
}

const periodEnd = ({ periodMs }: AlarmSpec, nowMs: number): number =>
  Math.floor(nowMs / periodMs) * periodMs;

const COMPARED = {
  GreaterThanThreshold: "greater than",
  GreaterThanOrEqualToThreshold: "greater than or equal to",
  LessThanThreshold: "less than",
  LessThanOrEqualToThreshold: "less than or equal to",
} as const;

/** In CloudWatch's manner. */
function reasonOf(
  spec: AlarmSpec,
  state: AlarmState,
  values: readonly (number | null)[],
  endMs: number,
): string {
  const { evaluationPeriods, datapointsToAlarm, threshold, comparison, periodMs } = spec;
  if (state === "INSUFFICIENT_DATA")
    return `Insufficient Data: ${evaluationPeriods} datapoints were unknown.`;
  const seen = values
    .map((value, index) => ({ value, atMs: endMs - (index + 1) * periodMs }))
    .filter((point): point is { value: number; atMs: number } => point.value !== null)
    .slice(0, evaluationPeriods)
    .filter(({ value }) => isBreaching(spec, value) === (state === "ALARM"));
  const listed = seen.map(({ value, atMs }) => `${decimal(value)} (${shortTime(atMs)})`).join(", ");
  const verb = `${seen.length === 1 ? "was" : "were"}${state === "ALARM" ? "" : " not"}`;
  const many = datapointsToAlarm === 1 ? "datapoint" : "datapoints";
  const change = state === "ALARM" ? "OK -> ALARM" : "ALARM -> OK";
  return (
    `Threshold Crossed: ${seen.length} out of the last ${evaluationPeriods} datapoints ` +
    `[${listed}] ${verb} ${COMPARED[comparison]} the threshold (${decimal(threshold)}) ` +
    `(minimum ${datapointsToAlarm} ${many} for ${change} transition).`
  );
}

const decimal = (value: number): string => (Number.isInteger(value) ? `${value}.0` : `${value}`);

/** `28/08/26 14:30:00`. */
function shortTime(atMs: number): string {
  const [, year, month, day, time] =
    /^\d\d(\d\d)-(\d\d)-(\d\d)T([\d:]{8})/.exec(new Date(atMs).toISOString()) ?? [];
  return `${day}/${month}/${year} ${time}`;
}
