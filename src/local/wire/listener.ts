// One TCP port on loopback for HTTP/1.1 and HTTP/2 with prior knowledge, told apart by preface.
import * as http from "node:http";
import * as http2 from "node:http2";
import * as net from "node:net";
import { gunzipSync } from "node:zlib";
import type { WireAnswer, WireHandler, WireRequest } from "./request.ts";

const PREFACE = Buffer.from("PRI");
/** The largest is Kinesis PutRecords: 10 MiB, in Base64. */
const BODY_BYTES_MAX = 15 * 1024 * 1024;

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens on 127.0.0.1 only; `port` 0 takes a free one. Rejects when the port is taken. */
export async function listen(port: number, handler: WireHandler): Promise<Listener> {
  const answer = (req: IncomingAny, res: OutgoingAny): void => {
    void respond(req, res, handler);
  };
  const http1 = http.createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, answer);
  const h2 = http2.createServer(answer);
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    sniff(socket, http1, h2);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port, backlog: 4096 }, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return {
    port: address.port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** No HTTP/1.1 method begins with `PRI`, so three bytes are enough to tell. */
function sniff(socket: net.Socket, http1: http.Server, h2: http2.Http2Server): void {
  socket.once("readable", () => {
    const first: Buffer | null = socket.read();
    if (first === null) return; // closed without a byte
    socket.unshift(first);
    (first.subarray(0, 3).equals(PREFACE) ? h2 : http1).emit("connection", socket);
  });
}

type IncomingAny = http.IncomingMessage | http2.Http2ServerRequest;
type OutgoingAny = http.ServerResponse | http2.Http2ServerResponse;

async function respond(req: IncomingAny, res: OutgoingAny, handler: WireHandler): Promise<void> {
  try {
    write(res, await handler(await readRequest(req)));
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown);
    write(res, { status: 500, headers: {}, body: JSON.stringify({ message: text }) });
  }
}

async function readRequest(req: IncomingAny): Promise<WireRequest> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > BODY_BYTES_MAX) throw new Error(`body over ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  const raw = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  const url = req.url ?? "/";
  const cut = url.indexOf("?");
  const gzipped = req.headers["content-encoding"] === "gzip";
  return {
    method: req.method ?? "GET",
    path: cut === -1 ? url : url.slice(0, cut),
    query: new URLSearchParams(cut === -1 ? "" : url.slice(cut + 1)),
    headers: req.headers,
    body: gzipped ? gunzipSync(raw, { maxOutputLength: BODY_BYTES_MAX }) : raw,
  };
}

function write(res: OutgoingAny, { status, headers, body }: WireAnswer): void {
  if (res.destroyed) return;
  const sizeBytes = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  const length = status === 204 ? {} : { "content-length": String(sizeBytes) };
  const out = res as http.ServerResponse; // the two classes agree on these calls
  out.writeHead(status, { ...headers, ...length });
  out.end(status === 204 ? undefined : body);
}
