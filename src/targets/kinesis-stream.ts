// A stream as a target: hand-built, signed PutRecords over the load path's own client.

import { AWS_ENDPOINT } from "../aws/endpoint.ts";
import { type Credentials, requestSigner, type Sign } from "../aws/sigv4.ts";
import type { Answer, BatchTarget, Call, ItemAnswer, ItemCall } from "../core/arrival.ts";
import { GatecrashError } from "../core/error.ts";
import type { Outcome, Reason, Refuser } from "../core/outcome.ts";
import { type Clock, runUs } from "../core/time.ts";
import type { Exchange } from "../wire/exchange.ts";
import { createHttpClient, type HttpClient } from "../wire/http-client.ts";
import { parseOrigin } from "../wire/origin.ts";
import { serializePlaced, type WireRequest } from "../wire/request.ts";
import { isExpired, notSent } from "./exchange-answer.ts";
import {
  bodyBytesMax,
  errorType,
  type RecordResult,
  recordResults,
  writeBody,
} from "./put-records-body.ts";
import { Rooms } from "./rooms.ts";

export interface KinesisStreamOptions {
  /** Name or ARN. */
  readonly stream: string;
  /** `http://127.0.0.1:PORT`, or `aws`. */
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: () => Promise<Credentials>;
  readonly clock: Pick<Clock, "nowUs" | "wallMs">;
  /** From send to last byte, connecting included. */
  readonly timeoutUs: number;
}

/** Answers of PutRecords: 500 results of at most some 250 bytes. */
const ANSWER_BYTES = 262_144;
/** Signature, session token (some 1.5 KB) and the rest. */
const HEAD_BYTES_MAX = 8_192;
const REQUEST_ID = 0;
const HEADERS = {
  "content-type": "application/x-amz-json-1.1",
  "x-amz-target": "Kinesis_20131202.PutRecords",
};

/**
 * One call, one request, never sent again here. A 200 answers for each record by itself; an error
 * of the call is every record's. A status of 500 or more is unknown: part of it may be stored.
 * `send` is a batch of one. Throws `scenario` for a call that is no item.
 */
export function kinesisStreamTarget(options: KinesisStreamOptions): BatchTarget {
  return new KinesisStreamTarget(options);
}

class KinesisStreamTarget implements BatchTarget {
  inFlight = 0;
  readonly #options: KinesisStreamOptions;
  readonly #client: HttpClient;
  readonly #host: string;
  readonly #sign: Sign;
  readonly #rooms = new Rooms();
  #calls = 0;
  /** Calls that could not be signed: this machine's credentials ran out. */
  #unsigned = 0;

