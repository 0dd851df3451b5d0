// The front of one HTTP API: a port of its own, a route's Lambda function behind each request.
import type { RequestThrottle } from "../../model/request-throttle.ts";
import type { Answered } from "../front-metrics.ts";
import type { Invoker } from "../function-host.ts";
import type { AskSigner } from "../iam/signed-request.ts";
import type { LogSink } from "../log-sink.ts";
import { hostOf } from "../template/names.ts";
import type { HttpApiSpec, LambdaIntegration } from "../template/types.ts";
import type { HttpAnswer } from "../wire/http1/answer-bytes.ts";
import type { ParsedRequest } from "../wire/http1/request-parser.ts";
import type { WireAnswer } from "../wire/request.ts";
import { accessLogLine } from "./access-log.ts";
import type { Addressable } from "./address.ts";
import {
  answerOf,
  type GatewayAnswer,
  gatewayError,
  serviceAnswer,
  unavailable,
} from "./answer.ts";
import { authorizing } from "./authorize.ts";
import { eventOf } from "./event.ts";
import { describeRequest, type GatewayRequest, newGatewayId } from "./gateway-request.ts";
import { startLoopbackServer, withHeaders } from "./loopback-server.ts";
import { matchRoute, type RouteMatch } from "./routes.ts";
import { filled } from "./service-parameters.ts";

/** The client's trace header is not handed on: HTTP APIs do not trace. */
const UNTRACED = { traceId: null, tail: false } as const;
const NO_BODY = Buffer.alloc(0);
const BROKEN = "The integration failed.";

export interface HttpApiDeps {
  readonly invoker: Invoker;
  /** SQS, for routes that lead to a queue. */
  sendMessage(parameters: { readonly [name: string]: string }): WireAnswer;
  readonly logs: LogSink;
  /** Wall time, ms since 1970. */
  nowMs(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** The account's request throttle, shared by its APIs; absent = none. */
  readonly throttle?: RequestThrottle;
  /** Who signed a request to a route with IAM authorization. */
  readonly signer: AskSigner;
  /** One request was answered. */
  answered(answered: Answered): void;
}

export interface HttpApiFront {
  readonly url: string;
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  /** Ends open connections. */
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1. */
export async function startHttpApi(spec: HttpApiSpec, deps: HttpApiDeps): Promise<HttpApiFront> {
  const front = new Front(spec, deps);
  const { host, close } = await startLoopbackServer((received, from) => {
    return front.serve(received, from);
  });
  return { url: `http://${host}`, host, close };
}

interface Served {
  readonly answer: GatewayAnswer;
  readonly match: RouteMatch | null;
  readonly integrationLatencyMs: number | null;
}

class Front {
  readonly #spec: HttpApiSpec;
  readonly #deps: HttpApiDeps;
  readonly #logStream: string;
  readonly #address: Addressable;
  readonly #authorize: ReturnType<typeof authorizing>;

  constructor(spec: HttpApiSpec, deps: HttpApiDeps) {
    this.#spec = spec;
    this.#deps = deps;
    this.#address = { ...spec, ownDomain: hostOf(spec.apiId, spec) };
    this.#authorize = authorizing(spec, deps);
    this.#logStream = `${spec.apiId}/${spec.stage.replace("$", "")}`;
  }

  serve({ head, content }: ParsedRequest, sourceIp: string): Promise<HttpAnswer> {
    const requestId = newGatewayId(this.#deps.random);
    const atEpochMs = this.#deps.nowMs();
    const about = { sourceIp, body: content ?? NO_BODY, requestId, atEpochMs };
    const request = describeRequest(head, this.#address, about);
    const serving = content === null ? refused(tooLarge()) : this.#handle(request);
    return serving.then((served) => {
      this.#tell(request, served);
      return withHeaders(served.answer, { "apigw-requestid": requestId });
    });
  }

  #handle(request: GatewayRequest): Promise<Served> {
    const { routes } = this.#spec;
    const path = request.pathInStage;
    const match = path === null ? null : matchRoute(routes, request.method, path);
    if (match === null) return refused(gatewayError(404, "Not Found"));
    if (match.route.authorizer === undefined) return this.#admit(request, match);
    return this.#authorize(request, match).then((found) =>
      found !== null && "refusal" in found
        ? refused(found.refusal, match)
        : this.#admit(request, match, found?.caller),
    );
  }

  #admit(request: GatewayRequest, match: RouteMatch, caller?: object): Promise<Served> {
    if (this.#deps.throttle?.take(request.atEpochMs) === false)
      return refused(gatewayError(429, "Too Many Requests"), match);
    const { integration } = match.route;
    if (integration.kind !== "sqs") return this.#integrate(request, match, integration, caller);
    const startMs = this.#deps.nowMs();
    const sent = this.#deps.sendMessage(filled(integration.parameters, request, match));
    const integrationLatencyMs = this.#deps.nowMs() - startMs;
    return Promise.resolve({ answer: serviceAnswer(sent), match, integrationLatencyMs });
  }

  /** The gateway stops waiting at its timeout; the function runs on, as on AWS. */
  #integrate(
    request: GatewayRequest,
    match: RouteMatch,
    { functionName, payloadVersion }: LambdaIntegration,
    caller: object | undefined,
  ): Promise<Served> {
    const startMs = this.#deps.nowMs();
    const event = eventOf(this.#spec, request, match, payloadVersion, caller);
    const invoked = this.#deps.invoker.invoke(functionName, event, UNTRACED);
    return new Promise((resolve) => {
      const end = (answer: GatewayAnswer): void => {
        clearTimeout(timer);
        resolve({ answer, match, integrationLatencyMs: this.#deps.nowMs() - startMs });
      };
      const timer = setTimeout(
        () => end(unavailable("The integration did not answer in time.")),
        match.route.timeoutMs,
      );
      const broken = (): void => end(gatewayError(500, "Internal Server Error", { error: BROKEN }));
      invoked.then((outcome) => end(answerOf(outcome, payloadVersion))).catch(broken);
    });
  }

  /** To CloudWatch, and to the access log where there is one. */
  #tell(request: GatewayRequest, { answer, match, integrationLatencyMs }: Served): void {
    const { accessLog } = this.#spec;
    const { atEpochMs } = request;
    const nowMs = this.#deps.nowMs();
    const responseLatencyMs = nowMs - atEpochMs;
    this.#deps.answered({
      status: answer.status,
      atEpochMs,
      latencyMs: responseLatencyMs,
      integrationMs: integrationLatencyMs,
    });
    if (accessLog === null) return;
    const line = accessLogLine(accessLog.format, {
      spec: this.#spec,
      request,
      answer,
      routeKey: match?.routeKey ?? "",
      integrationLatencyMs,
      responseLatencyMs,
    });
    this.#deps.logs.append(accessLog.group, this.#logStream, nowMs, line);
  }
}

const tooLarge = (): GatewayAnswer => gatewayError(413, "Request Entity Too Large");

const refused = (answer: GatewayAnswer, match: RouteMatch | null = null): Promise<Served> =>
  Promise.resolve({ answer, match, integrationLatencyMs: null });
