// How asynchronous events of each function end: retries, ages, destinations.
import type { AsyncSpec } from "../template/types.ts";
import { ASYNC_DEFAULTS, type AsyncLimits } from "./async-queue.ts";

export interface InvokeConfig extends AsyncSpec {
  readonly modifiedEpochMs: number;
}

const NOTHING: AsyncSpec = { retriesMax: null, ageMaxS: null, onSuccess: null, onFailure: null };

export class InvokeConfigs {
  readonly #byName = new Map<string, InvokeConfig>();

  get(functionName: string): InvokeConfig | undefined {
    return this.#byName.get(functionName);
  }

  set(functionName: string, config: InvokeConfig): void {
    this.#byName.set(functionName, config);
  }

  /** False when there was none. */
  delete(functionName: string): boolean {
    return this.#byName.delete(functionName);
  }

  /** A template that says nothing makes no configuration. */
  deployed(functionName: string, spec: AsyncSpec, atEpochMs: number): void {
    if (Object.values(spec).some((value) => value !== null))
      this.#byName.set(functionName, { ...spec, modifiedEpochMs: atEpochMs });
  }

  limitsOf(functionName: string): AsyncLimits {
    const { retriesMax, ageMaxS } = this.destinationsOf(functionName);
    return {
      retriesMax: retriesMax ?? ASYNC_DEFAULTS.retriesMax,
      ageMaxS: ageMaxS ?? ASYNC_DEFAULTS.ageMaxS,
    };
  }

  destinationsOf(functionName: string): AsyncSpec {
    return this.#byName.get(functionName) ?? NOTHING;
  }
}
