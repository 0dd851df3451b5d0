// An HTTP front as a target: one request per call, its response or the lack of one as an answer.
import type { Answer, Call, HttpCall, Target } from "../core/arrival.ts";
import { GatecrashError } from "../core/error.ts";
import type { Refuser } from "../core/outcome.ts";
import type { HttpSpec, Load } from "../core/scenario.ts";
import type { RunUs } from "../core/time.ts";
import type { Resolve } from "../wire/addresses.ts";
import type { Exchange } from "../wire/exchange.ts";
import { createHttpClient, type HttpClient } from "../wire/http-client.ts";
import { type Origin, parseOrigin } from "../wire/origin.ts";
import { serializeRequest, type WireRequest } from "../wire/request.ts";
import type { TlsOptions } from "../wire/secure.ts";
import type { Authorizer } from "./auth/authorizer.ts";
import {
  answerOf,
  failedReading,
  isExpired,
  notSent,
  type Reading,
  retryAfterOf,
  thrownLater,
} from "./exchange-answer.ts";
import { mayRefuse, whoRefused } from "./front-refusal.ts";
import { rewritten } from "./rewritten.ts";
import { sampledTrace } from "./sampled-trace.ts";

export interface HttpTargetOptions {
  /**
   * Where to send. A call with an empty path goes to this URL as it is; another call's path is
   * appended to this URL's path, as with a stage: `https://…/prod` and `/orders` give
   * `/prod/orders`.
   */
  readonly url: string;
  readonly now: () => RunUs;
  /** ms since 1970, for dates in `Retry-After`; absent = they are not understood. */
  readonly wallMs?: () => number;
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
  /** As whom; its headers replace the call's own. */
  readonly auth?: Authorizer;
  /** `host:port` to connect to in place of the URL's; Host stays the URL's. */
  readonly connectTo?: string;
  /** Beginnings of captured paths and what they become, the longest first. */
  readonly rewrites?: HttpSpec["rewrites"];
  /** In place of `gatecrash`, for calls that bring none. */
  readonly userAgent?: string;
}

/** Positions in the captured headers; those of the load's own names come after them. */
const API_ID = 0;
const AMZN_ID = 1;
const REST_ID = 2;
const ERROR_TYPE = 3;
const SERVER = 4;
const RETRY_AFTER = 5;
const DEGRADED = 6;
const JOIN = 7;
const NONE = "-"; // no header is called so
const TRACE = "x-amzn-trace-id";
const CAPTURED = [
  ...["apigw-requestid", "x-amzn-requestid", "x-amz-apigw-id", "x-amzn-errortype"],
  ...["server", "retry-after"],
];

/** Of a refusal only: enough for Lambda's `{"Reason": …}` and for the page of a firewall. */
const REFUSAL_BYTES = 4_096;
const USER_AGENT = "gatecrash";

type Headers = readonly (readonly [string, string])[];
const NO_HEADERS: Headers = [];

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
  private lastAuth: Headers = NO_HEADERS;
  /** Waiting for a token or a signature. */
  private waiting = 0;

  constructor(options: HttpTargetOptions) {
    this.options = options;
    const origin = originOf(options);
    const { degraded, joinBy } = options;
    const join = joinBy === undefined ? [] : [joinBy === "trace" ? TRACE : joinBy.header];
    const second = degraded === null ? join.map(() => NONE) : [degraded.header.toLowerCase()];
    this.client = createHttpClient({
      origin,
      now: options.now,
      timeoutUs: options.timeoutUs,
      captureHeaders: [...CAPTURED, ...second, ...join],
      captureBody: (status) => (mayRefuse(status) ? REFUSAL_BYTES : 0),
      ...(options.tls === undefined ? {} : { tls: options.tls }),
      ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
    });
    this.hostHeader = origin.hostHeader;
    this.ownPath = origin.path;
    this.basePath = origin.path.replace(/\?.*$/, "").replace(/\/$/, "");
    const names = [...options.headers.map(([name]) => name), ...(options.auth?.names ?? [])];
    this.replaced = new Set(names.map((name) => name.toLowerCase()));
  }

  get inFlight(): number {
    return this.client.inFlight + this.waiting;
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
    const { auth } = this.options;
    if (auth === undefined) {
      this.put(this.requestOf(call, NO_HEADERS), done);
      return;
    }
    const { method, body } = call;
    const path = this.pathOf(call);
    const headers = auth.headersFor({ method, path, host: this.hostHeader, body });
    if (headers !== null && !(headers instanceof Promise)) {
      this.put(this.requestOf(call, headers), done);
      return;
    }
    this.waiting++;
    Promise.resolve(headers).then((found) => {
      this.waiting--;
      if (found !== null) this.put(this.requestOf(call, found), done);
      else done(answerOf(notSent(this.options.now()), failedReading("credentials")));
    }, thrownLater);
  }

  private put(request: WireRequest, done: (answer: Answer) => void): void {
    this.client.send(request, (exchange) => done(answerOf(exchange, this.reading(exchange))));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.client[Symbol.asyncDispose]() as Promise<void>;
  }

  private requestOf(call: HttpCall, auth: Headers): WireRequest {
    if (call === this.lastCall && auth === this.lastAuth && this.lastRequest !== null)
      return this.lastRequest;
    const { headers, userAgent = USER_AGENT } = this.options;
    const kept = call.headers.filter(([name]) => !this.replaced.has(name.toLowerCase()));
    const all = [...kept, ...headers, ...auth];
    if (!all.some(([name]) => name.toLowerCase() === "user-agent"))
      all.push(["User-Agent", userAgent]);
    const request = serializeRequest(this.hostHeader, {
      method: call.method,
      path: this.pathOf(call),
      headers: all,
      body: call.body,
    });
    this.lastCall = call;
    this.lastAuth = auth;
    this.lastRequest = request;
    return request;
  }

  private pathOf({ path }: HttpCall): string {
    if (path === "") return this.ownPath;
    return this.basePath + rewritten(path, this.options.rewrites);
  }

  private reading(exchange: Exchange): Reading {
    const { failure, status, headers } = exchange;
    if (failure !== "") return failedReading(failure);
    const requestId = this.requestId(headers);
    if (this.isOk(status)) {
      const degraded = this.isDegraded(headers);
      return { outcome: "ok", refusedBy: "", reason: "", degraded, requestId };
    }
    const retryAfterMs = retryAfterOf(headers[RETRY_AFTER], exchange.body, this.options.wallMs);
    const said = { degraded: false, requestId, retryAfterMs };
    if (isExpired(headers[ERROR_TYPE] ?? ""))
      return { outcome: "errored", refusedBy: "", reason: "credentials", ...said };
    // A team may have given a refusal any status: then only its type says what it is.
    const mayBe = mayRefuse(status) || headers[ERROR_TYPE] !== "";
    const refusedBy = mayBe ? this.refuser(exchange) : "";
    return refusedBy === ""
      ? { outcome: "errored", refusedBy, reason: "status", ...said }
      : { outcome: "throttled", refusedBy, reason: "", ...said };
  }

  private refuser({ status, headers, body }: Exchange): Refuser {
    const [errorType = "", server = ""] = [headers[ERROR_TYPE], headers[SERVER]];
    return whoRefused({ status, errorType, server, ofHttpApi: !!headers[API_ID], body });
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

/** Where a rehearsal has put a domain; TLS still asks for the URL's own name. */
function originOf({ url, connectTo }: HttpTargetOptions): Origin {
  const origin = parseOrigin(url);
  if (connectTo === undefined) return origin;
  const { host, port, literal } = parseOrigin(`http://${connectTo}`);
  return { ...origin, host, port, literal };
}