  constructor(options: KinesisStreamOptions) {
    const { endpoint, region, credentials, clock, timeoutUs } = options;
    const url = endpoint === AWS_ENDPOINT ? `https://kinesis.${region}.amazonaws.com` : endpoint;
    const origin = parseOrigin(url);
    this.#options = options;
    this.#host = origin.hostHeader;
    this.#sign = requestSigner({ service: "kinesis", region, credentials });
    this.#client = createHttpClient({
      origin,
      now: () => clock.nowUs(),
      timeoutUs,
      captureHeaders: ["x-amzn-requestid"],
      captureBody: () => ANSWER_BYTES,
    });
  }

  get ownFailures(): number {
    return this.#client.ownFailures + this.#unsigned;
  }

  send(call: Call, done: (answer: Answer) => void): void {
    this.sendBatch([call], ([answer]) => done(answer!));
  }

  sendBatch(calls: readonly Call[], done: (answers: readonly Answer[]) => void): void {
    const call = this.#calls++;
    this.inFlight += calls.length;
    const ended = (exchange: Exchange): void => {
      this.inFlight -= calls.length;
      done(answersOf(exchange, calls.length, call));
    };
    const records = calls.map(itemOf);
    const room = this.#rooms.take(HEAD_BYTES_MAX + bodyBytesMax(this.#options.stream, records));
    this.#request(records, room).then(
      (request) =>
        this.#client.send(request, (exchange) => {
          // Only who has read the whole request answers 200: nothing of it is still to be sent.
          if (exchange.status === 200) this.#rooms.give(room);
          ended(exchange);
        }),
      () => {
        this.#unsigned++;
        ended(notSent(this.#options.clock.nowUs()));
      },
    );
  }

  async #request(records: readonly ItemCall[], room: Buffer): Promise<WireRequest> {
    const from = HEAD_BYTES_MAX;
    const to = writeBody(room, from, this.#options.stream, records);
    const body = room.subarray(from, to);
    const unsigned = { method: "POST", path: "/", host: this.#host, headers: HEADERS, body };
    const headers = await this.#sign(unsigned, this.#options.clock.wallMs());
    return serializePlaced(this.#host, { method: "POST", path: "/", headers }, { room, from, to });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }
}

function itemOf(call: Call): ItemCall {
  if (call.kind === "item") return call;
  throw new GatecrashError("scenario", `a stream cannot be sent a call of kind ${call.kind}`);
}

/** How it ended for a record: the part of its answer that is not the call's. */
interface End {
  readonly outcome: Exclude<Outcome, "dropped">;
  readonly refusedBy: Refuser;
  readonly reason: Reason;
}

const OK: End = { outcome: "ok", refusedBy: "", reason: "" };
const THROTTLED: End = { outcome: "throttled", refusedBy: "kinesis.shard", reason: "" };
const EXPIRED: End = { outcome: "errored", refusedBy: "", reason: "credentials" };
const SERVICE: End = { outcome: "errored", refusedBy: "", reason: "service" };
const THROUGHPUT_EXCEEDED = "ProvisionedThroughputExceededException";
/** Refusals of a whole call for its rate. */
const THROTTLES = [THROUGHPUT_EXCEEDED, "LimitExceededException", "ThrottlingException"];
/** Failures before anything was sent; after it, the stream may or may not have stored. */
const NOT_SENT: readonly Reason[] = ["dns", "connect", "tls", "credentials"];

function answersOf(exchange: Exchange, count: number, call: number): Answer[] {
  const { failure, status, body } = exchange;
  const whole = failure === "" && status === 200 && body !== null;
  const results = whole ? recordResults(body, count) : null;
  const end = results === null ? endOfCall(exchange) : OK;
  const answers: Answer[] = [];
  for (let position = 0; position < count; position++) {
    const result = results?.[position];
    const shard = shardOf(result?.ShardId);
    const item = { call, position, items: count, shard, sequence: result?.SequenceNumber ?? "" };
    answers.push(answerOf(exchange, result === undefined ? end : endOfRecord(result), item));
  }
  return answers;
}

function endOfCall({ failure, status, body }: Exchange): End {
  if (failure !== "") {
    const outcome = NOT_SENT.includes(failure) ? "errored" : "unknown";
    return { outcome, refusedBy: "", reason: failure };
  }
  if (status === 200) return { outcome: "unknown", refusedBy: "", reason: "parse" };
  if (body !== null && THROTTLES.includes(errorType(body))) return THROTTLED;
  if (body !== null && isExpired(errorType(body))) return EXPIRED;
  return status >= 500 ? { ...SERVICE, outcome: "unknown" } : SERVICE;
}

function endOfRecord({ ErrorCode, SequenceNumber }: RecordResult): End {
  if (ErrorCode === THROUGHPUT_EXCEEDED) return THROTTLED;
  return ErrorCode === undefined && SequenceNumber !== undefined ? OK : SERVICE;
}

/** −1 = not stored. */
function shardOf(id: string | undefined): number {
  const shard = id === undefined ? Number.NaN : Number.parseInt(id.slice("shardId-".length), 10);
  return Number.isNaN(shard) ? -1 : shard;
}

/** Written out: an object that is spread costs as much as everything else about a record. */
const answerOf = (exchange: Exchange, end: End, item: ItemAnswer): Answer => ({
  outcome: end.outcome,
  refusedBy: end.refusedBy,
  reason: end.reason,
  degraded: false,
  status: exchange.status,
  sentUs: runUs(exchange.sentUs),
  firstByteUs: runUs(exchange.firstByteUs),
  doneUs: runUs(exchange.doneUs),
  connectUs: exchange.connectUs,
  tlsUs: exchange.tlsUs,
  bytesOut: exchange.bytesOut,
  bytesIn: exchange.bytesIn,
  newConnection: exchange.newConnection,
  requestId: exchange.headers[REQUEST_ID] ?? "",
  item,
});
