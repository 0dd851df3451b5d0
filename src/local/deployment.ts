// What was deployed from the template, as CloudFormation and API Gateway tell it.

import type { DomainSpec } from "./template/api-types.ts";
import { type EdgeSpecs, NO_EDGES } from "./template/edge-types.ts";
import type { RestApiSpec } from "./template/rest-types.ts";
import type { HttpApiSpec } from "./template/types.ts";
import type { UsageSpec } from "./template/usage-types.ts";

export interface DeployedApi {
  readonly spec: HttpApiSpec;
  /** `http://127.0.0.1:PORT`, where AWS would say its own host. */
  readonly endpoint: string;
}

export interface DeployedRestApi {
  readonly spec: RestApiSpec;
  /** `http://127.0.0.1:PORT`, without the stage. */
  readonly endpoint: string;
}

export interface DeployedUrl {
  /** With the alias that the URL invokes, where it has one. */
  readonly functionName: string;
  /** `http://127.0.0.1:PORT/`. */
  readonly url: string;
  /** Whether it wants signatures. */
  readonly iam: boolean;
}

/** Filled once every front listens. */
export interface Deployment {
  createdMs: number;
  outputs: { readonly [name: string]: string };
  apis: readonly DeployedApi[];
  restApis: readonly DeployedRestApi[];
  usage: UsageSpec;
  domains: readonly DomainSpec[];
  urls: readonly DeployedUrl[];
  edges: EdgeSpecs;
}

export const nothingDeployed = (createdMs: number): Deployment => ({
  createdMs,
  ...{ outputs: {}, apis: [], restApis: [], usage: { keys: [], plans: [] } },
  ...{ domains: [], urls: [], edges: NO_EDGES },
});
