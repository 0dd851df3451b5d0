// Lambda's admission on virtual time: quotas, reservations, request and scaling rates.
// Shared by local AWS and by predictions; nothing here reads a clock.
import {
  type AccountLimits,
  type Admission,
  type Concurrency,
  type FunctionLimits,
  REQUESTS_PER_CONCURRENCY,
  type ThrottleReason,
} from "./limits.ts";
import { type RateWindow, rateWindow } from "./rate-window.ts";
import { type ScalingBucket, scalingBucket } from "./token-bucket.ts";

interface Idle {
  readonly environment: number;
  readonly sinceUs: number;
}

interface State {
  limits: FunctionLimits;
  /** Environment → how it was taken, while it serves. */
  readonly busy: Map<number, "on-demand" | "provisioned">;
  busyProvisioned: number;
  /** Oldest first; the newest is used first. */
  idle: Idle[];
  provisionedFree: number[];
  /** Environments that must not be used again after what they serve now. */
  retired: Set<number>;
  readonly bucket: ScalingBucket;
  readonly rate: RateWindow;
  readonly provisionedRate: RateWindow;
}

export class AdmissionModel {
  readonly account: AccountLimits;
  readonly #functions = new Map<string, State>();
  readonly #sharedRate = rateWindow();
  #busy = 0;
  #busyUnreserved = 0;
  #nextEnvironment = 1;

  constructor(account: AccountLimits) {
    this.account = account;
  }

