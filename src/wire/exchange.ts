// One request and what became of it: a response, or the reason why there is none.
import type { WireRequest } from "./request.ts";

/**
 * Why there is no complete response. `dns`, `connect`, `tls`: nothing was sent. `stale`: a reused
 * connection was closed before the first byte of the answer. `unfinished`: the client was disposed.
 * `credentials`: said by who signs, never by the wire: nothing was sent.
 */
export type WireFailure =
  | "dns"
  | "connect"
  | "tls"
  | "stale"
  | "reset"
  | "timeout"
  | "parse"
  | "unfinished"
  | "credentials";

/** Times are what the client's `now` said; -1 = never. */
export interface Exchange {
  /** "" when the response is complete. */
  readonly failure: WireFailure | "";
  /** 0 unless the response is complete. */
  readonly status: number;
  /** When the wire took the request: connecting, where needed, comes after it. */
  readonly sentUs: number;
  /** First byte of any answer, interim (1xx) heads included. */
  readonly firstByteUs: number;
  readonly doneUs: number;
  /** Name look-up and TCP connect of this exchange's own connection; 0 on a reused one. */
  readonly connectUs: number;
  readonly tlsUs: number;
  readonly bytesOut: number;
  readonly bytesIn: number;
  readonly newConnection: boolean;
  /** Values of `captureHeaders`, by position; "" = absent. Empty without a response. */
  readonly headers: readonly string[];
  /** The first bytes of the body, as many as `captureBody` asked for; null = none. */
  readonly body: Buffer | null;
}

const NO_HEADERS: readonly string[] = [];

/** The exchange while it is under way; it sits in its client's list of deadlines. */
export class OpenExchange implements Exchange {
  failure: WireFailure | "" = "";
  status = 0;
  firstByteUs = -1;
  doneUs = -1;
  connectUs = 0;
  tlsUs = 0;
  bytesOut = 0;
  bytesIn = 0;
  newConnection = false;
  headers: readonly string[] = NO_HEADERS;
  body: Buffer | null = null;

  /** The connection it is on: ends it when its time is over. */
  connection: { expire(): void } | null = null;
  previous: OpenExchange | null = null;
  next: OpenExchange | null = null;

  readonly request: WireRequest;
  readonly done: (exchange: Exchange) => void;
  readonly sentUs: number;

  constructor(request: WireRequest, done: (exchange: Exchange) => void, sentUs: number) {
    this.request = request;
    this.done = done;
    this.sentUs = sentUs;
  }
}
