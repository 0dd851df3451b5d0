// What every front's HTTP server has in common: a free port of 127.0.0.1, answers, and an end.
import type { Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Idle connections live longer than a pause in a load, or clients would meet stale ones. */
export const KEEP_ALIVE_MS = 120_000;
const BACKLOG = 4_096;

/** `127.0.0.1:PORT`. */
export async function listenOnLoopback(server: Server): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: 0, host: "127.0.0.1", backlog: BACKLOG }, resolve);
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Ends open connections. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

export interface Sendable {
  readonly status: number;
  readonly headers: readonly (readonly [string, string | readonly string[]])[];
  readonly body: Buffer;
}

/** A 204 or 304 has no body, and must not announce one. */
export function sendAnswer(
  response: ServerResponse,
  { status, headers, body }: Sendable,
  own: { readonly [name: string]: string },
): void {
  const isEmpty = status === 204 || status === 304;
  response.statusCode = status;
  for (const [name, value] of headers) response.setHeader(name, value);
  if (!isEmpty) response.setHeader("content-length", body.length);
  for (const [name, value] of Object.entries(own)) response.setHeader(name, value);
  response.end(isEmpty ? undefined : body);
}
