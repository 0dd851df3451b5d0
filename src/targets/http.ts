// An HTTP front as a target: one request per call, its response or the lack of one as an answer.
import type { Answer, Call, HttpCall, Target } from "../core/arrival.ts";
import { GatecrashError } from "../core/error.ts";
import { lambdaRefuser } from "../core/lambda-refusal.ts";
import type { Reason, Refuser } from "../core/outcome.ts";
import type { Load } from "../core/scenario.ts";
import type { RunUs } from "../core/time.ts";
import type { Resolve } from "../wire/addresses.ts";
import type { Exchange } from "../wire/exchange.ts";
import { createHttpClient, type HttpClient } from "../wire/http-client.ts";
import { parseOrigin } from "../wire/origin.ts";
import { serializeRequest, type WireRequest } from "../wire/request.ts";
import type { TlsOptions } from "../wire/secure.ts";
import { answerOf, failedReading, type Reading } from "./exchange-answer.ts";

export interface HttpTargetOptions {
  /**
   * Where to send. A call with an empty path goes to this URL as it is; another call's path is
   * appended to this URL's path, as with a stage: `https://…/prod` and `/orders` give
   * `/prod/orders`.
   */
  readonly url: string;
  readonly now: () => RunUs;
  /** From send to last byte, connecting included. */
  readonly timeoutUs: number;
  /** Statuses that are ok. */
  readonly ok: Load["ok"];
  /** An ok answer with this header (and value, if one is given) is degraded. */
  readonly degraded: Load["degraded"];
  /** Which id of an answer leads to its REPORT line; absent = the front's own. */
  readonly joinBy?: Load["joinBy"];
  /** Sent with every request; each replaces the call's own header of that name. */
  readonly headers: readonly (readonly [string, string])[];
  readonly tls?: TlsOptions;
  readonly resolve?: Resolve;
}

/** Positions in the captured headers; those of the load's own names come after them. */
const API_ID = 0;
const AMZN_ID = 1;
const REST_ID = 2;
const ERROR_TYPE = 3;
const DEGRADED = 4;
const JOIN = 5;
const NONE = "-"; // no header is called so
const TRACE = "x-amzn-trace-id";
const CAPTURED = ["apigw-requestid", "x-amzn-requestid", "x-amz-apigw-id", "x-amzn-errortype"];

/** Of a 429 only: enough for Lambda's `{"Reason": …}`. */
const REFUSAL_BYTES = 4_096;
const USER_AGENT = "gatecrash";

/**
 * A target for one HTTP front. Sends the call's headers in order, the load's `headers`, Host,
 * Content-Length, and a User-Agent where none is given; nothing else. No redirects, no cookies, no
 * decompression, no retries. Throws `usage` for a URL that is none and `input`, from `send`, for a
 * call that cannot be said in HTTP.
 */
export function httpTarget(options: HttpTargetOptions): Target {
  return new HttpTarget(options);
}

class HttpTarget implements Target {
  private readonly options: HttpTargetOptions;
  private readonly client: HttpClient;
  private readonly hostHeader: string;
  private readonly ownPath: string;
  private readonly basePath: string;
  private readonly replaced: ReadonlySet<string>;
  /** Rate loads send one call over and over: its bytes are made once. */
  private lastCall: HttpCall | null = null;
  private lastRequest: WireRequest | null = null;

  constructor(options: HttpTargetOptions) {
    this.options = options;
    const origin = parseOrigin(options.url);
    const { degraded, joinBy } = options;
    const join = joinBy === undefined ? [] : [joinBy === "trace" ? TRACE : joinBy.header];
    const second = degraded === null ? join.map(() => NONE) : [degraded.header.toLowerCase()];
    this.client = createHttpClient({
      origin,
      now: options.now,
      timeoutUs: options.timeoutUs,
      captureHeaders: [...CAPTURED, ...second, ...join],
      captureBody: (status) => (status === 429 ? REFUSAL_BYTES : 0),
      ...(options.tls === undefined ? {} : { tls: options.tls }),
      ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
    });
    this.hostHeader = origin.hostHeader;
    this.ownPath = origin.path;
    this.basePath = origin.path.replace(/\?.*$/, "").replace(/\/$/, "");
    this.replaced = new Set(options.headers.map(([name]) => name.toLowerCase()));
  }

