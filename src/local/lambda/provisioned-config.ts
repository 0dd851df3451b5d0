// Provisioned concurrency of one alias or version: its execution environments, made ahead.

import type { Clock } from "../../core/time.ts";
import { runUs, US_PER_S } from "../../core/time.ts";
import type { AdmissionModel } from "../../model/admission.ts";
import { InitFailure } from "../function-host.ts";
import type { LogSink } from "../log-sink.ts";
import {
  FunctionVersion,
  type HostFactory,
  lastModifiedOf,
  unusedStream,
} from "./function-version.ts";
import { initReportLine, initStartLine } from "./log-lines.ts";

/** AWS needs a minute or more and gives no number; the inits come on top. */
const ALLOCATION_US = US_PER_S;

export interface ProvisionedDeps {
  readonly admission: AdmissionModel;
  readonly logs: LogSink;
  readonly clock: Clock;
  readonly region: string;
  readonly host: HostFactory;
}

export interface ProvisionedView {
  readonly RequestedProvisionedConcurrentExecutions: number;
  readonly AvailableProvisionedConcurrentExecutions: number;
  readonly AllocatedProvisionedConcurrentExecutions: number;
  readonly Status: "IN_PROGRESS" | "READY" | "FAILED";
  readonly StatusReason?: string;
  readonly LastModified: string;
}

/**
 *   asked, retargeted   IN_PROGRESS: environments are made; what finds none goes on demand
 *   as many as wanted   READY
 *   an init fails       FAILED, with those that did come up
 */
export class ProvisionedConfig {
  /** Alias or version that holds the environments. */
  readonly qualifier: string;
  readonly #deps: ProvisionedDeps;
  readonly #name: string;
  #ahead: Ahead;
  #wanted = 0;
  #failed = false;
  #modifiedMs = 0;
  /** Those of an earlier version still count as allocated until new ones are in their place. */
  #allocatedBefore = 0;

  constructor(deps: ProvisionedDeps, qualifier: string, version: FunctionVersion) {
    this.#deps = deps;
    this.#name = version.spec.name;
    this.qualifier = qualifier;
    this.#ahead = this.#aheadOf(version);
  }

  /** What runs in the environments; another object when the alias names another version. */
  get running(): FunctionVersion {
    return this.#ahead.running;
  }

  /** So many from now on; resolves when they are ready or an init has failed. */
  async resize(wanted: number, afterUs = ALLOCATION_US): Promise<void> {
    this.#wanted = wanted;
    this.#touch();
    const { admission } = this.#deps;
    for (const environment of admission.provision(this.#name, this.qualifier, wanted))
      this.running.forget(environment);
    await this.#fill(afterUs);
  }

  /** The alias names another version: new environments for it, the old ones serve nobody. */
  async retarget(version: FunctionVersion): Promise<void> {
    const old = this.running;
    this.#allocatedBefore = Math.max(this.#ready, this.#allocatedBefore);
    this.#ahead = this.#aheadOf(version);
    this.#touch();
    const { admission } = this.#deps;
    for (const environment of admission.recycleProvisioned(this.#name, this.qualifier))
      old.forget(environment);
    old.retire();
    await this.#fill(ALLOCATION_US);
  }

  /** One was lost to a crash or a timeout. */
  replace(): Promise<void> {
    return this.#fill(0);
  }

  remove(): void {
    this.#wanted = 0;
    const { admission } = this.#deps;
    admission.provision(this.#name, this.qualifier, 0);
    admission.recycleProvisioned(this.#name, this.qualifier);
    this.running.retire();
  }

  view(): ProvisionedView {
    const ready = this.#ready;
    const done = ready >= this.#wanted;
    return {
      RequestedProvisionedConcurrentExecutions: this.#wanted,
      AvailableProvisionedConcurrentExecutions: ready,
      AllocatedProvisionedConcurrentExecutions: Math.max(ready, this.#allocatedBefore),
      Status: done ? "READY" : this.#failed ? "FAILED" : "IN_PROGRESS",
      ...(this.#failed && !done ? { StatusReason: "FUNCTION_ERROR_INIT_FAILURE" } : {}),
      LastModified: lastModifiedOf(this.#modifiedMs),
    };
  }

  /** Environments in use now, and how many there are. */
  usage(): { readonly busy: number; readonly wanted: number } {
    const { busy } = this.#deps.admission.provisionedOf(this.#name, this.qualifier);
    return { busy, wanted: this.#wanted };
  }

  get wanted(): number {
    return this.#wanted;
  }

  get #ready(): number {
    return this.#deps.admission.provisionedOf(this.#name, this.qualifier).ready;
  }

  #touch(): void {
    this.#failed = false;
    this.#modifiedMs = this.#deps.clock.wallMs();
  }

  #aheadOf({ version, config }: FunctionVersion): Ahead {
    const { host, clock } = this.#deps;
    const makeHost = () => host(config.spec, version, "provisioned-concurrency");
    return { running: new FunctionVersion(version, config, makeHost, clock.wallMs()), making: 0 };
  }

  async #fill(afterUs: number): Promise<void> {
    const { clock } = this.#deps;
    const ahead = this.#ahead;
    if (afterUs > 0) await clock.sleepUntil(runUs(clock.nowUs() + afterUs));
    if (this.#ahead !== ahead) return;
    const missing = Math.max(0, this.#wanted - this.#ready - ahead.making);
    await Promise.all(Array.from({ length: missing }, () => this.#make(ahead)));
    if (this.#ready >= this.#wanted) this.#allocatedBefore = 0;
  }

  async #make(ahead: Ahead): Promise<void> {
    const { admission, logs, clock, region } = this.#deps;
    const { running } = ahead;
    const createdMs = clock.wallMs();
    ahead.making++;
    const made = await running.create();
    ahead.making--;
    const failed = made instanceof InitFailure;
    const isLate = this.#ahead !== ahead || this.#wanted === 0; // its processes have ended, too
    const number = isLate || failed ? null : admission.ready(this.#name, this.qualifier);
    if (number !== null && !failed) running.environments.set(number, made);
    else if (!failed) return made.destroy();
    else if (isLate) return;
    else this.#failed = true;
    const stream = failed ? unusedStream(running) : made.stream;
    const log = (line: string, atMs: number): void =>
      logs.append(running.spec.logGroup, stream, atMs, line);
    log(initStartLine(running.spec.runtime, region), createdMs);
    const [status, errorType] = failed ? (["error", made.errorType] as const) : (["", ""] as const);
    log(initReportLine(made.initMs, "init", status, errorType), clock.wallMs());
  }
}

interface Ahead {
  readonly running: FunctionVersion;
  /** Inits that have begun and not ended. */
  making: number;
}
