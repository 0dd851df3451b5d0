// A token bucket that refills continuously, in exact integer arithmetic on virtual time.

/** It refills a tenth of its capacity per second, so a microsecond is worth capacity / 10^7. */
const UNITS_PER_TOKEN = 10_000_000;

/**
 * Lambda's scaling rate per function: at most `capacity` new execution environments at once,
 * refilled continuously at `capacity / 10` per second, never above it (AWS: 1,000 and 100/s).
 */
export interface ScalingBucket {
  take(nowUs: number): boolean;
  /** Whole tokens there at `nowUs`. */
  level(nowUs: number): number;
}

export function scalingBucket(capacity: number): ScalingBucket {
  let units = capacity * UNITS_PER_TOKEN;
  let atUs = Number.NEGATIVE_INFINITY;
  const refill = (nowUs: number): void => {
    if (nowUs <= atUs) return; // time handed in out of order never takes tokens away
    if (units < capacity * UNITS_PER_TOKEN)
      units = Math.min(capacity * UNITS_PER_TOKEN, units + capacity * (nowUs - atUs));
    atUs = nowUs;
  };
  return {
    take(nowUs) {
      refill(nowUs);
      if (units < UNITS_PER_TOKEN) return false;
      units -= UNITS_PER_TOKEN;
      return true;
    },
    level(nowUs) {
      refill(nowUs);
      return Math.floor(units / UNITS_PER_TOKEN);
    },
  };
}