  get inFlight(): number {
    return this.client.inFlight;
  }

  get ownFailures(): number {
    return this.client.ownFailures;
  }

  send(call: Call, done: (answer: Answer) => void): void {
    if (call.kind !== "http")
      throw new GatecrashError(
        "scenario",
        `an http target cannot send a call of kind ${call.kind}`,
      );
    this.client.send(this.requestOf(call), (exchange) =>
      done(answerOf(exchange, this.reading(exchange))),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.client[Symbol.asyncDispose]() as Promise<void>;
  }

  private requestOf(call: HttpCall): WireRequest {
    if (call === this.lastCall && this.lastRequest !== null) return this.lastRequest;
    const { headers } = this.options;
    const kept = call.headers.filter(([name]) => !this.replaced.has(name.toLowerCase()));
    const all = [...kept, ...headers];
    if (!all.some(([name]) => name.toLowerCase() === "user-agent"))
      all.push(["User-Agent", USER_AGENT]);
    const request = serializeRequest(this.hostHeader, {
      method: call.method,
      path: call.path === "" ? this.ownPath : this.basePath + call.path,
      headers: all,
      body: call.body,
    });
    this.lastCall = call;
    this.lastRequest = request;
    return request;
  }

  private reading(exchange: Exchange): Reading {
    const { failure, status, headers } = exchange;
    if (failure !== "") return failedReading(failure);
    const requestId = this.requestId(headers);
    let outcome: Reading["outcome"] = "ok";
    let refusedBy: Refuser = "";
    let reason: Reason = "";
    if (!this.isOk(status)) {
      if (status === 429) {
        outcome = "throttled";
        refusedBy = whoRefused(exchange);
      } else {
        outcome = "errored";
        reason = "status";
      }
    }
    const degraded = outcome === "ok" && this.isDegraded(headers);
    return { outcome, refusedBy, reason, degraded, requestId };
  }

  /** What was refused has no echo, and keeps the front's id for the access log. */
  private requestId(headers: readonly string[]): string {
    const found = headers[JOIN] ?? "";
    const join = this.options.joinBy === "trace" ? sampledTrace(headers[REST_ID], found) : found;
    return join || headers[API_ID] || headers[AMZN_ID] || headers[REST_ID] || "";
  }

  private isOk(status: number): boolean {
    const { ok } = this.options;
    for (let i = 0; i < ok.length; i++) {
      const range = ok[i]!;
      if (status >= range.from && status <= range.to) return true;
    }
    return false;
  }

  private isDegraded(headers: readonly string[]): boolean {
    const { degraded } = this.options;
    const value = headers[DEGRADED] ?? "";
    if (degraded === null || value === "") return false;
    return degraded.value === null || degraded.value === value;
  }
}

/** `Root=1-…;Parent=…;Sampled=1` of a REST front → the root: only that is in REPORT lines too. */
function sampledTrace(restId: string | undefined, header: string): string {
  if (header === "" || !restId || !/(?:^|;) *Sampled=1/.test(header)) return "";
  return /(?:^|;) *Root=(1-[0-9a-f-]+)/.exec(header)?.[1] ?? "";
}

/**
 * Who answered 429: Lambda itself (a function URL) says so by error type and a `Reason` in the
 * body; a gateway's own throttle has at most the error type.
 */
function whoRefused(exchange: Exchange): Refuser {
  const type = exchange.headers[ERROR_TYPE] ?? "";
  if (!type.startsWith("TooManyRequestsException") || exchange.body === null) return "gateway";
  try {
    const body: unknown = JSON.parse(exchange.body.toString("utf8"));
    const reason = typeof body === "object" && body !== null ? Reflect.get(body, "Reason") : null;
    return typeof reason === "string" ? lambdaRefuser(reason) : "gateway";
  } catch {
    return "gateway"; // a body that is no JSON is not Lambda's
  }
}
