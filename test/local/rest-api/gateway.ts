// A REST API on loopback behind which a test plays the functions.

import type { Answered } from "../../../src/local/front-metrics.ts";
import type { InvokeOptions, InvokeOutcome } from "../../../src/local/function-host.ts";
import { startRestApi } from "../../../src/local/rest-api/front.ts";
import { usageGates } from "../../../src/local/rest-api/usage.ts";
import type { RestApiSpec, RestMethod } from "../../../src/local/template/rest-types.ts";
import type { UsageSpec } from "../../../src/local/template/usage-types.ts";
import { type RequestThrottle, requestThrottle } from "../../../src/model/request-throttle.ts";
import { type Answer, NOW_MS, outcomeOf, send } from "../http-api/gateway.ts";

export const REQUEST_ID = "0f1e2d3c-0000-4000-8000-00000000000a";
/** Eleven bytes of 128. */
export const EXTENDED_ID = "gICAgICAgICAgIA=";

export const method = (name: string, path: string, more: Partial<RestMethod> = {}): RestMethod => ({
  ...{ method: name, path, functionName: "unit", timeoutMs: 29_000 },
  ...{ apiKeyRequired: false, authorizer: null },
  ...more,
});

export interface Call {
  readonly functionName: string;
  readonly event: Record<string, unknown>;
  readonly options: InvokeOptions;
}

type Play = (call: Call) => Promise<InvokeOutcome>;

export interface RestGateway extends AsyncDisposable {
  readonly calls: Call[];
  readonly lines: { group: string; stream: string; atEpochMs: number; message: string }[];
  /** For CloudWatch. */
  readonly answered: Answered[];
  /** What functions answer from now on. */
  play(outcome: Partial<InvokeOutcome> | Play): void;
  /** Moves the wall clock while a function runs. */
  takes(ms: number): void;
  /** Moves the wall clock now. */
  pass(ms: number): void;
  ask(
    method: string,
    path: string,
    headers?: readonly string[],
    body?: string | Buffer,
  ): Promise<Answer>;
}

/** Every `$context` variable of `names` in one JSON object. */
export const formatOf = (names: readonly string[]): string =>
  `{${names.map((name) => `"${name}":"$context.${name}"`).join(",")}}`;

export const restSpec = (more: Partial<RestApiSpec> = {}): RestApiSpec => ({
  ...{ logicalId: "Api", apiId: "abcdefghij", name: "shop", stage: "prod" },
  methods: [method("POST", "/checkout")],
  ...{ accessLog: null, tracing: false, binaryTypes: [], throttles: [], domains: [] },
  webAcl: null,
  gatewayResponses: new Map(),
  ...{ account: "000000000000", region: "us-east-1" },
  ...more,
});

const NO_LIMIT = requestThrottle(1_000_000, 1_000_000);

export async function startRestGateway(
  more: Partial<RestApiSpec> = {},
  throttle: RequestThrottle = NO_LIMIT,
  usage: UsageSpec = { keys: [], plans: [] },
): Promise<RestGateway> {
  let nowMs = NOW_MS;
  let takesMs = 0;
  let play: Play = async () => outcomeOf({ payload: '{"statusCode":200,"body":"hi"}' });
  const calls: Call[] = [];
  const lines: RestGateway["lines"] = [];
  const answered: RestGateway["answered"] = [];
  const spec = restSpec(more);
  const front = await startRestApi(spec, {
    invoker: {
      invoke: (functionName, event, options) => {
        const call = { functionName, event: JSON.parse(event), options };
        calls.push(call);
        nowMs += takesMs;
        return play(call);
      },
    },
    logs: {
      append: (group, stream, atEpochMs, message) => {
        lines.push({ group, stream, atEpochMs, message });
      },
    },
    nowMs: () => nowMs,
    random: () => 0.5,
    signer: () => ({ fault: "missing", message: "" }),
    newRequestId: () => REQUEST_ID,
    throttle,
    usageGate: usageGates(usage),
    answered: (one) => {
      answered.push(one);
    },
  });
  return {
    calls,
    lines,
    answered,
    play: (next) => {
      play = typeof next === "function" ? next : async () => outcomeOf(next);
    },
    takes: (ms) => {
      takesMs = ms;
    },
    pass: (ms) => {
      nowMs += ms;
    },
    ask: (name, path, headers, body) =>
      send({ ...front, url: `http://${front.host}` }, name, path, headers, body),
    [Symbol.asyncDispose]: () => front.close(),
  };
}
