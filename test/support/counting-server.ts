// An HTTP server on loopback that answers at once and remembers what it was asked.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export class CountingServer implements AsyncDisposable {
  readonly asked: Asked[] = [];
  /** The most connections that were open at once. */
  connectionsMax = 0;
  readonly #server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      this.asked.push({ method, path, headers, body });
      const status = Number(/^\/status\/(\d+)/.exec(path)?.[1] ?? 200);
      response.writeHead(status, { "content-length": "2" }).end("ok");
    });
  });
  #connections = 0;

  static async start(): Promise<CountingServer> {
    const server = new CountingServer();
    server.#server.on("connection", (socket) => {
      server.connectionsMax = Math.max(server.connectionsMax, ++server.#connections);
      socket.once("close", () => server.#connections--);
    });
    await once(server.#server.listen(0, "127.0.0.1"), "listening");
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
