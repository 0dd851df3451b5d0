// What was deployed from the template, as CloudFormation and API Gateway tell it.

/** The stack that a template is deployed as. */
export const STACK = "local";

export interface DeployedApi {
  readonly apiId: string;
  readonly name: string;
  readonly stage: string;
  /** `http://127.0.0.1:PORT`, where AWS would say its own host. */
  readonly endpoint: string;
  /** A domain of its own; null = none. */
  readonly domain: string | null;
  /** ARNs of the functions behind its routes, each once. */
  readonly functions: readonly string[];
}

export interface DeployedUrl {
  readonly functionName: string;
  /** `http://127.0.0.1:PORT/`. */
  readonly url: string;
}

/** Filled once every front listens. */
export interface Deployment {
  createdMs: number;
  outputs: { readonly [name: string]: string };
  apis: readonly DeployedApi[];
  urls: readonly DeployedUrl[];
}
