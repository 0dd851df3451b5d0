// Everything that an operation of local AWS may look at or change.
import type { Clock } from "../core/time.ts";
import type { AdmissionModel } from "../model/admission.ts";
import type { Dependencies } from "./dependencies/dependencies.ts";
import type { Deployment } from "./deployment.ts";
import type { TableStore } from "./dynamodb/table-store.ts";
import type { EventBuses } from "./event-bus/event-buses.ts";
import type { MappingTable } from "./event-sources/mapping-table.ts";
import type { Roles } from "./iam/roles.ts";
import type { StreamTable } from "./kinesis/stream-table.ts";
import type { AsyncQueue } from "./lambda/async-queue.ts";
import type { FunctionTable } from "./lambda/function-table.ts";
import type { InvokeConfigs } from "./lambda/invoke-configs.ts";
import type { InvokePipeline } from "./lambda/invoke-function.ts";
import type { LambdaMetrics } from "./lambda/lambda-metrics.ts";
import type { LogStore, LogsAccount } from "./logs/store.ts";
import type { AlarmTable } from "./metrics/alarm-table.ts";
import type { MetricStore } from "./metrics/store.ts";
import type { ObjectStore } from "./objects/object-store.ts";
import type { PlannedErrors } from "./planned-errors.ts";
import type { ScheduleTable } from "./scheduler/schedule-table.ts";
import type { QueueTable } from "./sqs/queue-table.ts";
import type { SqsMetrics } from "./sqs/sqs-metrics.ts";
import type { Parameter } from "./ssm/parameter.ts";

export interface World {
  readonly account: string;
  readonly region: string;
  readonly clock: Clock;
  readonly logsAccount: LogsAccount | null;
  /** Most items in a page of a list, whatever is asked; null = AWS's own limits. */
  readonly pageMost: number | null;
  readonly functions: FunctionTable;
  readonly admission: AdmissionModel;
  readonly pipeline: InvokePipeline;
  readonly asyncQueue: AsyncQueue;
  readonly invokeConfigs: InvokeConfigs;
  readonly logs: LogStore;
  readonly metrics: MetricStore;
  readonly alarms: AlarmTable;
  readonly lambdaMetrics: LambdaMetrics;
  readonly sqsMetrics: SqsMetrics;
  readonly queues: QueueTable;
  readonly streams: StreamTable;
  readonly mappings: MappingTable;
  readonly tables: TableStore;
  readonly objects: ObjectStore;
  readonly schedules: ScheduleTable;
  readonly eventBuses: EventBuses;
  readonly planned: PlannedErrors;
  /** By name. */
  readonly parameters: Map<string, Parameter>;
  /** Access key of an assumed role → who that is. */
  readonly sessions: Map<string, Session>;
  readonly roles: Roles;
  readonly dependencies: Dependencies;
  readonly deployment: Deployment;
  readonly audit: AuditEntry[];
  /** Role or access key → operations that were called, each once. */
  readonly calls: Map<string, Set<string>>;
}

/** Of an assumed role: who it is, and the credentials that were given out for it. */
export interface Session {
  readonly arn: string;
  readonly id: string;
  readonly account: string;
  readonly secret: string;
  readonly token: string;
}

/** One control-plane write that was carried out. */
export interface AuditEntry {
  readonly action: string;
  readonly resource: string;
  readonly atEpochMs: number;
  readonly input: { readonly [key: string]: unknown };
}

/** Adds to the audit; reads are not in it. */
export function audit(
  world: World,
  action: string,
  resource: string,
  input: AuditEntry["input"] = {},
): void {
  world.audit.push({ action, resource, atEpochMs: world.clock.wallMs(), input });
}
