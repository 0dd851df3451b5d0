// A front on loopback behind which a test plays the function, and a client that sends raw requests.
import { request as httpRequest } from "node:http";
import type { Answered } from "../../../src/local/front-metrics.ts";
import type { InvokeOptions, InvokeOutcome } from "../../../src/local/function-host.ts";
import { type HttpApiFront, startHttpApi } from "../../../src/local/http-api/front.ts";
import type { HttpApiRoute, HttpApiSpec } from "../../../src/local/template/types.ts";
import type { RequestThrottle } from "../../../src/model/request-throttle.ts";

export const NOW_MS = Date.UTC(2026, 2, 12, 19, 3, 58);
export const LAMBDA_ID = "0f1e2d3c-0000-4000-8000-000000000001";
export const SQS_ID = "0f1e2d3c-0000-4000-8000-000000000002";

export function route(method: string, path: string, more: Partial<HttpApiRoute> = {}) {
  const integration = { kind: "lambda", functionName: "unit", payloadVersion: "2.0" } as const;
  return { method, path, integration, timeoutMs: 30_000, ...more };
}

export interface Call {
  readonly functionName: string;
  readonly event: Record<string, unknown>;
  readonly options: InvokeOptions;
}

export interface Gateway extends AsyncDisposable {
  readonly front: HttpApiFront;
  readonly calls: Call[];
  /** Parameters of each SendMessage. */
  readonly sent: { readonly [name: string]: string }[];
  readonly lines: { group: string; stream: string; atEpochMs: number; message: string }[];
  /** What CloudWatch is told. */
  readonly answered: Answered[];
  /** What the function answers from now on. */
  play(outcome: Partial<InvokeOutcome> | (() => Promise<InvokeOutcome>)): void;
  /** Moves the wall clock while the function runs. */
  takes(ms: number): void;
}

export const outcomeOf = (more: Partial<InvokeOutcome>): InvokeOutcome => ({
  requestId: LAMBDA_ID,
  kind: "ok",
  reason: "",
  payload: "null",
  executedVersion: "$LATEST",
  tail: "",
  ...more,
});

export async function startGateway(
  more: Partial<HttpApiSpec>,
  throttle?: RequestThrottle,
): Promise<Gateway> {
  let nowMs = NOW_MS;
  let takesMs = 0;
  let play: () => Promise<InvokeOutcome> = async () => outcomeOf({});
  const calls: Call[] = [];
  const sent: Gateway["sent"] = [];
  const lines: Gateway["lines"] = [];
  const answered: Gateway["answered"] = [];
  const spec: HttpApiSpec = {
    logicalId: "Api",
    apiId: "abcdefghij",
    stage: "$default",
    routes: [route("POST", "/checkout")],
    accessLog: null,
    domains: [],
    account: "000000000000",
    region: "us-east-1",
    ...more,
  };
  const front = await startHttpApi(spec, {
    invoker: {
      invoke: (functionName, event, options) => {
        calls.push({ functionName, event: JSON.parse(event), options });
        nowMs += takesMs;
        return play();
      },
    },
    logs: {
      append: (group, stream, atEpochMs, message) => {
        lines.push({ group, stream, atEpochMs, message });
      },
    },
    sendMessage: (parameters) => {
      sent.push(parameters);
      const headers = { "content-type": "text/xml", "x-amzn-requestid": SQS_ID };
      return { status: 200, headers, body: "<SendMessageResponse/>" };
    },
    nowMs: () => nowMs,
    random: () => 0.5,
    signer: () => ({ fault: "missing", message: "" }),
    answered: (one) => answered.push(one),
    ...(throttle === undefined ? {} : { throttle }),
  });
  return {
    front,
    calls,
    sent,
    lines,
    answered,
    play: (next) => {
      play = typeof next === "function" ? next : async () => outcomeOf(next);
    },
    takes: (ms) => {
      takesMs = ms;
    },
    [Symbol.asyncDispose]: () => front.close(),
  };
}

export interface Answer {
  readonly status: number;
  /** As they came: name, value, name, value. */
  readonly raw: readonly string[];
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly body: string;
}

/** `headers` are sent as they are, duplicates included. */
export function send(
  front: HttpApiFront,
  method: string,
  path: string,
  headers: readonly string[] = [],
  body: string | Buffer = "",
): Promise<Answer> {
  const { port } = new URL(front.url);
  const announced = body.length > 0 && !headers.includes("Transfer-Encoding");
  const sizes = announced ? ["Content-Length", String(Buffer.byteLength(body))] : [];
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, method, path, agent: false } as const;
    const all = ["Host", "shop.test", ...headers, ...sizes];
    const sent = httpRequest({ ...options, headers: all }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          raw: response.rawHeaders,
          headers: response.headers,
          body: Buffer.concat(chunks).toString("latin1"),
        }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
