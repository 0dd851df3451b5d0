// Request throttles of API Gateway: token buckets in front of the account, a stage, a client.

export interface RequestThrottle {
  /** False: refuse with 429. */
  take(nowMs: number): boolean;
}

/** AWS's default for an account and region: 10,000 requests/s, burst 5,000; scale both alike. */
export const ACCOUNT_RATE_PER_SECOND = 10_000;
export const ACCOUNT_BURST = 5_000;

export function requestThrottle(ratePerSecond: number, burst: number): RequestThrottle {
  let tokens = burst;
  let atMs = Number.NEGATIVE_INFINITY;
  return {
    take(nowMs) {
      if (nowMs > atMs) {
        const refilled = atMs === Number.NEGATIVE_INFINITY ? 0 : (nowMs - atMs) * ratePerSecond;
        tokens = Math.min(burst, tokens + refilled / 1_000);
        atMs = nowMs;
      }
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