  /** Adds a function, or changes its limits; what is in flight finishes. */
  declare(name: string, limits: FunctionLimits): void {
    const state = this.#functions.get(name);
    if (state === undefined) {
      this.#functions.set(name, this.#fresh(limits));
      return;
    }
    const held = state.busy.size - state.busyProvisioned;
    const was = isReserved(state.limits);
    if (was && !isReserved(limits)) this.#busyUnreserved += held;
    if (!was && isReserved(limits)) this.#busyUnreserved -= held;
    state.limits = limits;
    const target = limits.provisioned - state.busyProvisioned;
    while (state.provisionedFree.length > Math.max(0, target)) state.provisionedFree.pop();
    while (state.provisionedFree.length < target)
      state.provisionedFree.push(this.#nextEnvironment++);
  }

  limitsOf(name: string): FunctionLimits {
    return this.#state(name).limits;
  }

  /** What functions without a reservation share: quota − reserved − provisioned of the others. */
  unreservedPool(except?: string): number {
    let pool = this.account.concurrency;
    for (const [name, { limits }] of this.#functions)
      if (name !== except) pool -= limits.reserved ?? limits.provisioned;
    return pool;
  }

  /**
   * May one invocation start now? Refusals touch no environment and take nothing from any bucket.
   * `provisioned`: the qualifier invoked is the one that holds the provisioned environments.
   */
  admit(name: string, nowUs: number, provisioned = false): Admission {
    const state = this.#state(name);
    if (provisioned && this.#provisionedRoom(state, nowUs)) {
      const environment = state.provisionedFree.pop()!;
      state.provisionedRate.accept(nowUs);
      state.busyProvisioned++;
      state.busy.set(environment, "provisioned");
      this.#busy++;
      return { ok: true, environment, start: "provisioned" };
    }
    const refused = this.#refusal(state, nowUs);
    if (refused !== null) return { ok: false, reason: refused };
    const warm = this.#takeIdle(state, nowUs);
    if (warm === null && !state.bucket.take(nowUs))
      return { ok: false, reason: rateReason(state.limits) };
    const environment = warm ?? this.#nextEnvironment++;
    (isReserved(state.limits) ? state.rate : this.#sharedRate).accept(nowUs);
    state.busy.set(environment, "on-demand");
    this.#busy++;
    if (!isReserved(state.limits)) this.#busyUnreserved++;
    return { ok: true, environment, start: warm === null ? "new" : "warm" };
  }

  /** The invocation ended. `keep`: the environment may serve again; otherwise it is gone. */
  release(name: string, environment: number, nowUs: number, keep: boolean): void {
    const state = this.#state(name);
    const taken = state.busy.get(environment);
    if (taken === undefined) throw new Error(`environment ${environment} of ${name} is not busy`);
    state.busy.delete(environment);
    this.#busy--;
    const retired = state.retired.delete(environment);
    if (taken === "provisioned") {
      state.busyProvisioned--;
      const held = state.provisionedFree.length + state.busyProvisioned;
      if (held < state.limits.provisioned)
        state.provisionedFree.push(keep && !retired ? environment : this.#nextEnvironment++);
      return;
    }
    if (!isReserved(state.limits)) this.#busyUnreserved--;
    if (keep && !retired) state.idle.push({ environment, sinceUs: nowUs });
  }

  /** Idle environments that have been idle for too long, forgotten by this call. */
  expire(nowUs: number): { readonly name: string; readonly environment: number }[] {
    const gone: { name: string; environment: number }[] = [];
    for (const [name, state] of this.#functions) {
      const kept = state.idle.filter(({ sinceUs }) => !this.#isExpired(sinceUs, nowUs));
      if (kept.length === state.idle.length) continue;
      const keptIds = new Set(kept.map(({ environment }) => environment));
      for (const { environment } of state.idle)
        if (!keptIds.has(environment)) gone.push({ name, environment });
      state.idle = kept;
    }
    return gone;
  }

  /** Every environment of the function is replaced: idle ones now, busy ones when they finish. */
  recycle(name: string): number[] {
    const state = this.#state(name);
    const gone = state.idle.map(({ environment }) => environment);
    state.idle = [];
    for (const environment of state.busy.keys()) state.retired.add(environment);
    return gone;
  }

  concurrency(name: string): Concurrency {
    const state = this.#state(name);
    return {
      function: state.busy.size,
      account: this.#busy,
      unreserved: this.#busyUnreserved,
      claimed: this.#busyUnreserved + this.account.concurrency - this.unreservedPool(),
    };
  }

  #fresh(limits: FunctionLimits): State {
    const provisionedFree: number[] = [];
    for (let i = 0; i < limits.provisioned; i++) provisionedFree.push(this.#nextEnvironment++);
    return {
      limits,
      busy: new Map(),
      busyProvisioned: 0,
      idle: [],
      provisionedFree,
      retired: new Set(),
      bucket: scalingBucket(this.account.scalingBucket),
      rate: rateWindow(),
      provisionedRate: rateWindow(),
    };
  }

  #provisionedRoom(state: State, nowUs: number): boolean {
    const limit = state.limits.provisioned * REQUESTS_PER_CONCURRENCY;
    return state.provisionedFree.length > 0 && state.provisionedRate.count(nowUs) < limit;
  }

  /** Concurrency, then the request rate. Idle provisioned environments eat the reservation. */
  #refusal(state: State, nowUs: number): ThrottleReason | null {
    const { reserved, provisioned } = state.limits;
    if (reserved !== null) {
      const room = reserved - provisioned;
      if (state.busy.size - state.busyProvisioned >= room)
        return "ReservedFunctionConcurrentInvocationLimitExceeded";
      return state.rate.count(nowUs) >= room * REQUESTS_PER_CONCURRENCY
        ? rateReason(state.limits)
        : null;
    }
    const pool = this.unreservedPool();
    if (this.#busyUnreserved >= pool) return "ConcurrentInvocationLimitExceeded";
    const rateFull = this.#sharedRate.count(nowUs) >= pool * REQUESTS_PER_CONCURRENCY;
    return rateFull ? rateReason(state.limits) : null;
  }

  /** The environment used last, unless idle for too long (then all the others are, too). */
  #takeIdle(state: State, nowUs: number): number | null {
    const last = state.idle.at(-1);
    if (last === undefined || this.#isExpired(last.sinceUs, nowUs)) return null;
    state.idle.pop();
    return last.environment;
  }

  #isExpired(sinceUs: number, nowUs: number): boolean {
    return nowUs - sinceUs >= this.account.idleKeepUs;
  }

  #state(name: string): State {
    const state = this.#functions.get(name);
    if (state === undefined) throw new Error(`no function ${name} in this account`);
    return state;
  }
}

const isReserved = (limits: FunctionLimits): boolean => limits.reserved !== null;

/** AWS does not say which Reason a scaling refusal has; it is a rate, so the rate's is used. */
const rateReason = (limits: FunctionLimits): ThrottleReason =>
  isReserved(limits)
    ? "ReservedFunctionInvocationRateLimitExceeded"
    : "FunctionInvocationRateLimitExceeded";
