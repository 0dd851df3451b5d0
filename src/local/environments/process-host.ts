// `process` isolation: every execution environment is a process of its own, from a pre-forked pool.
import type { ExecutionEnvironment, FunctionHost, FunctionSpec } from "../function-host.ts";
import { ChildLink } from "./child-link.ts";
import { waitDeclared } from "./declared-init.ts";
import { newEnvironmentId, streamName } from "./names.ts";
import type { ChildOptions } from "./start-child.ts";

/** Processes kept booted beyond those in use, so that a cold start costs an import and no fork. */
const POOL_SIZE = 2;

export class ProcessHost implements FunctionHost {
  readonly #spec: FunctionSpec;
  readonly #options: ChildOptions;
  readonly #waiting: ChildLink[] = [];
  readonly #used = new Set<ChildLink>();
  #closed = false;

  constructor(spec: FunctionSpec, options: ChildOptions) {
    this.#spec = spec;
    this.#options = options;
    this.#refill();
  }

  /** Resolves when the first processes have booted. */
  async ready(): Promise<void> {
    await Promise.all(this.#waiting.map((link) => link.ready()));
  }

  async create(version: string): Promise<ExecutionEnvironment> {
    const id = newEnvironmentId();
    const stream = streamName(this.#spec, version, id);
    const link = await this.#take();
    try {
      const realMs = await link.create(id, stream, version);
      const declaredMs = this.#spec.initMs > 0 ? await waitDeclared(this.#spec.initMs) : 0;
      return {
        id,
        stream,
        initMs: realMs + declaredMs,
        invoke: async (invocation) => {
          const result = await link.invoke(id, invocation);
          if (result.kind === "timeout" || result.kind === "crash") this.#end(link);
          return result;
        },
        destroy: () => this.#end(link),
      };
    } catch (failure) {
      this.#end(link);
      throw failure;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#waiting, ...this.#used].map((link) => link.close()));
  }

  async #take(): Promise<ChildLink> {
    const [link = this.#fork(), ...others] = this.#waiting.filter(({ alive }) => alive);
    this.#waiting.splice(0, this.#waiting.length, ...others);
    this.#used.add(link);
    await link.ready();
    this.#refill();
    return link;
  }

  #refill(): void {
    while (!this.#closed && this.#waiting.length < POOL_SIZE) this.#waiting.push(this.#fork());
  }

  #fork(): ChildLink {
    return new ChildLink(this.#options, this.#spec.timeoutMs);
  }

  #end(link: ChildLink): void {
    this.#used.delete(link);
    link.kill();
  }
}
