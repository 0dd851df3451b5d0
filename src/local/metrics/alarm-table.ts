// The account's alarms: evaluated when a period is over; a change of state has its actions.
import type { AlarmSpec } from "../template/types.ts";
import { type HistoryItem, remember } from "./alarm-history.ts";
import { type AlarmState, isBreaching, rangeOf, stateOf } from "./alarm-state.ts";
import { MuteRules } from "./mute-rules.ts";
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
  /** A change whose actions a rule keeps quiet; they follow if the state is still the same then. */
  muted: AlarmTurn | null;
}

/** One change of an alarm's state. */
export interface AlarmTurn {
  readonly alarm: Alarm;
  readonly from: { readonly state: AlarmState; readonly reason: string };
  readonly atMs: number;
}

/** Carries one action out; resolves to what the history says of it. */
export type ActOn = (action: string, turn: AlarmTurn) => Promise<string>;

const nobody: ActOn = async (action) => `Action ${action} was not executed`;

export class AlarmTable {
  readonly mutes = new MuteRules();
  /** Oldest first. */
  readonly history: HistoryItem[] = [];
  readonly #metrics: MetricStore;
  readonly #act: ActOn;
  readonly #byName = new Map<string, Alarm>();

  constructor(metrics: MetricStore, act: ActOn = nobody) {
    this.#metrics = metrics;
    this.#act = act;
  }

  add(spec: AlarmSpec, atEpochMs: number): void {
    this.#byName.set(spec.name, {
      spec,
      createdEpochMs: atEpochMs,
      state: "INSUFFICIENT_DATA",
      reason: "Unchecked: Initial alarm creation",
      updatedEpochMs: atEpochMs,
      evaluatedToMs: periodEnd(spec, atEpochMs),
      muted: null,
    });
  }

  all(): Alarm[] {
    return [...this.#byName.values()].sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1));
  }

  /** Evaluates the alarms of which a period is over; call it once a second or so. */
  evaluate(nowMs: number): void {
    for (const alarm of this.#byName.values()) {
      const endMs = periodEnd(alarm.spec, nowMs);
      if (endMs !== alarm.evaluatedToMs) {
        alarm.evaluatedToMs = endMs;
        const values = this.#valuesBefore(alarm.spec, endMs);
        const state = stateOf(alarm.spec, values, alarm.state);
        if (state !== alarm.state)
          this.turn(alarm, { state, reason: reasonOf(alarm.spec, state, values, endMs) }, nowMs);
      }
      this.#unmute(alarm, nowMs);
    }
  }

  /** The alarm has this state from now on; its actions follow unless a rule mutes them. */
  turn(
    alarm: Alarm,
    to: { readonly state: AlarmState; readonly reason: string },
    atMs: number,
  ): void {
    const from = { state: alarm.state, reason: alarm.reason };
    alarm.reason = to.reason;
    if (from.state === to.state) return;
    alarm.state = to.state;
    alarm.updatedEpochMs = atMs;
    alarm.muted = null;
    const alarmName = alarm.spec.name;
    remember(this.history, {
      ...{ alarm: alarmName, atMs, kind: "StateUpdate" },
      summary: `Alarm updated from ${from.state} to ${to.state}`,
      data: {
        version: "1.0",
        oldState: { stateValue: from.state, stateReason: from.reason },
        newState: { stateValue: to.state, stateReason: to.reason },
      },
    });
    const rule = this.mutes.muting(alarmName, atMs);
    const turn = { alarm, from, atMs };
    if (rule === undefined) {
      this.#actOn(turn);
      return;
    }
    alarm.muted = turn;
    for (const action of actionsOf(alarm))
      this.#note(turn, action, `Action ${action} was muted by alarm mute rule ${rule.name}`);
  }

  /** The rule is gone, or its time is over: what still holds is acted upon after all. */
  #unmute(alarm: Alarm, nowMs: number): void {
    const { muted, spec } = alarm;
    if (muted === null || this.mutes.muting(spec.name, nowMs) !== undefined) return;
    alarm.muted = null;
    if (alarm.state === "ALARM") this.#actOn({ ...muted, atMs: nowMs });
  }

  #actOn(turn: AlarmTurn): void {
    for (const action of actionsOf(turn.alarm))
      this.#act(action, turn).then(
        (summary) => this.#note(turn, action, summary),
        () => {}, // whoever acts says how it ended, and does not reject
      );
  }

  #note({ alarm, atMs }: AlarmTurn, action: string, summary: string): void {
    const data = { version: "1.0", actionName: action, stateValue: alarm.state };
    remember(this.history, { alarm: alarm.spec.name, atMs, kind: "Action", summary, data });
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

/** Of the state that it is in; none where they are switched off. */
function actionsOf({ spec: { actionsEnabled, actions }, state }: Alarm): readonly string[] {
  if (!actionsEnabled) return [];
  if (state === "ALARM") return actions.alarm;
  return state === "OK" ? actions.ok : actions.insufficientData;
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
