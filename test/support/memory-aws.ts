// Local AWS without its wire: its own operations in virtual time, called by name.
import { AwsFailure, type ControlPlane } from "../../src/core/change.ts";
import type { Clock } from "../../src/core/time.ts";
import { AwsError } from "../../src/local/aws-error.ts";
import { callOperation } from "../../src/local/call-operation.ts";
import { createWorld } from "../../src/local/create-world.ts";
import { DependencyProxy } from "../../src/local/dependencies/child/proxy.ts";
import { Dependencies } from "../../src/local/dependencies/dependencies.ts";
import type { Answered, Ask, ProxyLink } from "../../src/local/dependencies/protocol.ts";
import type { FunctionHost } from "../../src/local/function-host.ts";
import { DEFAULTS } from "../../src/local/options.ts";
import { NoAnswer } from "../../src/local/planned-errors.ts";
import type { World } from "../../src/local/world.ts";

export interface MemoryAws {
  readonly world: World;
  readonly control: ControlPlane;
}

/** An account with these functions, each of which answers at once. */
export function memoryAws(clock: Clock, ...names: readonly string[]): MemoryAws {
  const dependencies = new Dependencies(() => new NearProxies());
  const runners = { makeHost: async () => HOST, dependencies };
  const world = createWorld({ ...DEFAULTS, template: "" }, clock, runners);
  for (const name of names) {
    world.admission.declare(name, { reserved: null, provisioned: 0 });
    const spec = specOf(name, world);
    world.functions.add({ ...PLAIN, spec }, HOST, clock.wallMs());
  }
  const control: ControlPlane = {
    async call(service, action, input) {
      try {
        return await callOperation(world, { role: "", service, action, input });
      } catch (error) {
        if (error instanceof NoAnswer) throw new AwsFailure("TimeoutError", "no answer", "", 0);
        if (!(error instanceof AwsError)) throw error;
        const { code, message, extra, status } = error;
        throw new AwsFailure(code, message, String(extra.Reason ?? ""), status);
      }
    },
  };
  return { world, control };
}

const PLAIN = { description: "", activeTracing: false, deadLetterArn: null, layers: [] };

const specOf = (name: string, world: World) => ({
  logicalId: name,
  name,
  arn: world.functions.arn(name),
  runtime: "nodejs20.x",
  handler: "index.handler",
  codeDir: "/",
  timeoutMs: 3_000,
  memoryMb: 128,
  environment: {},
  reserved: null,
  initMs: 0,
  isolation: "shared" as const,
  logGroup: `/aws/lambda/${name}`,
  endpoint: "http://127.0.0.1:1",
});

const HOST: FunctionHost = {
  create: async () => ({
    id: "1",
    stream: "2026/01/01/[$LATEST]1",
    initMs: 0,
    invoke: async () => ({
      kind: "ok",
      payload: "null",
      durationMs: 1,
      maxMemoryMb: 64,
      logs: [],
    }),
    destroy: () => {},
  }),
  async [Symbol.asyncDispose]() {},
};

/** Proxies without ports and without a process: they take rules, and say which is in force. */
class NearProxies implements ProxyLink {
  readonly #proxies = new Map<string, DependencyProxy>();

  async ask(ask: Ask): Promise<Answered> {
    const proxy = this.#proxies.get(ask.name) ?? new DependencyProxy("http://127.0.0.1:9");
    this.#proxies.set(ask.name, proxy);
    if (ask.kind === "apply") proxy.apply(ask.rule);
    return { id: 0, port: 0, state: proxy.state(), error: "" };
  }

  async close(): Promise<void> {
    for (const proxy of this.#proxies.values()) proxy.apply(null);
  }
}
