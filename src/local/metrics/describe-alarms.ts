// DescribeAlarms: by names, prefix and state, in pages.

import type { JsonInput } from "../wire/aws-json.ts";
import { pageStart, said } from "../wire/said.ts";
import type { World } from "../world.ts";
import type { Alarm } from "./alarm-table.ts";
import { invalidMetric } from "./metric-input.ts";

const PAGE_MAX = 100;

export function describeAlarms(world: World, input: JsonInput): object {
  world.alarms.evaluate(world.clock.wallMs());
  const names = Array.isArray(input.AlarmNames) ? input.AlarmNames.map(said) : null;
  const prefix = typeof input.AlarmNamePrefix === "string" ? input.AlarmNamePrefix : null;
  if (names !== null && prefix !== null)
    throw invalidMetric("AlarmNames and AlarmNamePrefix cannot be used together.");
  const types: unknown = input.AlarmTypes ?? ["MetricAlarm"];
  const metric = Array.isArray(types) && types.includes("MetricAlarm");
  const found = world.alarms
    .all()
    .filter(() => metric)
    .filter(({ spec }) => names === null || names.includes(spec.name))
    .filter(({ spec }) => prefix === null || spec.name.startsWith(prefix))
    .filter(({ state }) => (input.StateValue ?? state) === state);
  const asked = typeof input.MaxRecords === "number" ? input.MaxRecords : PAGE_MAX;
  if (asked < 1 || asked > PAGE_MAX)
    throw invalidMetric(`MaxRecords must be between 1 and ${PAGE_MAX}.`);
  const start = pageStart(input.NextToken);
  const next = start + asked;
  return {
    MetricAlarms: found.slice(start, next).map((alarm) => describe(world, alarm)),
    CompositeAlarms: [],
    ...(next < found.length ? { NextToken: String(next) } : {}),
  };
}

function describe(world: World, { spec, createdEpochMs, state, reason, updatedEpochMs }: Alarm) {
  const { name, periodMs, statistic, actions, datapointsToAlarm, evaluationPeriods } = spec;
  return {
    AlarmName: name,
    AlarmArn: `arn:aws:cloudwatch:${world.region}:${world.account}:alarm:${name}`,
    ...(spec.description === null ? {} : { AlarmDescription: spec.description }),
    AlarmConfigurationUpdatedTimestamp: createdEpochMs / 1_000,
    ActionsEnabled: spec.actionsEnabled,
    OKActions: actions.ok,
    AlarmActions: actions.alarm,
    InsufficientDataActions: actions.insufficientData,
    StateValue: state,
    StateReason: reason,
    StateUpdatedTimestamp: updatedEpochMs / 1_000,
    StateTransitionedTimestamp: updatedEpochMs / 1_000,
    MetricName: spec.metric,
    Namespace: spec.namespace,
    ...(statistic.startsWith("p") ? { ExtendedStatistic: statistic } : { Statistic: statistic }),
    Dimensions: spec.dimensions,
    Period: periodMs / 1_000,
    EvaluationPeriods: evaluationPeriods,
    ...(datapointsToAlarm === evaluationPeriods ? {} : { DatapointsToAlarm: datapointsToAlarm }),
    Threshold: spec.threshold,
    ComparisonOperator: spec.comparison,
    TreatMissingData: spec.missing,
  };
}
