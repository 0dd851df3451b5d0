// How asynchronous events of each function end: retries, ages, destinations.
import type { AsyncSpec } from "../template/types.ts";
import { ASYNC_DEFAULTS, type AsyncLimits } from "./async-queue.ts";
import { qualified } from "./function-name.ts";

export interface InvokeConfig extends AsyncSpec {
  readonly modifiedEpochMs: number;
}

const NOTHING: AsyncSpec = { retriesMax: null, ageMaxS: null, onSuccess: null, onFailure: null };

/** A target is `name` or `name:qualifier`, as it is invoked; none inherits from another. */
export class InvokeConfigs {
  readonly #byTarget = new Map<string, InvokeConfig>();

  get(target: string): InvokeConfig | undefined {
    return this.#byTarget.get(qualified(target));
  }

  ofFunction(name: string): [target: string, InvokeConfig][] {
    return [...this.#byTarget].filter(([target]) => target.startsWith(`${name}:`));
  }

  set(target: string, config: InvokeConfig): void {
    this.#byTarget.set(qualified(target), config);
  }

  /** False when there was none. */
  delete(target: string): boolean {
    return this.#byTarget.delete(qualified(target));
  }

  /** A template that says nothing makes no configuration. */
  deployed(target: string, spec: AsyncSpec, atEpochMs: number): void {
    if (Object.values(spec).some((value) => value !== null))
      this.set(target, { ...spec, modifiedEpochMs: atEpochMs });
  }

  limitsOf(target: string): AsyncLimits {
    const { retriesMax, ageMaxS } = this.destinationsOf(target);
    return {
      retriesMax: retriesMax ?? ASYNC_DEFAULTS.retriesMax,
      ageMaxS: ageMaxS ?? ASYNC_DEFAULTS.ageMaxS,
    };
  }

  destinationsOf(target: string): AsyncSpec {
    return this.get(target) ?? NOTHING;
  }
}
