// Stands between a command and local AWS: holds one call, or all, for as long as needed.
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";

/** `before`: local AWS has not seen the call yet. `after`: it has acted, and nobody knows. */
type Side = "before" | "after";

interface Hold {
  readonly method: string;
  readonly side: Side;
  /** A part of the body that it has to have. */
  readonly body: string;
  readonly met: () => void;
  readonly released: Promise<void>;
}

export class HoldingProxy implements AsyncDisposable {
  readonly #target: URL;
  readonly #server = createServer((asked, answer) => void this.#pass(asked, answer));
  #hold: Hold | null = null;
  endpoint = "";
  #frozen: Promise<void> | null = null;

  private constructor(target: string) {
    this.#target = new URL(target);
  }

  static async start(target: string): Promise<HoldingProxy> {
    const proxy = new HoldingProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    const { port } = proxy.#server.address() as { port: number };
    proxy.endpoint = `http://127.0.0.1:${port}`;
    return proxy;
  }

  /**
   * Holds the next write of a function's concurrency or configuration (PUT, DELETE), or the next
   * call whose target or body has this text (POST). One at a time.
   */
  hold(
    method: "PUT" | "DELETE" | "POST",
    side: Side,
    body = "",
  ): { met: Promise<void>; release: () => void } {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const met = new Promise<void>((resolve) => {
      this.#hold = { method, side, body, met: resolve, released };
    });
    return { met, release };
  }

  /** A control plane too slow to wait for: no call passes any more until this is called. */
  freeze(): () => void {
    let thaw = (): void => {};
    this.#frozen = new Promise<void>((resolve) => {
      thaw = resolve;
    });
    return thaw;
  }

  async #pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    asked.socket.on("error", () => {}); // whoever asked may have been killed
    const parts: Buffer[] = [];
    for await (const part of asked) parts.push(part as Buffer);
    if (this.#frozen !== null) await this.#frozen;
    const hold = this.#take(asked, Buffer.concat(parts).toString());
    if (hold?.side === "before") await held(hold);
    const { hostname, port } = this.#target;
    const { method, url: path, headers } = asked;
    const passed = request({ hostname, port, method, path, headers });
    passed.end(Buffer.concat(parts));
    const [reply] = (await once(passed, "response")) as [IncomingMessage];
    if (hold?.side === "after") await held(hold);
    answer.on("error", () => {});
    answer.writeHead(reply.statusCode ?? 0, reply.headers);
    reply.pipe(answer);
  }

  #take({ method, url = "", headers }: IncomingMessage, body: string): Hold | null {
    const hold = this.#hold;
    if (hold === null || hold.method !== method) return null;
    if (method !== "POST" && !/concurrency|configuration/.test(url)) return null;
    if (!`${String(headers["x-amz-target"])} ${body}`.includes(hold.body)) return null;
    this.#hold = null;
    return hold;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

function held(hold: Hold): Promise<void> {
  hold.met();
  return hold.released;
}
