// Stands in front of one dependency: lets every request through, unless a rule in force meets it.
import { setMaxListeners } from "node:events";
import * as http from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream";
import { parseRule, type Rule } from "../rule.ts";
import { type Choice, Chooser } from "./chooser.ts";
import { errorAnswer } from "./error-answer.ts";

export interface ProxyState {
  /** The rule in force as it was put; null = transparent. */
  readonly rule: string | null;
  /** Requests that the rule could have met, and those that it did. */
  readonly seen: number;
  readonly chosen: number;
}

interface InForce {
  readonly text: string;
  readonly rule: Rule;
  readonly chooser: Chooser;
  readonly over: AbortController;
  readonly timer: NodeJS.Timeout;
}

const CONNECTIONS_MAX = 10_000;
const KEEP_ALIVE_MS = 60_000;
/** Free connections to the dependency are given up before it gives them up. */
const FREE_MS = 20_000;
/** Of one connection, never of the message. */
const HOP_BY_HOP = ["connection", "keep-alive", "proxy-connection", "upgrade", "expect"];

export class DependencyProxy {
  readonly #target: URL;
  readonly #server: http.Server;
  readonly #agent = new http.Agent({ keepAlive: true, timeout: FREE_MS });
  readonly #sockets = new Set<Socket>();
  #inForce: InForce | null = null;

  constructor(target: string) {
    this.#target = new URL(target);
    const options = { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0, noDelay: true };
    this.#server = http.createServer(options, (req, res) => this.#serve(req, res));
    this.#server.maxConnections = CONNECTIONS_MAX;
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {}); // a client that goes away is no matter of ours
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  /** Listens on loopback; resolves to the port. */
  async listen(): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ host: "127.0.0.1", port: 0, backlog: 4096 }, resolve);
    });
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /**
   * From now on, for at most the rule's own time; null = transparent at once. Throws for a text
   * that is no rule; what was in force then stays.
   */
  apply(text: string | null): void {
    const rule = text === null ? null : parseRule(text);
    const before = this.#inForce;
    this.#inForce = null;
    clearTimeout(before?.timer);
    if (text !== null && rule !== null) {
      const timer = setTimeout(() => this.apply(null), rule.for_s * 1_000);
      const over = new AbortController();
      setMaxListeners(0, over.signal); // every request that waits or hangs listens
      this.#inForce = { text, rule, chooser: new Chooser(rule), over, timer };
    }
    before?.over.abort(); // whoever waits or hangs by the old rule
  }

  state(): ProxyState {
    const { text = null, chooser } = this.#inForce ?? {};
    return { rule: text, seen: chooser?.seen ?? 0, chosen: chooser?.chosen ?? 0 };
  }

  #serve(req: http.IncomingMessage, res: http.ServerResponse): void {
    const inForce = this.#inForce;
    const callId = req.headers["amz-sdk-invocation-id"];
    const choice = inForce?.chooser.choose(operationOf(req), callId?.toString()) ?? null;
    if (inForce === null || choice === null) this.#forward(req, res);
    else this.#meet(req, res, inForce, choice);
  }

  #meet(req: Incoming, res: http.ServerResponse, { rule, over }: InForce, choice: Choice): void {
    const { act, status = 500 } = rule;
    if (act === "delay") {
      later(choice.delayMs, over.signal, req.socket, () => this.#forward(req, res));
    } else if (act === "hang") {
      later(null, over.signal, req.socket, () => req.socket.resetAndDestroy());
    } else if (act === "error") {
      req.resume();
      errorAnswer(req, res, status);
    } else if (act === "drop" && !choice.again) {
      this.#forward(req, res, true);
    } else req.socket.resetAndDestroy(); // a client that died cannot try again, either
  }

  /** `isDropped`: the dependency answers in full, and its client never hears of it. */
  #forward(req: Incoming, res: http.ServerResponse, isDropped = false): void {
    const { hostname, port, host } = this.#target;
    const { method = "GET", url: path = "/" } = req;
    const headers = ["Host", host, ...passedOn(req.rawHeaders, ["host"])];
    const options = { agent: this.#agent, host: hostname, port, method, path };
    const upstream = http.request({ ...options, headers } as unknown as http.RequestOptions);
    const cut = (): void => void req.socket.resetAndDestroy();
    upstream.on("error", cut);
    res.once("close", () => {
      if (!res.writableFinished) upstream.destroy();
    });
    upstream.once("response", (answer) => {
      if (isDropped) {
        answer.resume();
        answer.once("end", cut);
        answer.once("error", cut);
        return;
      }
      const { statusCode = 502, statusMessage, rawHeaders } = answer;
      res.writeHead(statusCode, statusMessage ?? "", passedOn(rawHeaders));
      answer.once("end", () => res.addTrailers(answer.trailers as http.OutgoingHttpHeaders));
      pipeline(answer, res, (error) => {
        if (error) cut();
      });
    });
    pipeline(req, upstream, () => {}); // what goes wrong with it is upstream's error, too
  }

  async close(): Promise<void> {
    this.apply(null);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    this.#agent.destroy();
    await closed;
  }
}

type Incoming = http.IncomingMessage;

/** `PutItem` for an AWS service that names its operation, `POST /orders` for anything else. */
function operationOf({ headers, method, url }: Incoming): string {
  const target = headers["x-amz-target"];
  return typeof target === "string" ? (target.split(".").at(-1) ?? "") : `${method} ${url}`;
}

/** Name, value, name, value: in order and as they were written. */
function passedOn(rawHeaders: readonly string[], more: readonly string[] = []): string[] {
  const dropped = [...HOP_BY_HOP, ...more];
  return rawHeaders.filter((_, at) => !dropped.includes(rawHeaders[at - (at % 2)]!.toLowerCase()));
}

/** After so long (null = never by itself), or once the rule is over; never for a lost client. */
function later(ms: number | null, over: AbortSignal, socket: Socket, then: () => void): void {
  const end = (): void => {
    clearTimeout(timer);
    over.removeEventListener("abort", act);
    socket.removeListener("close", end);
  };
  const act = (): void => {
    end();
    then();
  };
  const timer = ms === null ? undefined : setTimeout(act, ms);
  over.addEventListener("abort", act, { once: true });
  socket.once("close", end);
}
