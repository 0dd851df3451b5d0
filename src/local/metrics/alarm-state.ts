// In which state an alarm is, from the data points of its last periods; pure.
import type { AlarmSpec } from "../template/types.ts";

export type AlarmState = "OK" | "ALARM" | "INSUFFICIENT_DATA";

/** CloudWatch looks at more periods than it evaluates, so that points that are late count. */
const MORE_PERIODS = 2;

/** Complete periods that an evaluation looks at. */
export const rangeOf = ({ evaluationPeriods }: AlarmSpec): number =>
  evaluationPeriods + MORE_PERIODS;

export function isBreaching({ comparison, threshold }: AlarmSpec, value: number): boolean {
  switch (comparison) {
    case "GreaterThanThreshold":
      return value > threshold;
    case "GreaterThanOrEqualToThreshold":
      return value >= threshold;
    case "LessThanThreshold":
      return value < threshold;
    case "LessThanOrEqualToThreshold":
      return value <= threshold;
  }
}

/**
 * `values`: a value or null (missing) for each period of the range, the latest first.
 *
 * With as many points as periods to evaluate, the latest of them count. With fewer (CloudWatch user
 * guide, "Configuring how alarms treat missing data"):
 *
 * | missing counts as | all points breach | some do not | no points |
 * |---|---|---|---|
 * | missing | ALARM if the oldest is old enough, else no change | by points | INSUFFICIENT_DATA |
 * | ignore | no change | by the points | no change |
 * | breaching, notBreaching | by points and fillers | by points and fillers | by fillers |
 */
export function stateOf(
  alarm: AlarmSpec,
  values: readonly (number | null)[],
  current: AlarmState,
): AlarmState {
  const { evaluationPeriods, datapointsToAlarm, missing } = alarm;
  const present = values.filter((value) => value !== null).slice(0, evaluationPeriods);
  const breaching = present.filter((value) => isBreaching(alarm, value)).length;
  if (breaching >= datapointsToAlarm) return "ALARM";
  const absent = evaluationPeriods - present.length;
  if (absent === 0 || missing === "notBreaching") return "OK";
  if (missing === "breaching") return breaching + absent >= datapointsToAlarm ? "ALARM" : "OK";
  if (present.length === 0) return missing === "missing" ? "INSUFFICIENT_DATA" : current;
  if (breaching < present.length) return "OK";
  const oldest = values.findLastIndex((value) => value !== null) + 1;
  return missing === "missing" && oldest >= datapointsToAlarm ? "ALARM" : current;
}
