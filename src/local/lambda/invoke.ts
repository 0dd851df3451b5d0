// Invoke: RequestResponse (with the log's tail when asked for), Event and DryRun.
import { randomBytes, randomUUID } from "node:crypto";
import { messageOf } from "../../core/error.ts";
import { AwsError, invalidParameter } from "../aws-error.ts";
import type { InvokeOutcome } from "../function-host.ts";
import type { World } from "../world.ts";
import { type Resolved, targetOf } from "./function-table.ts";
import type { RestAnswer, RestCall } from "./rest-call.ts";
import { throttleError } from "./throttle-error.ts";

/** Synchronous payloads, in and out. */
const PAYLOAD_BYTES_MAX = 6_291_456;
const ASYNC_PAYLOAD_BYTES_MAX = 1_048_576;

export async function invoke(world: World, call: RestCall): Promise<RestAnswer> {
  const found = world.functions.resolve(call);
  const type = String(call.headers["x-amz-invocation-type"] ?? "RequestResponse");
  const event = eventOf(call.body);
  if (type === "DryRun") return { status: 204 };
  if (type === "Event") return accept(world, found, call, event);
  if (type !== "RequestResponse")
    throw invalidParameter(`InvocationType ${type} is not modelled by local AWS`);
  const traceId = traceIdOf(found, call);
  const tail = call.headers["x-amz-log-type"] === "Tail";
  const outcome = await world.pipeline.invoke(targetOf(found), event, { traceId, tail });
  if (outcome.kind === "throttled") throw throttleError(outcome.reason);
  return {
    status: 200,
    requestId: outcome.requestId,
    headers: headersOf(outcome, traceId, tail),
    body: outcome.payload,
  };
}

/** 202 with an empty body and no executed version, whatever becomes of the event. */
function accept(world: World, found: Resolved, call: RestCall, event: string): RestAnswer {
  if (call.body.length > ASYNC_PAYLOAD_BYTES_MAX) throw tooLarge(ASYNC_PAYLOAD_BYTES_MAX);
  const requestId = randomUUID();
  const functionName = targetOf(found);
  world.lambdaMetrics.asyncEvent(found.fn.name, world.clock.wallMs(), "AsyncEventsReceived");
  world.asyncQueue.accept({ functionName, event, requestId, traceId: traceIdOf(found, call) });
  return { status: 202, requestId };
}

const tooLarge = (sizeBytes: number): AwsError =>
  new AwsError(
    "RequestTooLargeException",
    413,
    `Request must be smaller than ${sizeBytes} bytes for the InvokeFunction operation`,
  );

function eventOf(body: Buffer): string {
  if (body.length > PAYLOAD_BYTES_MAX) throw tooLarge(PAYLOAD_BYTES_MAX);
  const text = body.length === 0 ? "{}" : body.toString("utf8");
  try {
    JSON.parse(text);
  } catch (thrown) {
    throw new AwsError(
      "InvalidRequestContentException",
      400,
      `Could not parse request body into json: ${messageOf(thrown)}`,
      { extra: { Type: "User" } },
    );
  }
  return text;
}

/** The caller's own trace id; with active tracing Lambda makes one where there is none. */
function traceIdOf({ version }: Resolved, call: RestCall): string | null {
  const sent = call.headers["x-amzn-trace-id"];
  if (typeof sent === "string") return sent;
  if (!version.config.activeTracing) return null;
  const seconds = Math.floor(Date.now() / 1_000).toString(16);
  const [root, parent] = [randomBytes(12).toString("hex"), randomBytes(8).toString("hex")];
  return `Root=1-${seconds}-${root};Parent=${parent};Sampled=1`;
}

function headersOf(
  outcome: InvokeOutcome,
  traceId: string | null,
  tail: boolean,
): { [name: string]: string } {
  return {
    "X-Amz-Executed-Version": outcome.executedVersion,
    ...(outcome.kind === "function-error" ? { "X-Amz-Function-Error": "Unhandled" } : {}),
    ...(tail ? { "X-Amz-Log-Result": Buffer.from(outcome.tail).toString("base64") } : {}),
    ...(traceId === null ? {} : { "X-Amzn-Trace-Id": traceId }),
  };
}
