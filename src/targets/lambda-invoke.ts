// Lambda's Invoke as a target: one signed request per call over our own wire, no SDK in between.
import { serviceUrl } from "../aws/endpoint.ts";
import { type Credentials, requestSigner, type Sign } from "../aws/sigv4.ts";
import type { Answer, Call, Target } from "../core/arrival.ts";
import { GatecrashError } from "../core/error.ts";
import { lambdaRefuser } from "../core/lambda-refusal.ts";
import type { Refuser } from "../core/outcome.ts";
import type { Clock } from "../core/time.ts";
import type { Exchange } from "../wire/exchange.ts";
import { createHttpClient, type HttpClient } from "../wire/http-client.ts";
import { type Origin, parseOrigin } from "../wire/origin.ts";
import { serializeRequest, type WireRequest } from "../wire/request.ts";
import {
  answerOf,
  failedReading,
  isExpired,
  notMade,
  notSent,
  type Reading,
  retryAfterOf,
} from "./exchange-answer.ts";

export interface LambdaTargetOptions {
  /** Name, partial or whole ARN; with a qualifier behind it if there is one. */
  readonly function: string;
  /** sync waits for the handler's answer; async is done when Lambda has accepted the event. */
  readonly invocation: "sync" | "async";
  /** `http://127.0.0.1:PORT`, or `aws`. */
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: () => Promise<Credentials>;
  readonly clock: Pick<Clock, "nowUs" | "wallMs">;
  /** From send to last byte, connecting included. */
  readonly timeoutUs: number;
  /** Says which run it was; absent = `gatecrash`. */
  readonly userAgent?: string;
}

/** Positions in the captured headers. */
const REQUEST_ID = 0;
const FUNCTION_ERROR = 1;
const ERROR_TYPE = 2;
const VERSION = 3;
const RETRY_AFTER = 4;
const CAPTURED = [
  ...["x-amzn-requestid", "x-amz-function-error", "x-amzn-errortype", "x-amz-executed-version"],
  "retry-after",
];
/** Of a 429 only: enough for `{"Reason": …}`. */
const REFUSAL_BYTES = 4_096;

/**
 * ok: 200 of a handler that returned, 202 of an event that was accepted. A handler that threw,
 * timed out or crashed is errored(function); 429 is throttled by what its `Reason` names; every
 * other answer is errored(service). The request id is the one in REPORT.
 */
export function lambdaTarget(options: LambdaTargetOptions): Target {
  return new LambdaTarget(options);
}

/** One request as it is signed: equal calls within a second have equal bytes. */
interface Signed {
  readonly payload: Uint8Array;
  readonly second: number;
  readonly request: Promise<WireRequest>;
}

class LambdaTarget implements Target {
  readonly #client: HttpClient;
  readonly #origin: Origin;
  readonly #sign: Sign;
  readonly #clock: LambdaTargetOptions["clock"];
  readonly #path: string;
  readonly #headers: { readonly [name: string]: string };
  readonly #userAgent: string;
  #signing = 0;
  #last: Signed | null = null;

  constructor(options: LambdaTargetOptions) {
    const { endpoint, region, credentials, clock, timeoutUs, invocation } = options;
    this.#origin = parseOrigin(serviceUrl(endpoint, "lambda", region));
    this.#clock = clock;
    this.#userAgent = options.userAgent ?? "gatecrash";
    this.#path = `/2015-03-31/functions/${encodeURIComponent(options.function)}/invocations`;
    this.#headers = {
      "content-type": "application/json",
      "x-amz-invocation-type": invocation === "async" ? "Event" : "RequestResponse",
    };
    this.#sign = requestSigner({ service: "lambda", region, credentials });
    this.#client = createHttpClient({
      origin: this.#origin,
      now: () => clock.nowUs(),
      timeoutUs,
      captureHeaders: CAPTURED,
      captureBody: (status) => (status === 429 ? REFUSAL_BYTES : 0),
    });
  }

  get inFlight(): number {
    return this.#client.inFlight + this.#signing;
  }

  get ownFailures(): number {
    return this.#client.ownFailures;
  }

  /** Throws `scenario` for a call that is no invoke. */
  send(call: Call, done: (answer: Answer) => void): void {
    if (call.kind !== "invoke")
      throw new GatecrashError("scenario", `Lambda cannot be sent a call of kind ${call.kind}`);
    this.#signing++;
    this.#requestOf(call.payload).then(
      (request) => {
        this.#signing--;
        this.#client.send(request, (exchange) => {
          done(answerOf(exchange, readingOf(exchange, this.#clock)));
        });
      },
      (thrown: unknown) => {
        this.#signing--;
        notMade(thrown, () => {
          done(answerOf(notSent(this.#clock.nowUs()), failedReading("credentials")));
        });
      },
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#client[Symbol.asyncDispose]() as Promise<void>;
  }

  /** A signature holds for its second: a load without a body signs once a second. */
  #requestOf(payload: Uint8Array): Promise<WireRequest> {
    const epochMs = this.#clock.wallMs();
    const second = Math.floor(epochMs / 1_000);
    const last = this.#last;
    if (last !== null && last.payload === payload && last.second === second) return last.request;
    const request = this.#signed(payload, epochMs);
    this.#last = { payload, second, request };
    return request;
  }

  async #signed(body: Uint8Array, epochMs: number): Promise<WireRequest> {
    const { hostHeader: host } = this.#origin;
    const [method, path] = ["POST", this.#path];
    const unsigned = { method, path, host, headers: this.#headers, body };
    const headers = await this.#sign(unsigned, epochMs);
    const all = [...headers, ["user-agent", this.#userAgent] as const];
    return serializeRequest(host, { method, path, headers: all, body });
  }
}

function readingOf(exchange: Exchange, clock: Pick<Clock, "wallMs">): Reading {
  const { failure, status, headers, body } = exchange;
  if (failure !== "") return failedReading(failure);
  const [outcome, reason] = outcomeOf(exchange);
  const isGood = status >= 200 && status <= 299;
  return {
    outcome,
    reason,
    refusedBy: outcome === "throttled" ? refuserOf(exchange) : "",
    degraded: false,
    requestId: headers[REQUEST_ID] ?? "",
    version: versionOf(headers[VERSION]),
    retryAfterMs: isGood
      ? undefined
      : retryAfterOf(headers[RETRY_AFTER], body, () => clock.wallMs()),
  };
}

function outcomeOf({
  status,
  headers,
}: Exchange): readonly [Reading["outcome"], Reading["reason"]] {
  if (status === 429) return ["throttled", ""];
  if (isExpired(headers[ERROR_TYPE] ?? "")) return ["errored", "credentials"];
  if (status < 200 || status > 299) return ["errored", "service"];
  if (headers[FUNCTION_ERROR]) return ["errored", "function"];
  return ["ok", ""];
}

/** An alias does not say which version answered; the answer does, unless nothing ran. */
function versionOf(said: string | undefined): number | undefined {
  if (said === "$LATEST") return 0;
  return said !== undefined && /^[1-9]\d{0,8}$/.test(said) ? Number(said) : undefined;
}

/** Without a `Reason` nobody but Lambda itself is left. */
function refuserOf({ body }: Exchange): Refuser {
  try {
    const parsed: unknown = JSON.parse(body?.toString("utf8") ?? "");
    const reason = typeof parsed === "object" && parsed !== null && Reflect.get(parsed, "Reason");
    return typeof reason === "string" ? lambdaRefuser(reason) : "lambda";
  } catch {
    return "lambda"; // a body that is cut or no JSON
  }
}
