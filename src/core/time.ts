// Time: three kinds that must not be mixed, and the clock that hands them out.

/** Integer microseconds since the run's epoch, from a monotonic clock. */
export type RunUs = number & { readonly __time: "run" };
/** Milliseconds since 1970 (wall clock); may jump. */
export type EpochMs = number & { readonly __time: "wall" };

export const runUs = (us: number): RunUs => us as RunUs;
export const epochMs = (ms: number): EpochMs => ms as EpochMs;

export const US_PER_MS = 1_000;
export const US_PER_S = 1_000_000;

/** Passed in, never imported: tests advance their own. */
export interface Clock {
  nowUs(): RunUs;
  wallMs(): EpochMs;
  /** Resolves at or after `atUs`, never before; rejects with the signal's reason. */
  sleepUntil(atUs: RunUs, signal?: AbortSignal): Promise<void>;
}
