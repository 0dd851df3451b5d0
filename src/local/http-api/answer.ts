// What the front sends back: the function's own answer, or the gateway's when there is none.
import type { InvokeOutcome } from "../function-host.ts";
import type { HttpAnswer } from "../wire/http1/answer-bytes.ts";
import type { WireAnswer } from "../wire/request.ts";

export interface GatewayAnswer extends HttpAnswer {
  /** Status of the Lambda API's own answer: 200 also for a function error; null = no answer. */
  readonly integrationStatus: number | null;
  /** `statusCode` of the function's result. */
  readonly functionStatus: number | null;
  /** Lambda's request id, "" when it was not asked. */
  readonly lambdaRequestId: string;
  /** For the access log; "" when all went well. */
  readonly error: string;
}

const JSON_HEADERS = [["content-type", "application/json"]] as const;

/** An answer that the gateway makes by itself. */
export function gatewayError(
  status: number,
  message: string,
  more: Partial<GatewayAnswer> = {},
): GatewayAnswer {
  return {
    status,
    headers: more.headers ?? JSON_HEADERS,
    body: more.body ?? Buffer.from(JSON.stringify({ message })),
    integrationStatus: more.integrationStatus ?? null,
    functionStatus: more.functionStatus ?? null,
    lambdaRequestId: more.lambdaRequestId ?? "",
    error: more.error ?? message,
  };
}

export const unavailable = (error: string): GatewayAnswer =>
  gatewayError(503, "Service Unavailable", { error });

/** AWS.md §4: a refused invoke is a 503 and a failed one a 500, and neither says so by itself. */
export function answerOf(outcome: InvokeOutcome, version: "1.0" | "2.0"): GatewayAnswer {
  const asked = { integrationStatus: 200, lambdaRequestId: outcome.requestId };
  switch (outcome.kind) {
    case "throttled":
      return gatewayError(503, "Service Unavailable", {
        ...asked,
        integrationStatus: 429,
        error: "Rate Exceeded.",
      });
    case "not-found":
      return gatewayError(500, "Internal Server Error", { ...asked, integrationStatus: 404 });
    case "function-error":
      return gatewayError(500, "Internal Server Error", {
        ...asked,
        error: "The Lambda function returned an error.",
      });
    case "ok": {
      const own = readResult(outcome.payload, version);
      if (own !== null) return answered(own, outcome.requestId);
      return gatewayError(500, "Internal Server Error", {
        ...asked,
        error: "The Lambda function's response does not have the format that the API expects.",
      });
    }
  }
}

/**
 * Each field by name: a literal that begins with a spread gets a hidden class of its own, and dead
 * ones keep what was in flight beside them alive until the next full collection.
 */
const answered = (own: OwnAnswer, lambdaRequestId: string): GatewayAnswer => ({
  status: own.status,
  headers: own.headers,
  body: own.body,
  integrationStatus: 200,
  functionStatus: own.functionStatus,
  lambdaRequestId,
  error: "",
});

/** A service integration's answer is the service's own, whatever its status. */
export function serviceAnswer({ status, headers, body }: WireAnswer): GatewayAnswer {
  return {
    status,
    headers: [["content-type", headers["content-type"] ?? "text/xml"]],
    body: Buffer.from(body),
    integrationStatus: status,
    functionStatus: null,
    lambdaRequestId: headers["x-amzn-requestid"] ?? "",
    error: "",
  };
}

type OwnAnswer = Pick<GatewayAnswer, "status" | "headers" | "body" | "functionStatus">;

/** Without `statusCode`, format 2.0 takes the whole result as a JSON body of a 200. */
function readResult(payload: string, version: "1.0" | "2.0"): OwnAnswer | null {
  const result: unknown = JSON.parse(payload);
  const fields = isRecord(result) ? result : {};
  if (fields.statusCode === undefined) {
    if (version === "1.0") return null;
    const body = Buffer.from(typeof result === "string" ? result : payload);
    const headers = [["content-type", "application/json"]] as const;
    return { status: 200, headers, body, functionStatus: null };
  }
  const status = Number(fields.statusCode);
  const body = readBody(fields);
  const headers = readHeaders(fields, version);
  const sendable = Number.isInteger(status) && status >= 200 && status <= 599;
  if (!sendable || body === null || headers === null) return null;
  return { status, headers, body, functionStatus: status };
}

function readBody({ body, isBase64Encoded }: Fields): Buffer | null {
  if (body === undefined || body === null) return Buffer.alloc(0);
  if (typeof body !== "string") return null;
  return Buffer.from(body, isBase64Encoded === true ? "base64" : "utf8");
}

type Fields = { readonly [name: string]: unknown };

/** Headers that are the connection's own. */
export const FRAMING = new Set(["content-length", "transfer-encoding", "connection", "keep-alive"]);
/** What node:http takes: a function may return anything. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function readHeaders(fields: Fields, version: "1.0" | "2.0"): GatewayAnswer["headers"] | null {
  const found = new Map<string, string | readonly string[]>();
  for (const [name, value] of Object.entries(asRecord(fields.headers))) {
    found.set(name.toLowerCase(), String(value));
  }
  if (version === "1.0") {
    for (const [name, values] of Object.entries(asRecord(fields.multiValueHeaders))) {
      if (Array.isArray(values)) found.set(name.toLowerCase(), values.map(String));
    }
  } else if (Array.isArray(fields.cookies)) {
    found.set("set-cookie", fields.cookies.map(String));
  }
  for (const name of FRAMING) found.delete(name);
  if (!found.has("content-type")) found.set("content-type", "text/plain; charset=utf-8");
  const headers = [...found];
  return headers.every(isSendable) ? headers : null;
}

export const isSendable = ([name, value]: readonly [string, string | readonly string[]]): boolean =>
  NAME.test(name) &&
  (typeof value === "string" ? VALUE.test(value) : value.every((text) => VALUE.test(text)));

export const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const asRecord = (value: unknown): Fields => (isRecord(value) ? value : {});
