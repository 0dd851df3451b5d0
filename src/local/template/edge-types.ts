// What a template says of distributions and load balancers after loading.

export interface DistributionSpec {
  readonly id: string;
  /** `d1a2b3c4.cloudfront.net`. */
  readonly host: string;
  readonly aliases: readonly string[];
  readonly webAcl: string;
  readonly origins: readonly {
    readonly id: string;
    readonly host: string;
    readonly path: string;
  }[];
  readonly defaultOrigin: string;
  readonly behaviors: readonly { readonly pattern: string; readonly origin: string }[];
}

export interface BalancerSpec {
  readonly arn: string;
  readonly name: string;
  readonly host: string;
  readonly scheme: string;
}

export interface ListenerSpec {
  readonly arn: string;
  readonly balancer: string;
  readonly port: number;
  readonly protocol: string;
  /** ARNs of the groups that it and its rules forward to. */
  readonly groups: readonly string[];
}

export interface TargetGroupSpec {
  readonly arn: string;
  readonly name: string;
  readonly type: string;
  readonly targets: readonly string[];
}

export interface EdgeSpecs {
  readonly distributions: readonly DistributionSpec[];
  readonly balancers: readonly BalancerSpec[];
  readonly listeners: readonly ListenerSpec[];
  readonly targetGroups: readonly TargetGroupSpec[];
}

export const NO_EDGES: EdgeSpecs = {
  ...{ distributions: [], balancers: [], listeners: [], targetGroups: [] },
};
