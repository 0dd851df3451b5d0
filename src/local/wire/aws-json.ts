// AWS JSON 1.0 and 1.1: the operation is in `X-Amz-Target`, errors carry `__type`.
import { AwsError } from "../aws-error.ts";
import type { WireAnswer, WireRequest } from "./request.ts";

export type JsonInput = { readonly [key: string]: unknown };

export interface JsonService {
  readonly version: "1.0" | "1.1";
  /** Once a Query service: errors then also say their code and fault in `x-amzn-query-error`. */
  readonly queryCompatible: boolean;
}

export function jsonInput(request: WireRequest): JsonInput {
  try {
    const parsed: unknown = request.body.length === 0 ? {} : JSON.parse(request.body.toString());
    if (parsed !== null && typeof parsed === "object") return parsed as JsonInput;
  } catch {
    // falls through to the same error
  }
  throw new AwsError("SerializationException", 400, "The request body is no JSON object.");
}

export const jsonAnswer = (
  service: JsonService,
  output: object,
  requestId: string,
): WireAnswer => ({
  status: 200,
  headers: headersOf(service, requestId),
  body: JSON.stringify(output),
});

export function jsonError(service: JsonService, error: AwsError, requestId: string): WireAnswer {
  const fault = error.status >= 500 ? "Receiver" : "Sender";
  return {
    status: error.status,
    headers: {
      ...headersOf(service, requestId),
      ...(service.queryCompatible ? { "x-amzn-query-error": `${error.queryCode};${fault}` } : {}),
    },
    body: JSON.stringify({ __type: error.code, ...error.body() }),
  };
}

const headersOf = ({ version }: JsonService, requestId: string): { [name: string]: string } => ({
  "content-type": `application/x-amz-json-${version}`,
  "x-amzn-requestid": requestId,
});
