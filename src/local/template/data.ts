// A template's queues, tables and alarms, as what local AWS creates; `scale` is applied.
import { DEFAULT_SETTINGS, withAttributes } from "../sqs/settings.ts";
import type { AlarmResource, QueueResource, TableResource } from "./schema-data.ts";
import type { AlarmSpec, QueueSpec, TableSpec } from "./types.ts";

export function queueOf(id: string, resource: QueueResource): QueueSpec {
  const { QueueName: name = `local-${id}`, Tags: _tags, ...attributes } = resource.Properties ?? {};
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return { name, settings: withAttributes(DEFAULT_SETTINGS, Object.fromEntries(given)) };
}

/** The CreateTable request that makes the table. */
export function tableOf(id: string, { Properties: properties }: TableResource): TableSpec {
  const { TableName: name = `local-${id}`, ...rest } = properties;
  const { AttributeDefinitions, KeySchema, BillingMode, ProvisionedThroughput } = rest;
  const { GlobalSecondaryIndexes, LocalSecondaryIndexes } = rest;
  const request = {
    TableName: name,
    AttributeDefinitions,
    KeySchema,
    BillingMode: BillingMode ?? "PROVISIONED",
    ...(ProvisionedThroughput === undefined ? {} : { ProvisionedThroughput }),
    ...(GlobalSecondaryIndexes === undefined ? {} : { GlobalSecondaryIndexes }),
    ...(LocalSecondaryIndexes === undefined ? {} : { LocalSecondaryIndexes }),
  };
  return { name, request };
}

/** Their thresholds are concurrencies, so they are scaled as the quota is. */
const CONCURRENCIES = [
  "ConcurrentExecutions",
  "UnreservedConcurrentExecutions",
  "ClaimedAccountConcurrency",
  "ProvisionedConcurrentExecutions",
];

export function alarmOf(id: string, resource: AlarmResource, scale: number): AlarmSpec {
  const { Properties: given } = resource;
  const scaled = given.Namespace === "AWS/Lambda" && CONCURRENCIES.includes(given.MetricName);
  return {
    name: given.AlarmName ?? `local-${id}`,
    description: given.AlarmDescription ?? null,
    namespace: given.Namespace,
    metric: given.MetricName,
    dimensions: given.Dimensions ?? [],
    statistic: given.ExtendedStatistic ?? given.Statistic ?? "Average",
    periodMs: given.Period * 1_000,
    evaluationPeriods: given.EvaluationPeriods,
    datapointsToAlarm: given.DatapointsToAlarm ?? given.EvaluationPeriods,
    threshold: scaled ? given.Threshold * scale : given.Threshold,
    comparison: given.ComparisonOperator,
    missing: given.TreatMissingData ?? "missing",
    actionsEnabled: given.ActionsEnabled ?? true,
    actions: {
      alarm: given.AlarmActions ?? [],
      ok: given.OKActions ?? [],
      insufficientData: given.InsufficientDataActions ?? [],
    },
  };
}
