// One request and its answer, independent of HTTP version and protocol.
import type { IncomingHttpHeaders } from "node:http";

export interface WireRequest {
  readonly method: string;
  /** Raw path, percent-encoding kept, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | Buffer;
}

export type WireHandler = (request: WireRequest) => Promise<WireAnswer>;
