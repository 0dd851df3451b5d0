// Signed AWS JSON calls over the load path's own client, for targets that build their own bodies.
import { serviceUrl } from "../aws/endpoint.ts";
import { type Credentials, requestSigner, type Sign } from "../aws/sigv4.ts";
import type { Clock } from "../core/time.ts";
import type { Exchange } from "../wire/exchange.ts";
import { createHttpClient, type HttpClient } from "../wire/http-client.ts";
import { parseOrigin } from "../wire/origin.ts";
import { serializePlaced, type WireRequest } from "../wire/request.ts";
import { notMade, notSent } from "./exchange-answer.ts";
import { Rooms } from "./rooms.ts";

export interface SignedCallsOptions {
  /** Host prefix and signing name: `sqs`. */
  readonly service: string;
  /** `http://127.0.0.1:PORT`, or `aws`. */
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: () => Promise<Credentials>;
  readonly clock: Pick<Clock, "nowUs" | "wallMs">;
  /** From send to last byte, connecting included. */
  readonly timeoutUs: number;
  /** Signed and sent with every call, names in lower case. */
  readonly headers: { readonly [name: string]: string };
  readonly answerBytesMax: number;
  /** Says which run it was; absent = `gatecrash`. */
  readonly userAgent?: string;
}

/** Writes a body and returns where it ends. */
type WriteBody = (into: Buffer, from: number) => number;

/** Signature, session token (some 1.5 KB) and the rest. */
const HEAD_BYTES_MAX = 8_192;
/** Position of the request id among the captured headers. */
export const REQUEST_ID = 0;

/** POSTs to `/`; one call, one request, never sent again here. */
export class SignedCalls implements AsyncDisposable {
  readonly #options: SignedCallsOptions;
  readonly #client: HttpClient;
  readonly #host: string;
  readonly #sign: Sign;
  readonly #rooms = new Rooms();

  constructor(options: SignedCallsOptions) {
    const { service, endpoint, region, credentials, clock, timeoutUs } = options;
    const origin = parseOrigin(serviceUrl(endpoint, service, region));
    this.#options = options;
    this.#host = origin.hostHeader;
    this.#sign = requestSigner({ service, region, credentials });
    this.#client = createHttpClient({
      origin,
      now: () => clock.nowUs(),
      timeoutUs,
      captureHeaders: ["x-amzn-requestid"],
      captureBody: () => options.answerBytesMax,
    });
  }

  get ownFailures(): number {
    return this.#client.ownFailures;
  }

  /**
   * `write` puts a body of at most so many bytes into a buffer from a place on, at once, and
   * returns where it ends. `done` is called once, never synchronously.
   */
  send(bodyBytesMax: number, write: WriteBody, done: (exchange: Exchange) => void): void {
    const room = this.#rooms.take(HEAD_BYTES_MAX + bodyBytesMax);
    this.#request(room, write).then(
      (request) =>
        this.#client.send(request, (exchange) => {
          // Only who has read the whole request answers 200: nothing of it is still to be sent.
          if (exchange.status === 200) this.#rooms.give(room);
          done(exchange);
        }),
      (thrown: unknown) => notMade(thrown, () => done(notSent(this.#options.clock.nowUs()))),
    );
  }

  async #request(room: Buffer, write: WriteBody): Promise<WireRequest> {
    const from = HEAD_BYTES_MAX;
    const to = write(room, from);
    const unsigned = {
      method: "POST",
      path: "/",
      host: this.#host,
      headers: this.#options.headers,
      body: room.subarray(from, to),
    };
    const signed = await this.#sign(unsigned, this.#options.clock.wallMs());
    const { userAgent = "gatecrash" } = this.#options;
    const headers = [...signed, ["user-agent", userAgent] as const];
    return serializePlaced(this.#host, { method: "POST", path: "/", headers }, { room, from, to });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }
}
