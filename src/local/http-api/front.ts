// The front of one HTTP API: a port of its own, a route's Lambda function behind each request.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { RequestThrottle } from "../../model/request-throttle.ts";
import type { Answered } from "../front-metrics.ts";
import type { Invoker } from "../function-host.ts";
import type { LogSink } from "../log-sink.ts";
import { hostOf } from "../template/names.ts";
import type { HttpApiSpec, LambdaIntegration } from "../template/types.ts";
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
import { describeRequest, type GatewayRequest, newGatewayId, readBody } from "./gateway-request.ts";
import { closeServer, KEEP_ALIVE_MS, listenOnLoopback, sendAnswer } from "./loopback-server.ts";
import { matchRoute, type RouteMatch } from "./routes.ts";
import { filled } from "./service-parameters.ts";

/** The client's trace header is not handed on: HTTP APIs do not trace. */
const UNTRACED = { traceId: null, tail: false } as const;
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
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    void front.serve(request, response);
  });
  const host = await listenOnLoopback(server);
  return { url: `http://${host}`, host, close: () => closeServer(server) };
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

  async serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const atEpochMs = this.#deps.nowMs();
    const requestId = newGatewayId(this.#deps.random);
    const body = await readBody(message).catch(() => undefined);
    if (body === undefined) return; // the client broke off before it had said what it wants
    const request = describeRequest(message, this.#address, {
      body: body ?? Buffer.alloc(0),
      requestId,
      atEpochMs,
    });
    const served = body === null ? refused(tooLarge()) : await this.#handle(request);
    if (body === null) message.resume();
    this.#tell(request, served);
    sendAnswer(response, served.answer, {
      "apigw-requestid": requestId,
      ...(body === null ? { connection: "close" } : {}),
    });
  }

  async #handle(request: GatewayRequest): Promise<Served> {
    const { routes } = this.#spec;
    const path = request.pathInStage;
    const match = path === null ? null : matchRoute(routes, request.method, path);
    if (match === null) return refused(gatewayError(404, "Not Found"));
    // Most routes ask nobody, and are not to wait for that.
    const isGuarded = match.route.authorizer !== undefined;
    const authorized = isGuarded ? await this.#authorize(request, match) : null;
    if (authorized !== null && "refusal" in authorized) {
      return { ...refused(authorized.refusal), match };
    }
    if (this.#deps.throttle?.take(request.atEpochMs) === false) {
      return { ...refused(gatewayError(429, "Too Many Requests")), match };
    }
    const startMs = this.#deps.nowMs();
    const { integration } = match.route;
    const answer =
      integration.kind === "sqs"
        ? serviceAnswer(this.#deps.sendMessage(filled(integration.parameters, request, match)))
        : await this.#integrate(request, match, integration, authorized?.caller);
    return { answer, match, integrationLatencyMs: this.#deps.nowMs() - startMs };
  }

  /** The gateway stops waiting at its timeout; the function runs on, as on AWS. */
  #integrate(
    request: GatewayRequest,
    match: RouteMatch,
    { functionName, payloadVersion }: LambdaIntegration,
    caller: object | undefined,
  ): Promise<GatewayAnswer> {
    const event = eventOf(this.#spec, request, match, payloadVersion, caller);
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => resolve(unavailable("The integration did not answer in time.")),
        match.route.timeoutMs,
      );
      const end = (answer: GatewayAnswer): void => {
        clearTimeout(timer);
        resolve(answer);
      };
      this.#deps.invoker
        .invoke(functionName, event, UNTRACED)
        .then((outcome) => end(answerOf(outcome, payloadVersion)))
        .catch(() => end(gatewayError(500, "Internal Server Error", { error: BROKEN })));
    });
  }

  /** To CloudWatch, and to the access log where there is one. */
  #tell(request: GatewayRequest, { answer, match, integrationLatencyMs }: Served): void {
    const { accessLog } = this.#spec;
    const { atEpochMs } = request;
    const nowMs = this.#deps.nowMs();
    const responseLatencyMs = nowMs - atEpochMs;
    this.#deps.answered({
      ...{ status: answer.status, atEpochMs, latencyMs: responseLatencyMs },
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

const refused = (answer: GatewayAnswer): Served => ({
  answer,
  match: null,
  integrationLatencyMs: null,
});
