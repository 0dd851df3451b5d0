// A server on loopback that does exactly what a test says, byte by byte.
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

export interface RawServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** Connections accepted so far. */
  readonly accepted: number;
}

/** Called for each request head (and whatever came with it) of a connection. */
export type OnRequest = (request: string, socket: Socket, nth: number) => void;

export const OK_RESPONSE = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

export async function rawServer(onRequest: OnRequest, tls?: TlsOptions): Promise<RawServer> {
  const open = new Set<Socket>();
  let accepted = 0;
  const accept = (socket: Socket): void => {
    accepted++;
    open.add(socket);
    let nth = 0;
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => {}); // clients of these tests break connections
    socket.on("data", (data) => onRequest(data.toString("latin1"), socket, ++nth));
  };
  const server: Server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    port,
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    get accepted() {
      return accepted;
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** A port of loopback on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = await rawServer(() => {});
  await server[Symbol.asyncDispose]();
  return server.port;
}
