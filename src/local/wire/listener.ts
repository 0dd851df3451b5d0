// One TCP port on loopback for HTTP/1.1 and HTTP/2 with prior knowledge, told apart by preface.
import * as http2 from "node:http2";
import * as net from "node:net";
import { gunzipSync } from "node:zlib";
import { messageOf } from "../../core/error.ts";
import type { HttpAnswer } from "./http1/answer-bytes.ts";
import { type Http1Options, serveHttp1 } from "./http1/connection.ts";
import type { ParsedRequest } from "./http1/request-parser.ts";
import type { WireAnswer, WireHandler, WireHeaders, WireRequest } from "./request.ts";

const PREFACE = Buffer.from("PRI");
const NOTHING = Buffer.alloc(0);
/** The largest is Kinesis PutRecords: 10 MiB, in Base64. */
const BODY_BYTES_MAX = 15 * 1024 * 1024;
const KEEP_ALIVE_MS = 60_000;

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens on 127.0.0.1 only; `port` 0 takes a free one. Rejects when the port is taken. */
export async function listen(port: number, handler: WireHandler): Promise<Listener> {
  const http1: Http1Options = {
    bodyBytesMax: BODY_BYTES_MAX,
    keepAliveMs: KEEP_ALIVE_MS,
    answer: async (received) => {
      const request = http1Request(received);
      return http1Answer(isRefused(request) ? request : await handler(request));
    },
  };
  const h2 = http2.createServer((request, response) => void respond(request, response, handler));
  return listenTcp(port, (socket) => sniff(socket, http1, h2));
}

/** `serve` is called for each connection, and may leave it half open. */
export async function listenTcp(
  port: number,
  serve: (socket: net.Socket) => void,
): Promise<Listener> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    serve(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port, backlog: 4096 }, resolve);
  });
  return {
    port: (server.address() as net.AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** No HTTP/1.1 method begins with `PRI`, so three bytes are enough to tell. */
function sniff(socket: net.Socket, http1: Http1Options, h2: http2.Http2Server): void {
  let first = NOTHING;
  const look = (): void => {
    const more: Buffer | null = socket.read();
    if (more === null) return void socket.end(); // its client left without a word
    first = Buffer.concat([first, more]);
    const isPreface = PREFACE.equals(first.subarray(0, PREFACE.length));
    if (!isPreface && first.equals(PREFACE.subarray(0, first.length)))
      return void socket.once("readable", look);
    socket.setTimeout(0);
    socket.off("timeout", leave);
    socket.unshift(first);
    if (isPreface) {
      socket.allowHalfOpen = false;
      h2.emit("connection", socket);
    } else serveHttp1(socket, http1);
  };
  const leave = (): void => void socket.destroy();
  socket.setTimeout(KEEP_ALIVE_MS);
  socket.on("timeout", leave);
  socket.once("readable", look);
}

function http1Request({ head, content }: ParsedRequest): WireRequest | WireAnswer {
  if (content === null) return TOO_LONG;
  const headers: { [name: string]: string } = Object.create(null);
  for (const [name, value] of head.headers) {
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
  }
  return wireRequest(head.method, head.target, headers, content);
}

const http1Answer = ({ status, headers, body }: WireAnswer): HttpAnswer => ({
  status,
  headers: Object.entries(headers),
  body: typeof body === "string" ? Buffer.from(body) : body,
});

async function respond(
  request: http2.Http2ServerRequest,
  response: http2.Http2ServerResponse,
  handler: WireHandler,
): Promise<void> {
  try {
    const asked = await http2Request(request);
    write(response, isRefused(asked) ? asked : await handler(asked));
  } catch (thrown) {
    const body = JSON.stringify({ message: messageOf(thrown) });
    write(response, { status: 500, headers: {}, body });
  }
}

async function http2Request(request: http2.Http2ServerRequest): Promise<WireRequest | WireAnswer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > BODY_BYTES_MAX) return TOO_LONG;
    chunks.push(chunk);
  }
  const raw = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  return wireRequest(request.method, request.url, request.headers as WireHeaders, raw);
}

function wireRequest(
  method: string,
  target: string,
  headers: WireHeaders,
  raw: Buffer,
): WireRequest | WireAnswer {
  const cut = target.indexOf("?");
  const body = headers["content-encoding"] === "gzip" ? unzipped(raw) : raw;
  if (isRefused(body)) return body;
  return {
    method,
    path: cut === -1 ? target : target.slice(0, cut),
    query: new URLSearchParams(cut === -1 ? "" : target.slice(cut + 1)),
    headers,
    body,
  };
}

function unzipped(raw: Buffer): Buffer | WireAnswer {
  try {
    return gunzipSync(raw, { maxOutputLength: BODY_BYTES_MAX });
  } catch (thrown) {
    const isTooLong = (thrown as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE";
    return isTooLong ? TOO_LONG : refusal(400, "SerializationException", messageOf(thrown));
  }
}

/** Before anybody knows which service was meant: an error that every client can read. */
const refusal = (status: number, code: string, message: string): WireAnswer => ({
  status,
  headers: { "content-type": "application/json", "x-amzn-errortype": code },
  body: JSON.stringify({ __type: code, message }),
});

const TOO_LONG = refusal(
  413,
  "RequestEntityTooLargeException",
  `The request body is over ${BODY_BYTES_MAX} bytes.`,
);

const isRefused = (made: Buffer | WireRequest | WireAnswer): made is WireAnswer => "status" in made;

function write(out: http2.Http2ServerResponse, { status, headers, body }: WireAnswer): void {
  if (out.destroyed) return;
  const sizeBytes = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  const all: http2.OutgoingHttpHeaders = Object.assign({}, headers);
  if (status !== 204) all["content-length"] = sizeBytes;
  out.writeHead(status, all);
  if (status === 204) out.end();
  else out.end(body);
}
