// One function of the account: what it serves, its versions, its aliases, and its update.
import { randomUUID } from "node:crypto";
import { type FunctionConfig, type FunctionVersion, LATEST } from "./function-version.ts";
import type { ProvisionedConfig } from "./provisioned-config.ts";

export interface Alias {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly revisionId: string;
  /** The one other version that takes a share of the invocations, 0 to 1. */
  readonly additional: { readonly version: string; readonly weight: number } | null;
}

/** An update that is not in force yet: reads show it, invocations do not. */
export interface Update {
  readonly config: FunctionConfig;
  readonly lastModified: string;
  readonly revisionId: string;
}

export class LocalFunction {
  readonly name: string;
  readonly arn: string;
  /** What `$LATEST` serves now. */
  latest: FunctionVersion;
  update: Update | null = null;
  /** Published ones, by number. */
  readonly versions = new Map<string, FunctionVersion>();
  readonly aliases = new Map<string, Alias>();
  /** By the alias or version that holds it. */
  readonly provisioned = new Map<string, ProvisionedConfig>();
  /** What `$LATEST` was when it was published last. */
  published: { readonly from: FunctionConfig; readonly version: string } | null = null;
  #numbers = 0;

  constructor(latest: FunctionVersion) {
    this.name = latest.spec.name;
    this.arn = latest.spec.arn;
    this.latest = latest;
  }

  /** `$LATEST` as it is configured, in force or not. */
  get configured(): FunctionConfig {
    return this.update?.config ?? this.latest.config;
  }

  get revisionId(): string {
    return this.update?.revisionId ?? this.latest.revisionId;
  }

  /** Of all versions, idle and busy. */
  get environmentCount(): number {
    const ahead = [...this.provisioned.values()].map(({ running }) => running);
    return [...this.all(), ...ahead].reduce((sum, { environments }) => sum + environments.size, 0);
  }

  /** Whose provisioned environments serve this version when it is invoked so; null = nobody's. */
  providerOf(version: FunctionVersion, alias: Alias | null): ProvisionedConfig | null {
    const held = this.provisioned.get(alias?.name ?? "") ?? this.provisioned.get(version.version);
    return held?.running.version === version.version ? held : null;
  }

  /** `$LATEST` first, then by number. */
  all(): FunctionVersion[] {
    return [this.latest, ...this.versions.values()];
  }

  /** The version or the alias's main version; undefined when there is neither. */
  versionOf(qualifier: string): FunctionVersion | undefined {
    if (qualifier === LATEST) return this.latest;
    const alias = this.aliases.get(qualifier);
    return this.versions.get(alias?.version ?? qualifier);
  }

  /** The next version's number; numbers are never used again. */
  nextVersion(): string {
    this.#numbers++;
    return String(this.#numbers);
  }

  setAlias(alias: Omit<Alias, "revisionId">): Alias {
    const made = { ...alias, revisionId: randomUUID() };
    this.aliases.set(alias.name, made);
    for (const named of [alias.version, alias.additional?.version])
      this.versions.get(named ?? "")?.wake();
    return made;
  }

  /** Versions that no alias names keep no processes while nobody invokes them. */
  restUnused(): void {
    const named = [...this.aliases.values()].flatMap((alias) => [
      alias.version,
      alias.additional?.version,
    ]);
    for (const version of this.versions.values())
      if (!named.includes(version.version)) version.rest();
  }

  forget(environment: number): void {
    for (const version of this.all()) version.forget(environment);
  }
}
