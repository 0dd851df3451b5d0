// A queue as a target: hand-built, signed SendMessageBatch over the load path's own client.
import type { Credentials } from "../aws/sigv4.ts";
import type { Answer, BatchTarget, Call, ItemCall } from "../core/arrival.ts";
import { GatecrashError } from "../core/error.ts";
import type { Clock } from "../core/time.ts";
import type { Exchange } from "../wire/exchange.ts";
import { answerOf, failedReading, isExpired, type Reading } from "./exchange-answer.ts";
import {
  errorOf,
  type MessageResult,
  messageResults,
  sendMessageBatchBody,
} from "./send-message-batch.ts";
import { REQUEST_ID, SignedCalls } from "./signed-calls.ts";

export interface SqsQueueOptions {
  /** URL or ARN. */
  readonly queue: string;
  /** `http://127.0.0.1:PORT`, or `aws`: where calls go, whatever host the queue's URL names. */
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: () => Promise<Credentials>;
  readonly clock: Pick<Clock, "nowUs" | "wallMs">;
  /** From send to last byte, connecting included. */
  readonly timeoutUs: number;
}

/** Answers of SendMessageBatch: ten results of some 250 bytes. */
const ANSWER_BYTES = 16_384;
const HEADERS = {
  "content-type": "application/x-amz-json-1.0",
  "x-amz-target": "AmazonSQS.SendMessageBatch",
};

/**
 * One call, one request, never sent again here. A 200 answers for each message by itself; an error
 * of the call is every message's. A status of 500 or more is unknown: some may have been stored.
 * `send` is a batch of one. Throws `scenario` for a call that is no item.
 */
export function sqsQueueTarget(options: SqsQueueOptions): BatchTarget {
  return new SqsQueueTarget(options);
}

class SqsQueueTarget implements BatchTarget {
  inFlight = 0;
  readonly #calls: SignedCalls;
  readonly #queueUrl: string;
  #sent = 0;

  constructor({ queue, ...options }: SqsQueueOptions) {
    this.#queueUrl = queueUrlOf(queue);
    const service = { service: "sqs", headers: HEADERS, answerBytesMax: ANSWER_BYTES };
    this.#calls = new SignedCalls({ ...options, ...service });
  }

  get ownFailures(): number {
    return this.#calls.ownFailures;
  }

  send(call: Call, done: (answer: Answer) => void): void {
    this.sendBatch([call], ([answer]) => done(answer!));
  }

  sendBatch(calls: readonly Call[], done: (answers: readonly Answer[]) => void): void {
    const call = this.#sent++;
    this.inFlight += calls.length;
    this.#calls.send(sendMessageBatchBody(this.#queueUrl, calls.map(itemOf)), (exchange) => {
      this.inFlight -= calls.length;
      done(answersOf(exchange, calls.length, call));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#calls[Symbol.asyncDispose]();
  }
}

/** A queue's URL as AWS makes it of the ARN's parts. */
function queueUrlOf(queue: string): string {
  const [, region, account, name] = /^arn:aws:sqs:([^:]+):(\d+):(.+)$/.exec(queue) ?? [];
  if (name === undefined) return queue;
  return `https://sqs.${region}.amazonaws.com/${account}/${name}`;
}

function itemOf(call: Call): ItemCall {
  if (call.kind === "item") return call;
  throw new GatecrashError("scenario", `a queue cannot be sent a call of kind ${call.kind}`);
}

type End = Pick<Reading, "outcome" | "refusedBy" | "reason">;

const OK: End = { outcome: "ok", refusedBy: "", reason: "" };
const THROTTLED: End = { outcome: "throttled", refusedBy: "sqs", reason: "" };
const EXPIRED: End = { outcome: "errored", refusedBy: "", reason: "credentials" };
const SERVICE: End = { outcome: "errored", refusedBy: "", reason: "service" };
/** Refusals for a rate, of a whole call or of one message. */
const THROTTLES = ["RequestThrottled", "ThrottlingException", "OverLimit", "KmsThrottled"];

function answersOf(exchange: Exchange, count: number, call: number): Answer[] {
  const { failure, status, body } = exchange;
  const whole = failure === "" && status === 200 && body !== null;
  const results = whole ? messageResults(body, count) : null;
  const end = results === null ? endOfCall(exchange) : OK;
  const requestId = exchange.headers[REQUEST_ID] ?? "";
  return Array.from({ length: count }, (_, position) => {
    const result = results?.[position];
    const of = result === undefined ? end : endOfMessage(result);
    const item = { call, position, items: count, shard: -1, sequence: result?.MessageId ?? "" };
    return { ...answerOf(exchange, { ...of, degraded: false, requestId }), item };
  });
}

function endOfCall({ failure, status, body }: Exchange): End {
  if (failure !== "") return failedReading(failure);
  if (status === 200) return { outcome: "unknown", refusedBy: "", reason: "parse" };
  if (body !== null && isThrottle(errorOf(body))) return THROTTLED;
  if (body !== null && isExpired(errorOf(body))) return EXPIRED;
  return status >= 500 ? { ...SERVICE, outcome: "unknown" } : SERVICE;
}

/** `InternalError`: nobody says whether it was stored. */
function endOfMessage({ MessageId, Code, SenderFault }: MessageResult): End {
  if (Code === undefined) return MessageId === undefined ? SERVICE : OK;
  if (isThrottle(Code)) return THROTTLED;
  return SenderFault === false ? { ...SERVICE, outcome: "unknown" } : SERVICE;
}

const isThrottle = (code: string): boolean => THROTTLES.includes(code.split(".").at(-1) ?? "");
