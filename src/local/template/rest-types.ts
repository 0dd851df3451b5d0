// What a template says of REST APIs after loading; `scale` is applied.
import type { IdentitySource } from "../http-api/authorizer-call.ts";
import type { AccessLogSpec, DomainMapping } from "./api-types.ts";
import type { WebAclSpec } from "./waf-types.ts";

/** One REST API with its stage: a front on a port of its own. */
export interface RestApiSpec {
  readonly logicalId: string;
  /** Ten lower-case letters and digits, derived from the logical id. */
  readonly apiId: string;
  /** CloudWatch's dimension ApiName. */
  readonly name: string;
  /** The first segment of every path. */
  readonly stage: string;
  readonly methods: readonly RestMethod[];
  readonly accessLog: AccessLogSpec | null;
  /** `TracingEnabled`: requests are sampled, or follow the client's decision. */
  readonly tracing: boolean;
  /** `BinaryMediaTypes`: only these bodies are base64 in the event, and bytes in an answer. */
  readonly binaryTypes: readonly string[];
  /** The most specific one that fits is a method's throttle. */
  readonly throttles: readonly MethodThrottle[];
  /** Asked before everything else. */
  readonly webAcl: WebAclSpec | null;
  /** Answers of the gateway's own that a team has changed. */
  readonly gatewayResponses: GatewayResponses;
  /** Of custom domains. */
  readonly domains: readonly DomainMapping[];
  readonly account: string;
  readonly region: string;
}

/** What is not said stays as the gateway has it. */
export interface GatewayResponseSpec {
  readonly status: number | null;
  /** Header → literal or variable. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Content type → text with variables. */
  readonly templates: readonly (readonly [type: string, template: string])[];
}

/** By type of response. */
export type GatewayResponses = ReadonlyMap<string, GatewayResponseSpec>;

/** A method of a resource, and the Lambda proxy integration behind it. */
export interface RestMethod {
  /** Upper case, or `ANY`. */
  readonly method: string;
  /** The resource: `/product/{id}`, `/{proxy+}`. */
  readonly path: string;
  readonly functionName: string;
  /** Integration timeout; at most 29,000, which is also the default. */
  readonly timeoutMs: number;
  readonly apiKeyRequired: boolean;
  readonly authorizer: AuthorizerSpec | null;
  /** Only for who signs, and whose policies let; absent = no. */
  readonly iam?: true;
}

/** A Lambda function that says who may call; all methods that name it share its cache. */
export interface AuthorizerSpec {
  readonly name: string;
  readonly type: "TOKEN" | "REQUEST";
  readonly functionName: string;
  /** Without one of these a request is unauthorized. */
  readonly identity: readonly IdentitySource[];
  /** What a token must look like; null = anything. */
  readonly pattern: string | null;
  readonly cacheS: number;
}

export interface ThrottleSpec {
  readonly ratePerSecond: number;
  readonly burst: number;
}

/** One entry of `MethodSettings` that throttles. */
export interface MethodThrottle extends ThrottleSpec {
  /** A method, or `*`. */
  readonly method: string;
  /** A resource, or `/*`. */
  readonly path: string;
}
