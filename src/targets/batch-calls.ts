// A target whose calls carry several items, each answered for: what streams and queues share.
import type { Answer, BatchTarget, Call, ItemCall } from "../core/arrival.ts";
import { GatecrashError } from "../core/error.ts";
import type { Exchange } from "../wire/exchange.ts";
import { type End, failedReading, isExpired, itemAnswerOf } from "./exchange-answer.ts";
import { errorType } from "./json-answer.ts";
import { REQUEST_ID, SignedCalls, type SignedCallsOptions } from "./signed-calls.ts";

export const OK: End = { outcome: "ok", refusedBy: "", reason: "" };
export const SERVICE: End = { outcome: "errored", refusedBy: "", reason: "service" };
/** Nobody says whether it was stored. */
export const MAYBE: End = { outcome: "unknown", refusedBy: "", reason: "service" };
const EXPIRED: End = { outcome: "errored", refusedBy: "", reason: "credentials" };
const UNREADABLE: End = { outcome: "unknown", refusedBy: "", reason: "parse" };

/** What differs between services; `R` is the part of an answer that is one item's. */
export interface BatchProtocol<R>
  extends Pick<SignedCallsOptions, "service" | "headers" | "answerBytesMax"> {
  /** For complaints: `a stream`. */
  readonly name: string;
  readonly throttled: End;
  /** Is an error of this name a refusal of the whole call for its rate? */
  readonly isThrottle: (error: string) => boolean;
  readonly bodyBytesMax: (items: readonly ItemCall[]) => number;
  /** Writes the body into a buffer from a place on; returns where it ends. */
  readonly writeBody: (into: Buffer, from: number, items: readonly ItemCall[]) => number;
  /** By position; null = no answer for so many items. */
  readonly results: (body: Buffer, count: number) => readonly R[] | null;
  readonly endOf: (result: R) => End;
  /** Of what was stored: as ItemAnswer has it. */
  readonly shardOf: (result: R) => number;
  readonly sequenceOf: (result: R) => string | undefined;
}

export type BatchCallsOptions = Omit<SignedCallsOptions, "service" | "headers" | "answerBytesMax">;

/**
 * One call, one request, never sent again here. A 200 answers for each item by itself; an error
 * of the call is every item's. A status of 500 or more is unknown: part of it may be stored.
 * `send` is a batch of one. Throws `scenario` for a call that is no item.
 */
export class BatchCalls<R> implements BatchTarget {
  inFlight = 0;
  readonly #protocol: BatchProtocol<R>;
  readonly #calls: SignedCalls;
  #sent = 0;

  constructor(protocol: BatchProtocol<R>, options: BatchCallsOptions) {
    const { service, headers, answerBytesMax } = protocol;
    this.#protocol = protocol;
    this.#calls = new SignedCalls({ ...options, service, headers, answerBytesMax });
  }

  get ownFailures(): number {
    return this.#calls.ownFailures;
  }

  send(call: Call, done: (answer: Answer) => void): void {
    this.sendBatch([call], ([answer]) => done(answer!));
  }

  sendBatch(calls: readonly Call[], done: (answers: readonly Answer[]) => void): void {
    const { bodyBytesMax, writeBody } = this.#protocol;
    const items = calls.map((call) => this.#itemOf(call));
    const call = this.#sent++;
    this.inFlight += items.length;
    const write = (into: Buffer, from: number): number => writeBody(into, from, items);
    this.#calls.send(bodyBytesMax(items), write, (exchange) => {
      this.inFlight -= items.length;
      done(this.#answersOf(exchange, items.length, call));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#calls[Symbol.asyncDispose]();
  }

  #itemOf(call: Call): ItemCall {
    if (call.kind === "item") return call;
    const problem = `${this.#protocol.name} cannot be sent a call of kind ${call.kind}`;
    throw new GatecrashError("scenario", problem);
  }

  #answersOf(exchange: Exchange, count: number, call: number): Answer[] {
    const { results, endOf, shardOf, sequenceOf } = this.#protocol;
    const { failure, status, body } = exchange;
    const whole = failure === "" && status === 200 && body !== null;
    const found = whole ? results(body, count) : null;
    const endOfAll = found === null ? this.#endOfCall(exchange) : OK;
    const said = { degraded: false, requestId: exchange.headers[REQUEST_ID] ?? "" };
    const answers: Answer[] = [];
    for (let position = 0; position < count; position++) {
      const result = found?.[position];
      const shard = result === undefined ? -1 : shardOf(result);
      const sequence = (result === undefined ? undefined : sequenceOf(result)) ?? "";
      const item = { call, position, items: count, shard, sequence };
      const end = result === undefined ? endOfAll : endOf(result);
      answers.push(itemAnswerOf(exchange, end, said, item));
    }
    return answers;
  }

  #endOfCall({ failure, status, body }: Exchange): End {
    const { isThrottle, throttled } = this.#protocol;
    if (failure !== "") return failedReading(failure);
    if (status === 200) return UNREADABLE;
    const error = body === null ? "" : errorType(body);
    if (isThrottle(error)) return throttled;
    if (isExpired(error)) return EXPIRED;
    return status >= 500 ? MAYBE : SERVICE;
  }
}
