// HTTPS_PROXY for calls to AWS and for tokens: a tunnel by CONNECT. Load never goes through it.
import { request } from "node:http";
import { Agent, type AgentOptions, type RequestOptions } from "node:https";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { GatecrashError } from "../core/error.ts";

type Environment = { readonly [name: string]: string | undefined };

/** The proxy that AWS calls go through, or null. Throws `usage` for one that cannot be used. */
export function proxyOf(env: Environment): URL | null {
  const text = env.HTTPS_PROXY || env.https_proxy;
  if (!text) return null;
  if (!URL.canParse(text) || new URL(text).protocol !== "http:") {
    throw new GatecrashError("usage", "HTTPS_PROXY is no http:// URL", {
      hint: "write it as http://proxy.example:3128; the tunnel through it is TLS all the way",
    });
  }
  return new URL(text);
}

/** True for hosts that `NO_PROXY` names: whole, as a suffix after a dot, or `*`. */
export function isDirect(host: string, env: Environment): boolean {
  const names = (env.NO_PROXY || env.no_proxy || "").split(",").map((name) => name.trim());
  return names.some((name) => {
    if (name === "") return false;
    return name === "*" || host === name || host.endsWith(name.startsWith(".") ? name : `.${name}`);
  });
}

/** Null when the environment names no proxy. */
export function proxyAgent(env: Environment, options: AgentOptions): Agent | null {
  const proxy = proxyOf(env);
  return proxy === null ? null : new TunnelAgent(proxy, env, options);
}

type Connected = (error: Error | null, socket: Duplex) => void;

class TunnelAgent extends Agent {
  readonly #proxy: URL;
  readonly #env: Environment;

  constructor(proxy: URL, env: Environment, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
    this.#env = env;
  }

  /** Answers through the callback where there is a tunnel to be made first. */
  override createConnection(options: RequestOptions, done?: Connected) {
    const { host, port } = options;
    const name = host ?? "";
    if (done === undefined || isDirect(name, this.#env)) {
      return super.createConnection(options, done);
    }
    const failed = (error: Error): void => done(error, new Socket());
    this.#tunnel(`${name}:${port ?? 443}`, failed, (tunnel) => {
      done(
        null,
        super.createConnection({ ...options, socket: tunnel } as RequestOptions) as Duplex,
      );
    });
    return undefined;
  }

  #tunnel(to: string, failed: (error: Error) => void, done: (tunnel: Socket) => void): void {
    const { hostname, port, username, password } = this.#proxy;
    const who = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const asked = request({
      ...{ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 80), method: "CONNECT" },
      ...{ path: to, agent: false },
      headers: {
        host: to,
        ...(username === ""
          ? {}
          : { "proxy-authorization": `Basic ${Buffer.from(who).toString("base64")}` }),
      },
    });
    asked.once("connect", ({ statusCode }, socket: Socket) => {
      if (statusCode === 200) return done(socket);
      socket.destroy();
      failed(new Error(`the proxy refused a tunnel to ${to}: status ${statusCode}`));
    });
    asked.once("error", (error) => failed(new Error(`the proxy: ${error.message}`)));
    asked.end();
  }
}
