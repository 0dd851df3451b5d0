// A client for one test, and one exchange with it.
import type { Exchange } from "../../src/wire/exchange.ts";
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
} from "../../src/wire/http-client.ts";
import { parseOrigin } from "../../src/wire/origin.ts";
import { serializeRequest } from "../../src/wire/request.ts";

export const now = (): number => Math.floor(performance.now() * 1_000);

export function clientOf(url: string, more: Partial<HttpClientOptions> = {}): HttpClient {
  return createHttpClient({ origin: parseOrigin(url), now, timeoutUs: 5_000_000, ...more });
}

export function exchange(client: HttpClient, method = "GET", body: Uint8Array | null = null) {
  const request = serializeRequest("localhost", { method, path: "/", headers: [], body });
  return new Promise<Exchange>((resolve) => client.send(request, resolve));
}

/** Lets the loop turn until it holds; the test's own timeout is the limit. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
