// What becomes of an asynchronous event that is done or given up: records to queues, dead letters.
import type { Clock } from "../../core/time.ts";
import { type MessageAttributes, sizeBytesOf } from "../sqs/message.ts";
import type { QueueTable } from "../sqs/queue-table.ts";
import type { AsyncEnd, QueuedEvent } from "./async-queue.ts";
import { nameOf, qualified } from "./function-name.ts";
import type { FunctionTable } from "./function-table.ts";
import type { InvokeConfigs } from "./invoke-configs.ts";
import type { LambdaMetrics } from "./lambda-metrics.ts";

export interface DestinationDeps {
  readonly clock: Clock;
  readonly functions: FunctionTable;
  readonly queues: QueueTable;
  readonly invokeConfigs: InvokeConfigs;
  readonly metrics: LambdaMetrics;
}

/** A queue that is not there (any more) shows in the metrics only, as on AWS. */
export function handOn(queued: QueuedEvent, end: AsyncEnd, deps: DestinationDeps): void {
  const { functionName } = queued;
  const count = (metric: Parameters<LambdaMetrics["asyncEvent"]>[2]): void =>
    deps.metrics.asyncEvent(nameOf(functionName), deps.clock.wallMs(), metric);
  const done = end.condition === "Success";
  if (!done) count("AsyncEventsDropped");
  const { onSuccess, onFailure } = deps.invokeConfigs.destinationsOf(functionName);
  const destination = done ? onSuccess : onFailure;
  if (destination !== null && !send(deps, destination, recordOf(queued, end, deps), {}))
    count("DestinationDeliveryFailures");
  const deadLetter = deps.functions.target(functionName)?.version.config.deadLetterArn ?? null;
  if (done || deadLetter === null) return;
  if (!send(deps, deadLetter, queued.event, deadLetterAttributes(queued, end)))
    count("DeadLetterErrors");
}

function send(
  { functions, queues }: DestinationDeps,
  arn: string,
  body: string,
  attributes: MessageAttributes,
): boolean {
  const queue = queues.byArn(arn);
  if (queue === undefined) return false;
  const message = { body, attributes, systemAttributes: {}, senderId: functions.account };
  queues.send(queue, message, sizeBytesOf(message));
  return true;
}

/** Members and their order as recorded on AWS; payloads stand in it as JSON, not as text. */
function recordOf(queued: QueuedEvent, end: AsyncEnd, deps: DestinationDeps): string {
  const { outcome } = end;
  return JSON.stringify({
    version: "1.0",
    timestamp: new Date(deps.clock.wallMs()).toISOString(),
    requestContext: {
      requestId: queued.requestId,
      functionArn: deps.functions.arn(qualified(queued.functionName)),
      condition: end.condition,
      approximateInvokeCount: end.attempts,
    },
    requestPayload: JSON.parse(queued.event),
    ...(outcome === null
      ? {}
      : {
          responseContext: {
            statusCode: 200,
            executedVersion: outcome.executedVersion,
            ...(outcome.kind === "function-error" ? { functionError: "Unhandled" } : {}),
          },
          responsePayload: jsonOr(outcome.payload),
        }),
  });
}

/** Lambda cuts the message to a kilobyte (developer guide, "Dead-letter queues"). */
const ERROR_MESSAGE_MAX = 1_024;

/** What an event that never ran carries is our reading: a refusal's own code and text. */
function deadLetterAttributes({ requestId }: QueuedEvent, end: AsyncEnd): MessageAttributes {
  const { outcome } = end;
  const answer = outcome === null ? null : jsonOr(outcome.payload);
  const said = (answer as { errorMessage?: unknown } | null)?.errorMessage;
  const text = outcome === null ? "Rate Exceeded." : typeof said === "string" ? said : "";
  const message = text.slice(0, ERROR_MESSAGE_MAX);
  return {
    RequestID: { DataType: "String", StringValue: requestId },
    ErrorCode: { DataType: "Number", StringValue: outcome === null ? "429" : "200" },
    ...(message === "" ? {} : { ErrorMessage: { DataType: "String", StringValue: message } }),
  };
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
