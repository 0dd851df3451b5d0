// The shape of one Lambda API operation: REST JSON in, REST JSON out.

import { AwsError } from "../aws-error.ts";
import type { WireHeaders } from "../wire/request.ts";
import type { World } from "../world.ts";

export interface RestCall {
  /** The first label (a function's name), percent-decoded; "" where the path has none. */
  readonly segment: string;
  /** `{Member}` of the path → its text, percent-decoded. */
  readonly labels: { readonly [member: string]: string };
  readonly query: URLSearchParams;
  readonly headers: WireHeaders;
  readonly body: Buffer;
}

export interface RestAnswer {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  /** An object is sent as JSON, text as it is. */
  readonly body?: object | string;
  /** The invocation's own id where there is one; otherwise the listener makes one. */
  readonly requestId?: string;
}

export type RestOperation = (world: World, call: RestCall) => RestAnswer | Promise<RestAnswer>;

/** The JSON object in the body; anything else is AWS's 400. */
export function jsonBody(body: Buffer): { readonly [key: string]: unknown } {
  if (body.length === 0) return {};
  try {
    const parsed: unknown = JSON.parse(body.toString("utf8"));
    if (parsed !== null && typeof parsed === "object" && !Array.isArray(parsed))
      return parsed as { readonly [key: string]: unknown };
  } catch {
    // falls through to the same error
  }
  throw new AwsError("SerializationException", 400, "Could not parse request body into json.");
}
