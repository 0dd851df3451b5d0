// Admission again, the slow and obvious way: everything is recounted from the whole history.
import type { AccountLimits, Start, ThrottleReason } from "../../src/model/limits.ts";

interface Ran {
  readonly name: string;
  readonly fromUs: number;
  readonly reserved: boolean;
  readonly isNew: boolean;
  readonly environment: number;
}

/** Without provisioned concurrency, which closed forms cover. */
export class AdmissionReference {
  readonly account: AccountLimits;
  readonly reserved = new Map<string, number | null>();
  readonly history: Ran[] = [];
  readonly busy: Ran[] = [];
  /** In the order of their release. */
  idle: { name: string; environment: number; sinceUs: number }[] = [];

  constructor(account: AccountLimits, names: readonly string[]) {
    this.account = account;
    for (const name of names) this.reserved.set(name, null);
  }

  get pool(): number {
    return [...this.reserved.values()].reduce<number>(
      (left, reserved) => left - (reserved ?? 0),
      this.account.concurrency,
    );
  }

  /** What must be answered now. */
  expected(name: string, nowUs: number): Start | ThrottleReason {
    const reserved = this.reserved.get(name) ?? null;
    const limit = reserved ?? this.pool;
    const sameRoom = (ran: Ran): boolean =>
      reserved === null ? this.reserved.get(ran.name) === null : ran.name === name;
    if (this.busy.filter(sameRoom).length >= limit)
      return reserved === null
        ? "ConcurrentInvocationLimitExceeded"
        : "ReservedFunctionConcurrentInvocationLimitExceeded";
    const rateReason: ThrottleReason =
      reserved === null
        ? "FunctionInvocationRateLimitExceeded"
        : "ReservedFunctionInvocationRateLimitExceeded";
    const sinceMs = Math.floor(nowUs / 1_000) - 1_000;
    const recent = this.history.filter(
      (ran) =>
        Math.floor(ran.fromUs / 1_000) > sinceMs &&
        (reserved === null ? !ran.reserved : ran.reserved && ran.name === name),
    );
    if (recent.length >= limit * 10) return rateReason;
    if (this.#warm(name, nowUs) !== undefined) return "warm";
    return this.#tokens(name, nowUs) >= 1 ? "new" : rateReason;
  }

  admitted(name: string, fromUs: number, environment: number, start: Start): void {
    const reserved = (this.reserved.get(name) ?? null) !== null;
    const ran = { name, fromUs, reserved, isNew: start === "new", environment };
    this.history.push(ran);
    this.busy.push(ran);
    this.idle = this.idle.filter((idle) => idle.environment !== environment);
  }

  /** The environment that must be reused: the one released last. */
  #warm(name: string, nowUs: number): number | undefined {
    const usable = this.idle.filter(
      (idle) => idle.name === name && nowUs - idle.sinceUs < this.account.idleKeepUs,
    );
    return usable.at(-1)?.environment;
  }

  /** Replays all environments ever made against a bucket that refills by capacity / 10 a second. */
  #tokens(name: string, nowUs: number): number {
    const capacity = this.account.scalingBucket;
    const made = this.history.filter((ran) => ran.isNew && ran.name === name);
    let [tokens, atUs] = [capacity, 0];
    for (const { fromUs } of made) {
      tokens = Math.min(capacity, tokens + ((fromUs - atUs) * capacity) / 10_000_000) - 1;
      atUs = fromUs;
    }
    const now = Math.min(capacity, tokens + ((nowUs - atUs) * capacity) / 10_000_000);
    return now + 1e-9; // the reference counts in floating point, the model in whole units
  }
}
