// Code and configuration as they are invoked: `$LATEST` or a published version, and what runs it.
import { createHash, randomUUID } from "node:crypto";
import { messageOf } from "../../core/error.ts";
import { newEnvironmentId, streamName } from "../environments/names.ts";
import {
  type ExecutionEnvironment,
  type FunctionHost,
  type FunctionSpec,
  InitFailure,
} from "../function-host.ts";

/** The only version that changes. */
export const LATEST = "$LATEST";

/** What UpdateFunctionConfiguration changes and PublishVersion freezes. */
export interface FunctionConfig {
  readonly spec: FunctionSpec;
  readonly description: string;
  /** `Tracing: Active`: traced where nobody has decided before. */
  readonly activeTracing: boolean;
  /** ARN of the queue that takes events that could not be processed; null = none. */
  readonly deadLetterArn: string | null;
  /** ARNs; kept and shown, nothing is loaded from them. */
  readonly layers: readonly string[];
}

/** Why execution environments are made; the handler sees it, and so does its log. */
export type Initialization = "on-demand" | "provisioned-concurrency";

/** Makes what runs a version's code; the child processes are its own. */
export type HostFactory = (
  spec: FunctionSpec,
  version: string,
  initialization: Initialization,
) => Promise<FunctionHost>;

export class FunctionVersion {
  readonly version: string;
  readonly config: FunctionConfig;
  readonly lastModified: string;
  /** A new one for each state that can be told from the one before. */
  revisionId: string = randomUUID();
  /** Admission's environment number → the execution environment that has it. */
  readonly environments = new Map<number, ExecutionEnvironment>();
  readonly #makeHost: () => Promise<FunctionHost>;
  /** null = resting: made again when somebody needs it. */
  #host: Promise<FunctionHost> | null = null;
  #open = 0;
  #retired = false;

  constructor(
    version: string,
    config: FunctionConfig,
    makeHost: () => Promise<FunctionHost>,
    wallMs: number,
  ) {
    this.version = version;
    this.config = config;
    this.lastModified = lastModifiedOf(wallMs);
    this.#makeHost = makeHost;
    this.wake();
  }

  get spec(): FunctionSpec {
    return this.config.spec;
  }

  /** Starts its processes where they rest; whoever needs them next is told what went wrong. */
  wake(): void {
    this.#running().catch(() => {});
  }

  /** Resolves when its code is compiled and its first process has booted. */
  async ready(): Promise<void> {
    await this.#running();
  }

  /** Never rejects: whatever goes wrong is the init's failure. */
  async create(): Promise<ExecutionEnvironment | InitFailure> {
    try {
      return await (await this.#running()).create(this.version);
    } catch (thrown) {
      if (thrown instanceof InitFailure) return thrown;
      const errorType = "Runtime.ExitError";
      const payload = JSON.stringify({ errorType, errorMessage: messageOf(thrown) });
      return new InitFailure(payload, errorType, messageOf(thrown), 0);
    }
  }

  /** An invocation holds the version until it `leaves`. */
  enter(): void {
    this.#open++;
  }

  leave(): void {
    this.#open--;
    if (this.#retired && this.#open === 0) void this.close();
  }

  forget(environment: number): void {
    this.environments.get(environment)?.destroy();
    this.environments.delete(environment);
  }

  /** Serves nobody new; its processes end with the last invocation. */
  retire(): void {
    this.#retired = true;
    if (this.#open === 0) void this.close();
  }

  /** Ends its processes at once. */
  async close(): Promise<void> {
    const host = this.#host;
    this.#host = null;
    this.environments.clear();
    await host?.then((each) => each[Symbol.asyncDispose]()).catch(() => {});
  }

  /** Ends its processes until it is invoked again, unless it has environments. */
  rest(): void {
    if (this.#open === 0 && this.environments.size === 0) void this.close();
  }

  #running(): Promise<FunctionHost> {
    if (this.#host !== null) return this.#host;
    const making = this.#makeHost();
    this.#host = making;
    making.catch(() => {
      if (this.#host === making) this.#host = null; // made anew when the next one asks
    });
    return making;
  }
}

/** A log stream for an environment that never came up. */
export const unusedStream = ({ spec, version }: FunctionVersion): string =>
  streamName(spec, version, newEnvironmentId());

/** As in FunctionConfiguration: ISO 8601 with a zone that has no colon. */
export const lastModifiedOf = (wallMs: number): string =>
  new Date(wallMs).toISOString().replace("Z", "+0000");

/** No package is uploaded here: folder and handler stand for the code. */
export const codeSha256Of = ({ spec }: FunctionConfig): string =>
  createHash("sha256").update(spec.codeDir).digest("base64");
