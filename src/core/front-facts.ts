// An API that loads go through, as the plan knows it: what its gateway counts is read.

/** One stage of an API, and the loads that are sent there. */
export interface PlannedFront {
  /** `HTTP API shop, stage $default`. */
  readonly name: string;
  /** Of its metrics in AWS/ApiGateway. */
  readonly dimensions: { readonly [name: string]: string };
  readonly loads: readonly string[];
  /** A distribution that stands before it and may answer in its place. */
  readonly behind?: string;
}
