// A usage plan's quota: so many requests in a day, a week or a month, and then none until the next.

export type QuotaPeriod = "DAY" | "WEEK" | "MONTH";

export interface QuotaSpec {
  readonly limit: number;
  readonly period: QuotaPeriod;
  /** Requests already gone from the first period. */
  readonly offset: number;
}

export interface UsageQuota {
  /** False: refuse until the next period. */
  take(nowMs: number): boolean;
}

/** Periods begin at midnight in UTC: of each day, of Sunday, of the first of the month. */
export function usageQuota({ limit, period, offset }: QuotaSpec): UsageQuota {
  let startMs = Number.NaN;
  let used = offset;
  return {
    take(nowMs) {
      const start = startOf(period, nowMs);
      if (start !== startMs) {
        if (!Number.isNaN(startMs)) used = 0;
        startMs = start;
      }
      if (used >= limit) return false;
      used++;
      return true;
    },
  };
}

function startOf(period: QuotaPeriod, nowMs: number): number {
  const now = new Date(nowMs);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (period === "MONTH") return Date.UTC(year, month, 1);
  return Date.UTC(year, month, period === "WEEK" ? day - now.getUTCDay() : day);
}
