// The functions of the account, and how a name, a version or an alias finds one of them.
import { AwsError } from "../aws-error.ts";
import type { FunctionHost, FunctionSpec } from "../function-host.ts";
import { type FunctionRef, parseFunctionRef } from "./function-name.ts";
import {
  type FunctionConfig,
  FunctionVersion,
  type HostFactory,
  type Initialization,
  LATEST,
} from "./function-version.ts";
import { type Alias, LocalFunction } from "./local-function.ts";

/** A function as it was asked for. */
export interface Resolved {
  readonly fn: LocalFunction;
  /** An alias's main version. */
  readonly version: FunctionVersion;
  readonly alias: Alias | null;
  /** As given; null = none. */
  readonly qualifier: string | null;
}

export class FunctionTable {
  readonly account: string;
  readonly region: string;
  readonly #makeHost: HostFactory;
  readonly #hosts = new Set<FunctionHost>();
  #closed = false;
  readonly #byName = new Map<string, LocalFunction>();

  constructor(account: string, region: string, makeHost: HostFactory) {
    this.account = account;
    this.region = region;
    this.#makeHost = makeHost;
  }

  /** What runs a version's code; it ends with the table at the latest. */
  async host(spec: FunctionSpec, version: string, why: Initialization): Promise<FunctionHost> {
    const made = await this.#makeHost(spec, version, why);
    const host: FunctionHost = {
      create: (name) => made.create(name),
      [Symbol.asyncDispose]: async () => {
        this.#hosts.delete(host);
        await made[Symbol.asyncDispose]();
      },
    };
    this.#hosts.add(host);
    if (this.#closed) await host[Symbol.asyncDispose]();
    return host;
  }

  /** A new function with `$LATEST` alone. */
  add(config: FunctionConfig, host: FunctionHost, wallMs: number): LocalFunction {
    const fn = new LocalFunction(new FunctionVersion(LATEST, config, async () => host, wallMs));
    this.#byName.set(fn.name, fn);
    return fn;
  }

  /** By its name alone. */
  get(name: string): LocalFunction | undefined {
    return this.#byName.get(name);
  }

  all(): LocalFunction[] {
    return [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** `name` may end in `:qualifier`. */
  arn(name: string): string {
    return `arn:aws:lambda:${this.region}:${this.account}:function:${name}`;
  }

  /** What `name` or `name:qualifier` stands for now; null = nothing. */
  target(text: string): Resolved | null {
    const colon = text.indexOf(":");
    const name = colon === -1 ? text : text.slice(0, colon);
    const qualifier = colon === -1 ? null : text.slice(colon + 1);
    const fn = this.#byName.get(name);
    const version = fn?.versionOf(qualifier ?? LATEST);
    if (fn === undefined || version === undefined) return null;
    return { fn, version, alias: fn.aliases.get(qualifier ?? "") ?? null, qualifier };
  }

  /** The name and qualifier of a path segment and `?Qualifier=`; a bad name is AWS's 400. */
  parse(segment: string, query: URLSearchParams): FunctionRef {
    const ref = parseFunctionRef(segment);
    if (ref === null)
      throw new AwsError(
        "ValidationException",
        400,
        `1 validation error detected: Value '${segment}' at 'functionName' failed to satisfy ` +
          "constraint: Member must satisfy regular expression pattern: " +
          "(arn:(aws[a-zA-Z-]*)?:lambda:)?([a-z]{2}(-gov)?-[a-z]+-\\d{1}:)?(\\d{12}:)?" +
          "(function:)?([a-zA-Z0-9-_]+)(:(\\$LATEST|[a-zA-Z0-9-_]+))?",
      );
    return { ...ref, qualifier: ref.qualifier ?? query.get("Qualifier") };
  }

  /** The function, whatever its qualifier. `suffix` is what the message has after the ARN. */
  find(ref: FunctionRef, suffix = ""): LocalFunction {
    const found = this.#byName.get(ref.name);
    const foreign = ref.account !== null && ref.account !== this.account;
    if (found === undefined || foreign)
      throw notFound(`Function not found: ${this.arn(ref.name)}${suffix}`);
    return found;
  }

  /** The version or alias that is asked for, or AWS's 404. */
  resolve({ segment, query }: { segment: string; query: URLSearchParams }): Resolved {
    const ref = this.parse(segment, query);
    const fn = this.find(ref);
    const { qualifier } = ref;
    const found = this.target(qualifier === null ? fn.name : `${fn.name}:${qualifier}`);
    if (found !== null) return found;
    throw notFound(
      /^\d+$/.test(qualifier ?? "")
        ? `Function not found: ${fn.arn}:${qualifier}`
        : `Cannot find alias arn: ${fn.arn}:${qualifier}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#hosts].map((host) => host[Symbol.asyncDispose]()));
  }
}

/** As the pipeline takes it: an alias stays an alias until each attempt. */
export const targetOf = ({ fn, qualifier }: Resolved): string =>
  qualifier === null ? fn.name : `${fn.name}:${qualifier}`;

export const notFound = (message: string): AwsError =>
  new AwsError("ResourceNotFoundException", 404, message, {
    messageKey: "Message",
    extra: { Type: "User" },
  });
