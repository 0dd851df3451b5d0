// DescribeAlarmHistory: what alarms went through, by alarm, kind and time, in pages.
import type { JsonInput } from "../wire/aws-json.ts";
import { pageStart, said } from "../wire/said.ts";
import type { World } from "../world.ts";
import { invalidMetric, timeOf } from "./metric-input.ts";

const ITEMS_MAX = 100;
export function describeAlarmHistory(world: World, input: JsonInput): object {
  world.alarms.evaluate(world.clock.wallMs());
  const { AlarmName: alarm, HistoryItemType: kind, MaxRecords: most = ITEMS_MAX } = input;
  if (typeof most !== "number" || !(most >= 1 && most <= ITEMS_MAX))
    throw invalidMetric(`MaxRecords must be between 1 and ${ITEMS_MAX}.`);
  const fromMs = input.StartDate === undefined ? 0 : timeOf(input, "StartDate");
  const toMs = input.EndDate === undefined ? Number.POSITIVE_INFINITY : timeOf(input, "EndDate");
  const found = world.alarms.history.filter(
    (item) =>
      (alarm === undefined || item.alarm === said(alarm)) &&
      (kind === undefined || item.kind === kind) &&
      item.atMs >= fromMs &&
      item.atMs <= toMs,
  );
  if (input.ScanBy !== "TimestampAscending") found.reverse();
  const start = pageStart(input.NextToken);
  const next = start + Math.floor(most);
  return {
    AlarmHistoryItems: found.slice(start, next).map((item) => ({
      AlarmName: item.alarm,
      AlarmType: "MetricAlarm",
      Timestamp: item.atMs / 1_000,
      HistoryItemType: item.kind,
      HistorySummary: item.summary,
      HistoryData: JSON.stringify(item.data),
    })),
    ...(next < found.length ? { NextToken: String(next) } : {}),
  };
}
