// `shared` isolation: all execution environments of a function in one child process.
import { setTimeout as wait } from "node:timers/promises";
import type {
  ExecutionEnvironment,
  FunctionHost,
  FunctionSpec,
  Invocation,
  InvocationResult,
} from "../function-host.ts";
import { ChildLink } from "./child-link.ts";
import { waitDeclared } from "./declared-init.ts";
import { newEnvironmentId, streamName } from "./names.ts";
import type { ChildOptions } from "./start-child.ts";

export class SharedHost implements FunctionHost {
  readonly #spec: FunctionSpec;
  readonly #options: ChildOptions;
  #link: ChildLink;
  #closed = false;

  constructor(spec: FunctionSpec, options: ChildOptions) {
    this.#spec = spec;
    this.#options = options;
    this.#link = new ChildLink(options, spec.timeoutMs);
  }

  /** Of the child that serves now; changes when a handler ends its process. */
  get pid(): number {
    return this.#link.pid;
  }

  /** Resolves when the child has compiled the handler. */
  ready(): Promise<void> {
    return this.#link.ready();
  }

  async create(version: string): Promise<ExecutionEnvironment> {
    const id = newEnvironmentId();
    const stream = streamName(this.#spec, version, id);
    const { link, realMs } = await this.#evaluate(id, stream, version);
    const declaredMs = this.#spec.initMs > 0 ? await waitDeclared(this.#spec.initMs) : 0;
    let home = link;
    const revive = async (invocation: Invocation): Promise<InvocationResult> => {
      home = this.#current();
      await home.create(id, stream, version);
      return home.invoke(id, invocation);
    };
    return {
      id,
      stream,
      initMs: realMs + declaredMs,
      // Its process may have ended while it was idle: then its state is lost, it is not.
      invoke: (invocation: Invocation): Promise<InvocationResult> =>
        home.alive
          ? home.invoke(id, invocation)
          : Promise.race([revive(invocation), tooLate(this.#spec, invocation)]),
      destroy: () => home.destroy(id),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#link.close();
  }

  /** Once more in a new child when the old one died meanwhile: perhaps another's doing. */
  async #evaluate(id: string, stream: string, version: string) {
    const link = this.#current();
    try {
      return { link, realMs: await link.create(id, stream, version) };
    } catch (failure) {
      if (link.alive || this.#closed) throw failure;
      const next = this.#current();
      return { link: next, realMs: await next.create(id, stream, version) };
    }
  }

  /** The living child, a new one when the last one has died. */
  #current(): ChildLink {
    if (!this.#link.alive && !this.#closed) {
      this.#link = new ChildLink(this.#options, this.#spec.timeoutMs);
    }
    return this.#link;
  }
}

/** A child holds its invocations to their deadline; this one's may never come up. */
const GRACE_MS = 1_000;

async function tooLate(
  { timeoutMs, memoryMb }: FunctionSpec,
  { deadlineEpochMs }: Invocation,
): Promise<InvocationResult> {
  await wait(Math.max(0, deadlineEpochMs - Date.now()) + GRACE_MS, undefined, { ref: false });
  const durationMs = timeoutMs;
  return { kind: "timeout", payload: "", durationMs, maxMemoryMb: memoryMb, logs: [] };
}
