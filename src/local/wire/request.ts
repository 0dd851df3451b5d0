// One request and its answer, independent of HTTP version and protocol.

/** By name in lower case; several values of one name are joined by commas. */
export interface WireHeaders {
  readonly [name: string]: string | undefined;
}

export interface WireRequest {
  readonly method: string;
  /** Raw path, percent-encoding kept, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: WireHeaders;
  readonly body: Buffer;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | Buffer;
}

export type WireHandler = (request: WireRequest) => Promise<WireAnswer>;
