// CloudWatch's operations, one table for both of its protocols.
import type { JsonInput } from "../wire/aws-json.ts";
import type { World } from "../world.ts";
import { describeAlarms } from "./describe-alarms.ts";
import { getMetricData } from "./get-metric-data.ts";
import { getMetricStatistics } from "./get-metric-statistics.ts";
import { listMetrics } from "./list-metrics.ts";
import { setAlarmState } from "./set-alarm-state.ts";

type MetricOperation = (world: World, input: JsonInput) => object;

export const METRIC_OPERATIONS: { readonly [name: string]: MetricOperation } = {
  DescribeAlarms: describeAlarms,
  GetMetricData: getMetricData,
  GetMetricStatistics: getMetricStatistics,
  ListMetrics: listMetrics,
  SetAlarmState: setAlarmState,
};
