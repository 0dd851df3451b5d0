// One request to a REST API on its way through the gates, and what they note for the access log.
import { type GatewayRequest, headerOf } from "../http-api/gateway-request.ts";
import type { RouteMatch } from "../http-api/routes.ts";
import type { Signer } from "../iam/signed-request.ts";
import type { RestMethod } from "../template/rest-types.ts";
import type { RestAnswer } from "./answer.ts";
import type { Trace } from "./trace.ts";

export interface RestRequest extends GatewayRequest {
  /** `x-amz-apigw-id`, which no client can choose. */
  readonly extendedRequestId: string;
  readonly trace: Trace;
}

export interface Exchange {
  readonly request: RestRequest;
  readonly match: RouteMatch<RestMethod>;
  /** `$context` variables, without `$context.`. */
  readonly seen: { [variable: string]: string | number };
  /** What an authorizer has said of the caller, for the event. */
  authorizer: { readonly [key: string]: string | number } | null;
  /** Who signed, where IAM authorization asks for it. */
  signer: Signer | null;
  apiKey: { readonly id: string; readonly value: string } | null;
}

/** Lets a request through with null, or refuses it. */
export type Gate = (exchange: Exchange) => RestAnswer | null | Promise<RestAnswer | null>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Clients may choose the request id, as long as it is a UUID. */
export function requestIdOf(request: GatewayRequest): string {
  const chosen = headerOf(request, "x-amzn-requestid");
  if (chosen === "") return request.requestId;
  return UUID.test(chosen) ? chosen : "UUID_REPLACED_INVALID_REQUEST_ID";
}
