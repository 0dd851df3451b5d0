// The front of one REST API: a port of its own, gates, and a Lambda function behind each method.
import { createHash } from "node:crypto";
import type { RequestThrottle } from "../../model/request-throttle.ts";
import type { Answered } from "../front-metrics.ts";
import type { InvokeOutcome, Invoker } from "../function-host.ts";
import type { Addressable } from "../http-api/address.ts";
import { describeRequest, headerOf, newGatewayId } from "../http-api/gateway-request.ts";
import { startLoopbackServer, withHeaders } from "../http-api/loopback-server.ts";
import type { RouteMatch } from "../http-api/routes.ts";
import type { AskSigner } from "../iam/signed-request.ts";
import type { LogSink } from "../log-sink.ts";
import { hostOf } from "../template/names.ts";
import type { RestApiSpec, RestMethod } from "../template/rest-types.ts";
import type { HttpAnswer } from "../wire/http1/answer-bytes.ts";
import type { ParsedRequest } from "../wire/http1/request-parser.ts";
import { restLogLine, type Told, variablesOf } from "./access-log.ts";
import { answerOf, gatewayResponse, type RestAnswer } from "./answer.ts";
import { authorizerGate } from "./authorizer.ts";
import { eventOf } from "./event.ts";
import { type Exchange, type Gate, type RestRequest, requestIdOf } from "./exchange.ts";
import { changedAnswer } from "./gateway-responses.ts";
import { iamGate } from "./iam-gate.ts";
import { matchMethod } from "./match-method.ts";
import { methodThrottles } from "./method-throttles.ts";
import { type Trace, tracer } from "./trace.ts";
import { webAcl } from "./waf.ts";

/** REST APIs name their streams by a hash; here is one for each API. */
const LOG_STREAM = createHash("md5").update("0").digest("hex");

export interface RestApiDeps {
  readonly invoker: Invoker;
  readonly logs: LogSink;
  /** Wall time, ms since 1970. */
  nowMs(): number;
  /** Uniform in [0, 1). */
  random(): number;
  newRequestId(): string;
  /** The account's, shared by all APIs. */
  readonly throttle: RequestThrottle;
  /** API keys and usage plans, shared by all REST APIs. */
  usageGate(api: RestApiSpec): Gate;
  readonly signer: AskSigner;
  /** One request to the stage was answered. */
  answered(answered: Answered): void;
}

export interface RestApiFront {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  /** Ends open connections. */
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1. */
export async function startRestApi(spec: RestApiSpec, deps: RestApiDeps): Promise<RestApiFront> {
  const front = new Front(spec, deps);
  return startLoopbackServer((received, from) => front.serve(received, from));
}

interface Ended extends Pick<Told, "request" | "answer"> {
  readonly match: RouteMatch<RestMethod> | null;
  readonly seen: Exchange["seen"];
}

class Front {
  readonly #spec: RestApiSpec;
  readonly #deps: RestApiDeps;
  readonly #address: Addressable;
  readonly #trace: (sent: string, nowMs: number) => Trace;
  readonly #isLetIn: ((request: RestRequest) => boolean) | null;
  /** In AWS's order: who it is, what the caller's plan allows, the stage, the account. */
  readonly #gates: readonly Gate[];

  constructor(spec: RestApiSpec, deps: RestApiDeps) {
    this.#spec = spec;
    this.#deps = deps;
    this.#address = { ...spec, ownDomain: hostOf(spec.apiId, spec) };
    this.#trace = tracer(spec.tracing, deps.random);
    this.#isLetIn = spec.webAcl === null ? null : webAcl(spec.webAcl);
    const throttleOf = methodThrottles(spec.throttles);
    this.#gates = [
      iamGate(spec, deps.signer),
      authorizerGate(spec, deps),
      deps.usageGate(spec),
      ({ match, request }) => passing(throttleOf(match.route), request),
      ({ request }) => passing(deps.throttle, request),
    ];
  }

