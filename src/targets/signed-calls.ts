// Signed AWS JSON calls over the load path's own client, for targets that build their own bodies.
import { AWS_ENDPOINT } from "../aws/endpoint.ts";
import { type Credentials, requestSigner, type Sign } from "../aws/sigv4.ts";
import type { Clock } from "../core/time.ts";
import type { Exchange } from "../wire/exchange.ts";
import { createHttpClient, type HttpClient } from "../wire/http-client.ts";
import { parseOrigin } from "../wire/origin.ts";
import { serializeRequest } from "../wire/request.ts";
import { notSent } from "./exchange-answer.ts";

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
}

/** Position of the request id among the captured headers. */
export const REQUEST_ID = 0;

/** POSTs to `/`; one call, one request, never sent again here. */
export class SignedCalls implements AsyncDisposable {
  readonly #options: SignedCallsOptions;
  readonly #client: HttpClient;
  readonly #host: string;
  readonly #sign: Sign;
  /** Calls that could not be signed: this machine's credentials ran out. */
  #unsigned = 0;

  constructor(options: SignedCallsOptions) {
    const { service, endpoint, region, credentials, clock, timeoutUs } = options;
    const url = endpoint === AWS_ENDPOINT ? `https://${service}.${region}.amazonaws.com` : endpoint;
    const origin = parseOrigin(url);
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
    return this.#client.ownFailures + this.#unsigned;
  }

  /** `done` is called once, never synchronously. */
  send(body: Buffer, done: (exchange: Exchange) => void): void {
    this.#request(body).then(
      (request) => this.#client.send(request, done),
      () => {
        this.#unsigned++;
        done(notSent(this.#options.clock.nowUs()));
      },
    );
  }

  async #request(body: Buffer) {
    const unsigned = {
      ...{ method: "POST", path: "/", host: this.#host, body },
      headers: this.#options.headers,
    };
    const headers = await this.#sign(unsigned, this.#options.clock.wallMs());
    return serializeRequest(this.#host, { method: "POST", path: "/", headers, body });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }
}
