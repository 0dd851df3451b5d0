// A new, empty account: clock, admission, pipeline, logs, metrics, wired to each other.
import { seededRng } from "../core/rng.ts";
import type { Clock } from "../core/time.ts";
import { AdmissionModel } from "../model/admission.ts";
import { scaledShardLimits } from "../model/shard-limits.ts";
import { callOperation } from "./call-operation.ts";
import { systemClock } from "./clock.ts";
import { Dependencies } from "./dependencies/dependencies.ts";
import { nothingDeployed } from "./deployment.ts";
import { TableStore } from "./dynamodb/table-store.ts";
import { WRITES_PER_SECOND, WriteLimits } from "./dynamodb/write-limits.ts";
import { createFunctionHost } from "./environments/create-host.ts";
import { deliverTo } from "./event-bus/deliver.ts";
import { EventBuses } from "./event-bus/event-buses.ts";
import { registerKinesis } from "./event-sources/kinesis-factory.ts";
import { MappingTable } from "./event-sources/mapping-table.ts";
import { registerSqs } from "./event-sources/sqs-factory.ts";
import { Roles } from "./iam/roles.ts";
import { KinesisMetrics } from "./kinesis/kinesis-metrics.ts";
import { StreamTable } from "./kinesis/stream-table.ts";
import { AsyncQueue } from "./lambda/async-queue.ts";
import { type DestinationDeps, handOn } from "./lambda/destinations.ts";
import { nameOf } from "./lambda/function-name.ts";
import { FunctionTable } from "./lambda/function-table.ts";
import type { HostFactory } from "./lambda/function-version.ts";
import { InvokeConfigs } from "./lambda/invoke-configs.ts";
import { InvokePipeline } from "./lambda/invoke-function.ts";
import { LambdaMetrics } from "./lambda/lambda-metrics.ts";
import { LogStore, SAME_NAME } from "./logs/store.ts";
import { runAction } from "./metrics/alarm-actions.ts";
import { AlarmTable } from "./metrics/alarm-table.ts";
import { MetricStore } from "./metrics/store.ts";
import { ObjectStore } from "./objects/object-store.ts";
import { accountLimits, type LocalAwsOptions } from "./options.ts";
import { PlannedErrors } from "./planned-errors.ts";
import { ScheduleTable } from "./scheduler/schedule-table.ts";
import { operationInput } from "./scheduler/target-input.ts";
import { QueueTable } from "./sqs/queue-table.ts";
import { SqsMetrics } from "./sqs/sqs-metrics.ts";
import type { World } from "./world.ts";

/** Which version a weighted alias takes for the k-th invocation is the same at every start. */
const ALIAS_SEED = 1;

/** What runs handlers and proxies; tests in virtual time bring their own, without processes. */
export interface Runners {
  readonly makeHost?: HostFactory;
  readonly dependencies?: Dependencies;
}

export function createWorld(
  options: LocalAwsOptions,
  clock: Clock = systemClock(),
  { makeHost = createFunctionHost, dependencies = new Dependencies() }: Runners = {},
): World {
  const functions = new FunctionTable(options.account, options.region, makeHost);
  const admission = new AdmissionModel(accountLimits(options));
  const logs = new LogStore(() => clock.wallMs());
  const metrics = new MetricStore();
  const lambdaMetrics = new LambdaMetrics(metrics);
  const ports = { functions, admission, logs, metrics: lambdaMetrics, clock };
  const pipeline = new InvokePipeline({ ...ports, rng: seededRng(ALIAS_SEED) });
  const { account, region, logsAccount, logsGroups } = options;
  const writes = Math.max(1, WRITES_PER_SECOND * options.scale);
  const sqsMetrics = new SqsMetrics(metrics);
  const queues = new QueueTable({ clock, account, region, metrics: sqsMetrics });
  const invokeConfigs = new InvokeConfigs();
  const deps = { clock, functions, queues, invokeConfigs, metrics: lambdaMetrics };
  const asyncQueue = asyncQueueOf({ ...deps, admission, pipeline });
  const invoking = { functions, admission, pipeline, asyncQueue, invokeConfigs };
  const schedules: ScheduleTable = new ScheduleTable(clock, (role, service, action, input) =>
    callOperation(world, { role, service, action, input: operationInput(input) }),
  );
  const invoke = (functionArn: string, Payload: string): Promise<object> =>
    callOperation(world, {
      ...{ role: "", service: "lambda", action: "Invoke" },
      input: { FunctionName: functionArn, InvocationType: "Event", Payload },
    });
  const world: World = {
    account,
    region,
    clock,
    logsAccount:
      logsAccount === undefined ? null : { account: logsAccount, groups: logsGroups ?? SAME_NAME },
    pageMost: options.pageMost ?? null,
    ...invoking,
    logs,
    metrics,
    alarms: new AlarmTable(metrics, (action, turn) =>
      runAction(action, turn, { account, region, invoke }),
    ),
    lambdaMetrics,
    sqsMetrics,
    queues,
    streams: streamsOf(options, clock, metrics),
    mappings: new MappingTable(clock),
    tables: new TableStore(account, region, new WriteLimits(clock, writes)),
    objects: new ObjectStore(),
    schedules,
    eventBuses: new EventBuses(clock.wallMs(), deliverTo({ account, queues, invoke })),
    planned: new PlannedErrors(),
    parameters: new Map(),
    sessions: new Map(),
    roles: new Roles(),
    dependencies,
    deployment: nothingDeployed(clock.wallMs()),
    audit: [],
    calls: new Map(),
  };
  registerSqs(world, options.scale);
  registerKinesis(world);
  return world;
}

interface AsyncDeps extends DestinationDeps {
  readonly admission: AdmissionModel;
  readonly pipeline: InvokePipeline;
}

function asyncQueueOf({ admission, pipeline, ...deps }: AsyncDeps): AsyncQueue {
  const { clock, invokeConfigs, metrics } = deps;
  return new AsyncQueue({
    clock,
    run: ({ functionName, event, requestId, traceId }) =>
      pipeline.invoke(functionName, event, { requestId, traceId, tail: false }),
    isOff: (target) => admission.limitsOf(nameOf(target)).reserved === 0,
    limitsOf: (target) => invokeConfigs.limitsOf(target),
    attempted: ({ functionName }, ageMs) =>
      metrics.asyncAge(nameOf(functionName), clock.wallMs(), ageMs),
    ended: (queued, end) => handOn(queued, end, deps),
  });
}

function streamsOf(options: LocalAwsOptions, clock: Clock, metrics: MetricStore): StreamTable {
  const { account, region, scale } = options;
  const limits = scaledShardLimits(scale);
  return new StreamTable({ clock, account, region, limits, metrics: new KinesisMetrics(metrics) });
}
