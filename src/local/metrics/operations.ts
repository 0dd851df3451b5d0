// CloudWatch's operations, one table for both of its protocols.
import type { JsonInput } from "../wire/aws-json.ts";
import type { World } from "../world.ts";
import { describeAlarmHistory } from "./describe-alarm-history.ts";
import { describeAlarms } from "./describe-alarms.ts";
import { getMetricData } from "./get-metric-data.ts";
import { getMetricStatistics } from "./get-metric-statistics.ts";
import { listMetrics } from "./list-metrics.ts";
import {
  deleteAlarmMuteRule,
  getAlarmMuteRule,
  listAlarmMuteRules,
  putAlarmMuteRule,
} from "./mute-operations.ts";
import { setAlarmState } from "./set-alarm-state.ts";

type MetricOperation = (world: World, input: JsonInput) => object;

export const METRIC_OPERATIONS: { readonly [name: string]: MetricOperation } = {
  DeleteAlarmMuteRule: deleteAlarmMuteRule,
  DescribeAlarmHistory: describeAlarmHistory,
  DescribeAlarms: describeAlarms,
  GetAlarmMuteRule: getAlarmMuteRule,
  GetMetricData: getMetricData,
  GetMetricStatistics: getMetricStatistics,
  ListAlarmMuteRules: listAlarmMuteRules,
  ListMetrics: listMetrics,
  PutAlarmMuteRule: putAlarmMuteRule,
  SetAlarmState: setAlarmState,
};
