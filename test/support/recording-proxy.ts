// Stands between a command and local AWS and keeps who called what, as it stood on the wire.
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";

export interface RecordedCall {
  /** `POST /2015-03-31/functions/page/invocations`, or the target of a JSON service. */
  readonly what: string;
  readonly userAgent: string;
  readonly body: string;
}

export class RecordingProxy implements AsyncDisposable {
  readonly #target: URL;
  readonly #server = createServer((asked, answer) => void this.#pass(asked, answer));
  #calls: RecordedCall[] = [];
  endpoint = "";

  private constructor(target: string) {
    this.#target = new URL(target);
  }

  static async start(target: string): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    const { port } = proxy.#server.address() as { port: number };
    proxy.endpoint = `http://127.0.0.1:${port}`;
    return proxy;
  }

  /** Since it was last asked. */
  take(): RecordedCall[] {
    const calls = this.#calls;
    this.#calls = [];
    return calls;
  }

  async #pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    for (const stream of [asked, answer]) stream.on("error", () => {}); // somebody was killed
    const parts: Buffer[] = [];
    for await (const part of asked) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const { method = "GET", url: path = "/", headers } = asked;
    const what = String(headers["x-amz-target"] ?? `${method} ${path}`);
    const userAgent = headers["user-agent"] ?? "";
    if (!path.startsWith("/_local/"))
      this.#calls.push({ what, userAgent, body: body.toString("latin1") });
    const { hostname, port } = this.#target;
    const passed = request({ hostname, port, method, path, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    passed.end(body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
