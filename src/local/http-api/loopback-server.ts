// What every front's HTTP server has in common: a free port of 127.0.0.1, and an end.
import type { AnswerHeader, HttpAnswer } from "../wire/http1/answer-bytes.ts";
import { type Http1Options, serveHttp1 } from "../wire/http1/connection.ts";
import { listenTcp } from "../wire/listener.ts";

/** Idle connections live longer than a pause in a load, or clients would meet stale ones. */
const KEEP_ALIVE_MS = 120_000;
/** HTTP APIs refuse bodies beyond 10 MB (AWS quota), and so do the others here. */
const BODY_BYTES_MAX = 10_485_760;

export interface LoopbackServer {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  /** Ends open connections. */
  close(): Promise<void>;
}

export async function startLoopbackServer(answer: Http1Options["answer"]): Promise<LoopbackServer> {
  const options = { bodyBytesMax: BODY_BYTES_MAX, keepAliveMs: KEEP_ALIVE_MS, answer };
  const { port, close } = await listenTcp(0, (socket) => serveHttp1(socket, options));
  return { host: `127.0.0.1:${port}`, close };
}

/** The front's own headers replace those of the same name that a function or service set. */
export function withHeaders(
  { status, headers, body }: HttpAnswer,
  own: { readonly [name: string]: string },
): HttpAnswer {
  const mine = Object.entries(own);
  const names = mine.map(([name]) => name.toLowerCase());
  const others = headers.filter(([name]) => !names.includes(name.toLowerCase()));
  const all: AnswerHeader[] = [...others, ...mine];
  return { status, headers: all, body };
}