  async serve(received: ParsedRequest, sourceIp: string): Promise<HttpAnswer> {
    const request = this.#describe(received, sourceIp);
    const seen: Exchange["seen"] = {};
    const match = matchMethod(this.#spec.methods, request);
    const answer =
      received.content === null
        ? gatewayResponse("REQUEST_TOO_LARGE")
        : await this.#answer(request, match, seen);
    const given =
      request.pathInStage === null ? answer : this.#tell({ request, answer, match, seen });
    return withHeaders(given, {
      "x-amzn-RequestId": request.requestId,
      "x-amz-apigw-id": request.extendedRequestId,
      ...("integrationLatency" in seen ? { "X-Amzn-Trace-Id": request.trace.header } : {}),
    });
  }

  #describe({ head, content }: ParsedRequest, sourceIp: string): RestRequest {
    const atEpochMs = this.#deps.nowMs();
    const request = describeRequest(head, this.#address, {
      ...{ sourceIp, atEpochMs, requestId: this.#deps.newRequestId() },
      body: content ?? Buffer.alloc(0),
    });
    return {
      extendedRequestId: newGatewayId(this.#deps.random),
      trace: this.#trace(headerOf(request, "x-amzn-trace-id"), atEpochMs),
      ...request,
      requestId: requestIdOf(request),
    };
  }

  async #answer(
    request: RestRequest,
    match: RouteMatch<RestMethod> | null,
    seen: Exchange["seen"],
  ): Promise<RestAnswer> {
    if (request.pathInStage === null) return gatewayResponse("DEFAULT_4XX");
    if (!this.#isWelcome(request, seen)) return gatewayResponse("WAF_FILTERED");
    if (match === null) return gatewayResponse("MISSING_AUTHENTICATION_TOKEN");
    const exchange: Exchange = {
      request,
      match,
      seen,
      authorizer: null,
      signer: null,
      apiKey: null,
    };
    for (const gate of this.#gates) {
      const refused = await gate(exchange);
      if (refused !== null) return refused;
    }
    return this.#integrate(exchange);
  }

  #isWelcome(request: RestRequest, seen: Exchange["seen"]): boolean {
    const { webAcl: acl } = this.#spec;
    if (this.#isLetIn === null || acl === null) return true;
    const isAllowed = this.#isLetIn(request);
    seen.wafResponseCode = isAllowed ? "WAF_ALLOW" : "WAF_BLOCK";
    seen.webaclArn = acl.arn;
    seen["waf.status"] = isAllowed ? 200 : 403;
    seen["waf.latency"] = 0;
    if (!isAllowed) seen["waf.error"] = "Forbidden";
    return isAllowed;
  }

  /** The gateway stops waiting at its timeout; the function runs on, as on AWS. */
  async #integrate(exchange: Exchange): Promise<RestAnswer> {
    const { request, match, seen } = exchange;
    const { functionName, timeoutMs } = match.route;
    const startMs = this.#deps.nowMs();
    const event = JSON.stringify(eventOf(this.#spec, exchange));
    const { trace } = request;
    const traceId = trace.isSampled === null ? null : trace.header;
    const invoked = this.#deps.invoker.invoke(functionName, event, { traceId, tail: false });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, timeoutMs, null);
    });
    try {
      return this.#integrated(await Promise.race([invoked, late]), request, seen);
    } catch {
      seen["integration.error"] = "The integration failed.";
      return gatewayResponse("INTEGRATION_FAILURE");
    } finally {
      clearTimeout(timer);
      const latencyMs = this.#deps.nowMs() - startMs;
      seen.integrationLatency = latencyMs;
      seen["integration.latency"] = latencyMs;
    }
  }

  /** `integrationStatus` is the Lambda API's status, `integration.status` the function's own. */
  #integrated(
    outcome: InvokeOutcome | null,
    request: RestRequest,
    seen: Exchange["seen"],
  ): RestAnswer {
    if (outcome === null) {
      seen["integration.error"] = "The integration did not answer in time.";
      return gatewayResponse("INTEGRATION_TIMEOUT");
    }
    const accept = headerOf(request, "accept");
    const { answer, integrationStatus, error } = answerOf(outcome, this.#spec.binaryTypes, accept);
    seen.integrationStatus = integrationStatus;
    seen["integration.integrationStatus"] = integrationStatus;
    seen.awsEndpointRequestId = outcome.requestId;
    seen["integration.requestId"] = outcome.requestId;
    if (answer.error === null) seen["integration.status"] = answer.status;
    else seen["integration.error"] = error;
    return answer;
  }

  /** To CloudWatch, and to the access log where there is one: the answer as it goes out. */
  #tell({ request, answer, match, seen }: Ended): RestAnswer {
    const { accessLog, gatewayResponses } = this.#spec;
    const { atEpochMs } = request;
    const nowMs = this.#deps.nowMs();
    const responseLatencyMs = nowMs - atEpochMs;
    const told: Told = {
      ...{ request, answer, seen, responseLatencyMs },
      resourcePath: match?.route.path ?? "",
    };
    const given =
      answer.error === null || gatewayResponses.size === 0
        ? answer
        : changedAnswer(gatewayResponses, answer, {
            ...{ request, variables: variablesOf(this.#spec, told) },
            pathParameters: match?.parameters ?? {},
          });
    const { integrationLatency: integrationMs } = seen;
    this.#deps.answered({
      // AWS counts by the type, also where its status was changed.
      ...{ status: given.error?.status ?? given.status, atEpochMs, latencyMs: responseLatencyMs },
      integrationMs: typeof integrationMs === "number" ? integrationMs : null,
    });
    if (accessLog !== null) {
      const line = restLogLine(accessLog.format, this.#spec, { ...told, answer: given });
      this.#deps.logs.append(accessLog.group, LOG_STREAM, nowMs, line);
    }
    return given;
  }
}

const passing = (throttle: RequestThrottle | null, request: RestRequest): RestAnswer | null =>
  throttle?.take(request.atEpochMs) === false ? gatewayResponse("THROTTLED") : null;
