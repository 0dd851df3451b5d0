// The account's event source mappings and their states; reading starts and stops after a while.
import { setMaxListeners } from "node:events";
import { type Clock, runUs, US_PER_MS } from "../../core/time.ts";
import type { EventSource, EventSourceFactory } from "./event-source.ts";

export type MappingState =
  | "Creating"
  | "Enabling"
  | "Enabled"
  | "Updating"
  | "Disabling"
  | "Disabled"
  | "Deleting";

/** How long a change takes to be in force: minutes at times on AWS, which gives no number. */
export const TRANSITION_MS = 3_000;

export interface Mapping {
  readonly source: EventSource;
  state: MappingState;
  modifiedEpochMs: number;
}

/**
 * | asked | at once | after the transition |
 * |---|---|---|
 * | create | Creating | Enabled, or Disabled |
 * | enable | Enabling | Enabled |
 * | disable | Disabling, reading goes on | Disabled |
 * | other settings | Updating, reading goes on with the old ones | Enabled, or Disabled |
 * | delete | Deleting, reading goes on | gone |
 */
export class MappingTable implements Disposable {
  /** By service of the source's ARN: `sqs`, `kinesis`. */
  readonly kinds = new Map<string, EventSourceFactory>();
  readonly #clock: Clock;
  readonly #byId = new Map<string, Mapping>();
  readonly #stop = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
    setMaxListeners(0, this.#stop.signal); // every transition listens
  }

  all(): Mapping[] {
    return [...this.#byId.values()];
  }

  get(uuid: string): Mapping | undefined {
    return this.#byId.get(uuid);
  }

  /** A mapping that is in force when the template has been deployed. */
  deployed(source: EventSource, enabled: boolean): void {
    const mapping = this.#add(source, enabled ? "Enabled" : "Disabled");
    this.#settle(mapping, enabled);
  }

  create(source: EventSource, enabled: boolean): Mapping {
    const mapping = this.#add(source, "Creating");
    this.#later(() => this.#settle(mapping, enabled));
    return mapping;
  }

  /** `enabled` null = as it is. */
  update(mapping: Mapping, apply: () => void, enabled: boolean | null): void {
    const was = mapping.state !== "Disabled" && mapping.state !== "Disabling";
    const wanted = enabled ?? was;
    mapping.state = wanted === was ? "Updating" : wanted ? "Enabling" : "Disabling";
    mapping.modifiedEpochMs = this.#clock.wallMs();
    this.#later(async () => {
      await mapping.source.stop();
      apply();
      this.#settle(mapping, wanted);
    });
  }

  delete(mapping: Mapping): void {
    mapping.state = "Deleting";
    this.#later(() => {
      this.#byId.delete(mapping.source.uuid);
      return mapping.source.stop();
    });
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    for (const { source } of this.#byId.values()) void source.stop();
  }

  #add(source: EventSource, state: MappingState): Mapping {
    const mapping = { source, state, modifiedEpochMs: this.#clock.wallMs() };
    this.#byId.set(source.uuid, mapping);
    return mapping;
  }

  #settle(mapping: Mapping, enabled: boolean): void {
    if (mapping.state === "Deleting" || this.#stop.signal.aborted) return;
    mapping.state = enabled ? "Enabled" : "Disabled";
    if (enabled) mapping.source.start();
  }

  #later(then: () => void | Promise<void>): void {
    const atUs = runUs(this.#clock.nowUs() + TRANSITION_MS * US_PER_MS);
    this.#clock.sleepUntil(atUs, this.#stop.signal).then(then, () => {});
  }
}
