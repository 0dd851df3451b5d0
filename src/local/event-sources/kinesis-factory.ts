// Mappings from streams: made by CreateEventSourceMapping, or deployed with the template.

import { GatecrashError } from "../../core/error.ts";
import type { Clock } from "../../core/time.ts";
import { invalidParameter } from "../aws-error.ts";
import type { StreamTable } from "../kinesis/stream-table.ts";
import { nameOf } from "../lambda/function-name.ts";
import type { FunctionTable } from "../lambda/function-table.ts";
import type { InvokePipeline } from "../lambda/invoke-function.ts";
import { addValue, type MetricStore } from "../metrics/store.ts";
import { sizeBytesOf } from "../sqs/message.ts";
import type { QueueTable } from "../sqs/queue-table.ts";
import type { StreamMappingSpec } from "../template/types.ts";
import { said } from "../wire/said.ts";
import type { EventSourceFactory } from "./event-source.ts";
import { KinesisMapping } from "./kinesis-mapping.ts";
import { settingsOf, startingPositionOf } from "./kinesis-settings.ts";
import type { KinesisMappingDeps, KinesisMappingSpec } from "./kinesis-spec.ts";
import type { MappingTable } from "./mapping-table.ts";

export interface KinesisMappingWorld {
  readonly account: string;
  readonly region: string;
  readonly clock: Clock;
  readonly streams: StreamTable;
  readonly queues: QueueTable;
  readonly functions: FunctionTable;
  readonly pipeline: InvokePipeline;
  readonly metrics: MetricStore;
  readonly mappings: MappingTable;
}

function depsOf(world: KinesisMappingWorld): KinesisMappingDeps {
  const { account, region, clock, streams, queues, functions, pipeline, metrics } = world;
  return {
    clock,
    region,
    streams,
    invoke: (name, event) => pipeline.invoke(name, event, { traceId: null, tail: false }),
    functionArn: (name) => functions.arn(name),
    roleArn: `arn:aws:iam::${account}:role/local-event-source`,
    send: (queueArn, body) => {
      const queue = queues.byArn(queueArn);
      const message = { body, attributes: {}, systemAttributes: {}, senderId: "lambda" };
      if (queue !== undefined) queues.send(queue, message, sizeBytesOf(message));
    },
    iteratorAge: (name, ageMs) => {
      const dimensions = [{ Name: "FunctionName", Value: nameOf(name) }];
      const series = metrics.open("AWS/Lambda", "IteratorAge", dimensions, "Milliseconds");
      addValue(series, clock.wallMs(), ageMs);
    },
  };
}

/** Registers streams as sources for CreateEventSourceMapping. */
export function registerKinesis(world: KinesisMappingWorld): void {
  const deps = depsOf(world);
  const factory: EventSourceFactory = (uuid, input, functionName) => {
    const streamArn = said(input.EventSourceArn);
    const startingPosition = startingPositionOf(input);
    const spec = { uuid, streamArn, functionName, startingPosition, ...settingsOf(input) };
    const wrong = problemOf(world, spec);
    if (wrong !== null) throw invalidParameter(wrong, { extra: { Type: "User" } });
    return new KinesisMapping(spec, deps);
  };
  world.mappings.kinds.set("kinesis", factory);
}

/** Deploying would fail, too: throws a `scenario` error for a stream or queue that is not there. */
export function deployKinesis(
  world: KinesisMappingWorld,
  specs: readonly StreamMappingSpec[],
): void {
  const deps = depsOf(world);
  for (const { spec, enabled } of specs) {
    const wrong = problemOf(world, spec);
    if (wrong !== null)
      throw new GatecrashError("scenario", `the Kinesis event of ${spec.functionName}: ${wrong}`);
    world.mappings.deployed(new KinesisMapping(spec, deps), enabled);
  }
}

/** The texts are our own: AWS's are not recorded. Null = nothing is wrong. */
function problemOf(world: KinesisMappingWorld, spec: KinesisMappingSpec): string | null {
  const { streamArn, onFailure } = spec;
  if (world.streams.byArn(streamArn) === undefined) return `Stream not found: ${streamArn}`;
  if (onFailure !== null && world.queues.byArn(onFailure) === undefined)
    return `The destination ARN ${onFailure} is no queue of local AWS.`;
  return null;
}
