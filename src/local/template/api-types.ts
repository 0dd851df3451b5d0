// What HTTP and REST APIs of a template have in common: access logs and custom domains.

export interface AccessLogSpec {
  readonly group: string;
  /** API Gateway's format text with `$context.…` variables, as in the template. */
  readonly format: string;
}

/** A path below a custom domain that leads to an API's stage. */
export interface DomainMapping {
  readonly domain: string;
  /** Segments without a leading slash; "" = all of the domain. */
  readonly key: string;
  readonly apiId: string;
  readonly stage: string;
}

export interface DomainSpec {
  readonly name: string;
  readonly mappings: readonly DomainMapping[];
}
