// Mappings from queues: made by CreateEventSourceMapping, or deployed with the template.

import { GatecrashError } from "../../core/error.ts";
import type { Clock } from "../../core/time.ts";
import { invalidParameter } from "../aws-error.ts";
import type { FunctionTable } from "../lambda/function-table.ts";
import type { InvokePipeline } from "../lambda/invoke-function.ts";
import type { QueueTable } from "../sqs/queue-table.ts";
import type { SqsMappingSpec } from "../template/types.ts";
import { said } from "../wire/said.ts";
import type { EventSourceFactory } from "./event-source.ts";
import type { MappingTable } from "./mapping-table.ts";
import { POLLERS, type PollerLimits } from "./poller-count.ts";
import { settingsOf, visibilityProblem, windowProblem } from "./sqs-settings.ts";
import { SqsSource, type SqsSourceDeps } from "./sqs-source.ts";

export interface SqsMappingWorld {
  readonly clock: Clock;
  readonly queues: QueueTable;
  readonly functions: FunctionTable;
  readonly pipeline: InvokePipeline;
  readonly mappings: MappingTable;
}

/** Growth and maximum are concurrencies; the five that a mapping starts with are a constant. */
const scaledPollers = (scale: number): PollerLimits => ({
  start: POLLERS.start,
  perMinute: POLLERS.perMinute * scale,
  max: Math.max(POLLERS.start, Math.round(POLLERS.max * scale)),
});

function depsOf({ clock, queues, pipeline }: SqsMappingWorld, scale: number): SqsSourceDeps {
  return {
    clock,
    queues,
    pollers: scaledPollers(scale),
    invoke: (name, event) => pipeline.invoke(name, event, { traceId: null, tail: false }),
  };
}

/** Registers queues as sources for CreateEventSourceMapping. */
export function registerSqs(world: SqsMappingWorld, scale: number): void {
  const deps = depsOf(world, scale);
  const factory: EventSourceFactory = (uuid, input, functionName) => {
    const queueArn = said(input.EventSourceArn);
    const spec = { uuid, queueArn, functionName, enabled: true, ...settingsOf(input) };
    const wrong = problemOf(world, spec);
    if (wrong !== null) throw invalidParameter(wrong, { extra: { Type: "User" } });
    return new SqsSource(spec, deps);
  };
  world.mappings.kinds.set("sqs", factory);
}

/** Deploying would fail, too: throws a `scenario` error for what AWS would refuse. */
export function deploySqs(
  world: SqsMappingWorld,
  specs: readonly SqsMappingSpec[],
  scale: number,
): void {
  const deps = depsOf(world, scale);
  for (const spec of specs) {
    const wrong = problemOf(world, spec);
    if (wrong !== null)
      throw new GatecrashError("scenario", `the SQS event of ${spec.functionName}: ${wrong}`);
    world.mappings.deployed(new SqsSource(spec, deps), spec.enabled);
  }
}

/** What AWS's own words are for it; null = nothing is wrong. */
function problemOf({ queues, functions }: SqsMappingWorld, spec: SqsMappingSpec): string | null {
  const queue = queues.byArn(spec.queueArn);
  if (queue === undefined)
    return (
      "Error occurred while ReceiveMessage. SQS Error Code: " +
      "AWS.SimpleQueueService.NonExistentQueue. SQS Error Message: The specified queue does not " +
      "exist."
    );
  const timeoutMs = functions.target(spec.functionName)?.version.spec.timeoutMs ?? 0;
  return windowProblem(spec) ?? visibilityProblem(queue.settings.visibilityTimeoutS, timeoutMs);
}
