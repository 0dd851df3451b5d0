// The functions of the account: as declared, the host that runs them, their environments.
import { createHash, randomUUID } from "node:crypto";
import { AwsError } from "../aws-error.ts";
import type { ExecutionEnvironment, FunctionHost } from "../function-host.ts";
import type { TemplateFunction } from "../template/types.ts";
import { type FunctionRef, parseFunctionRef } from "./function-name.ts";

export interface LocalFunction extends TemplateFunction {
  readonly host: FunctionHost;
  /** Admission's environment number → the execution environment that has it. */
  readonly environments: Map<number, ExecutionEnvironment>;
  readonly lastModified: string;
  readonly revisionId: string;
  readonly codeSha256: string;
}

export class FunctionTable {
  readonly account: string;
  readonly region: string;
  readonly #byName = new Map<string, LocalFunction>();

  constructor(account: string, region: string) {
    this.account = account;
    this.region = region;
  }

  add(declared: TemplateFunction, host: FunctionHost, wallMs: number): void {
    const { spec } = declared;
    this.#byName.set(spec.name, {
      ...declared,
      host,
      environments: new Map(),
      lastModified: new Date(wallMs).toISOString().replace("Z", "+0000"),
      revisionId: randomUUID(),
      codeSha256: createHash("sha256").update(`${spec.codeDir}|${spec.handler}`).digest("base64"),
    });
  }

  get(name: string): LocalFunction | undefined {
    return this.#byName.get(name);
  }

  all(): LocalFunction[] {
    return [...this.#byName.values()].sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1));
  }

  arn(name: string): string {
    return `arn:aws:lambda:${this.region}:${this.account}:function:${name}`;
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

  /**
   * The function behind a reference, or AWS's 404. Only `$LATEST` exists here: versions and aliases
   * are not modelled, so any other qualifier is a missing alias. `suffix` is what some operations
   * append to the ARN in the message.
   */
  find(ref: FunctionRef, suffix = ""): LocalFunction {
    const found = this.#byName.get(ref.name);
    const foreign = ref.account !== null && ref.account !== this.account;
    if (found === undefined || foreign)
      throw notFound(`Function not found: ${this.arn(ref.name)}${suffix}`);
    if (ref.qualifier !== null && ref.qualifier !== "$LATEST")
      throw notFound(
        /^\d+$/.test(ref.qualifier)
          ? `Function not found: ${this.arn(ref.name)}:${ref.qualifier}`
          : `Cannot find alias arn: ${this.arn(ref.name)}:${ref.qualifier}`,
      );
    return found;
  }
}

const notFound = (message: string): AwsError =>
  new AwsError("ResourceNotFoundException", 404, message, {
    messageKey: "Message",
    extra: { Type: "User" },
  });
