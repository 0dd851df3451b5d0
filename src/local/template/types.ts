// What a SAM template says after loading: functions, APIs, log groups, outputs; `scale` is applied.
import type { ErrorPlace } from "../../core/error.ts";
import type { FunctionSpec } from "../function-host.ts";

/** One route of an HTTP API and the Lambda integration behind it. */
export interface HttpApiRoute {
  /** Upper case, or `ANY`. */
  readonly method: string;
  /** As in API Gateway (`/product/{id}`, `/{proxy+}`), or `$default` for all other requests. */
  readonly path: string;
  readonly functionName: string;
  readonly payloadVersion: "1.0" | "2.0";
  /** Integration timeout; at most 30,000, which is also the default. */
  readonly timeoutMs: number;
}

export interface AccessLogSpec {
  readonly group: string;
  /** API Gateway's format text with `$context.…` variables, as in the template. */
  readonly format: string;
}

/** One HTTP API: a front on a port of its own. */
export interface HttpApiSpec {
  readonly logicalId: string;
  /** Ten lower-case letters and digits, derived from the logical id. */
  readonly apiId: string;
  /** `$default` (no prefix), or a name that is the first segment of every path. */
  readonly stage: string;
  readonly routes: readonly HttpApiRoute[];
  readonly accessLog: AccessLogSpec | null;
  readonly account: string;
  readonly region: string;
}

/** A function, and what invoking it needs beyond the host's own spec. */
export interface TemplateFunction {
  readonly spec: FunctionSpec;
  /** `Tracing: Active`: REPORT carries an XRAY line on direct invokes. */
  readonly activeTracing: boolean;
}

export interface Template {
  readonly functions: readonly TemplateFunction[];
  readonly apis: readonly HttpApiSpec[];
  readonly logGroups: readonly string[];
  /** Where a function stands in the file, for complaints about its reservation. */
  placeOfFunction(logicalId: string): ErrorPlace;
  /** Resolved once every front listens: name → value. */
  outputs(fronts: readonly FrontAddress[]): { readonly [name: string]: string };
}

/** Where an HTTP API's front listens: stands in for `<apiId>.execute-api.<region>.<suffix>`. */
export interface FrontAddress {
  readonly logicalId: string;
  /** `127.0.0.1:PORT`. */
  readonly host: string;
}
