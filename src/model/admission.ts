// Lambda's admission on virtual time: quotas, reservations, request and scaling rates.
// Shared by local AWS and by predictions; nothing here reads a clock.
import { IdleEnvironments } from "./idle-environments.ts";
import {
  type AccountLimits,
  type Admission,
  type Concurrency,
  type FunctionLimits,
  REQUESTS_PER_CONCURRENCY,
  type ThrottleReason,
} from "./limits.ts";
import { Provisioned } from "./provisioned.ts";
import { type RateWindow, rateWindow } from "./rate-window.ts";
import { type ScalingBucket, scalingBucket } from "./token-bucket.ts";

interface State {
  reserved: number | null;
  /** Environment → what it serves: its version, or whose provisioned environment it is. */
  readonly busy: Map<number, { readonly version: string; readonly holder: string | null }>;
  readonly idle: IdleEnvironments;
  /** By holder: the alias or version that they were made for. */
  readonly provisioned: Map<string, Provisioned>;
  /** Environments that must not be used again after what they serve now. */
  readonly retired: Set<number>;
  readonly bucket: ScalingBucket;
  readonly rate: RateWindow;
}

/** Whose environments may serve; where there is one version only, none needs a name. */
export interface Wanted {
  readonly version?: string;
  /** The alias or version that holds provisioned environments for this invocation; null = none. */
  readonly holder?: string | null;
}

/** Who holds what `declare` provisions. */
export const SOLE_HOLDER = "";

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

  /** Adds a function, or changes its limits; provisioned environments are ready at once. */
  declare(name: string, limits: FunctionLimits): void {
    if (!this.#functions.has(name)) this.#functions.set(name, this.#fresh());
    this.reserve(name, limits.reserved);
    this.provision(name, SOLE_HOLDER, limits.provisioned);
    while (this.ready(name, SOLE_HOLDER) !== null);
  }

  /** null = unset. What is in flight finishes. */
  reserve(name: string, reserved: number | null): void {
    const state = this.#state(name);
    const held = state.busy.size - busyProvisioned(state);
    if (state.reserved !== null && reserved === null) this.#busyUnreserved += held;
    if (state.reserved === null && reserved !== null) this.#busyUnreserved -= held;
    state.reserved = reserved;
  }

  /** So many for this holder from now on, 0 = none; gives the free ones that are too many. */
  provision(name: string, holder: string, wanted: number): number[] {
    const { provisioned } = this.#state(name);
    const found = provisioned.get(holder);
    if (found !== undefined) return found.resize(wanted);
    if (wanted > 0) {
      const made = new Provisioned();
      made.resize(wanted);
      provisioned.set(holder, made);
    }
    return [];
  }

  /** One of the holder's environments has been initialised: its number; null = none was missing. */
  ready(name: string, holder: string): number | null {
    const held = this.#state(name).provisioned.get(holder);
    if (held?.add(this.#nextEnvironment) !== true) return null;
    return this.#nextEnvironment++;
  }

  provisionedOf(name: string, holder: string): { readonly ready: number; readonly busy: number } {
    const held = this.#state(name).provisioned.get(holder);
    return { ready: held?.ready ?? 0, busy: held?.busy ?? 0 };
  }

  limitsOf(name: string): FunctionLimits {
    const state = this.#state(name);
    return { reserved: state.reserved, provisioned: provisionedTotal(state) };
  }

  /** What functions without a reservation share: quota − reserved − provisioned of the others. */
  unreservedPool(except?: string): number {
    let pool = this.account.concurrency;
    for (const [name, state] of this.#functions)
      if (name !== except) pool -= state.reserved ?? provisionedTotal(state);
    return pool;
  }

  /**
   * May one invocation start now? Refusals touch no environment and take nothing from any bucket.
   * What finds none of its holder's provisioned environments free takes one on demand.
   */
  admit(name: string, nowUs: number, { version = "", holder = null }: Wanted = {}): Admission {
    const state = this.#state(name);
    const ahead = holder === null ? null : (state.provisioned.get(holder)?.take(nowUs) ?? null);
    if (ahead !== null) {
      state.busy.set(ahead, { version, holder });
      this.#busy++;
      return { ok: true, environment: ahead, start: "provisioned" };
    }
    const refused = this.#refusal(state, nowUs);
    if (refused !== null) return { ok: false, reason: refused };
    const warm = state.idle.take(version, nowUs);
    if (warm === null && !state.bucket.take(nowUs))
      return { ok: false, reason: rateReason(state.reserved) };
    const environment = warm ?? this.#nextEnvironment++;
    (state.reserved === null ? this.#sharedRate : state.rate).accept(nowUs);
    state.busy.set(environment, { version, holder: null });
    this.#busy++;
    if (state.reserved === null) this.#busyUnreserved++;
    return { ok: true, environment, start: warm === null ? "new" : "warm" };
  }

  /**
   * The invocation ended. `keep`: the environment may serve again. False = it is gone, and a
   * provisioned one has to be made `ready` again.
   */
  release(name: string, environment: number, nowUs: number, keep: boolean): boolean {
    const state = this.#state(name);
    const taken = state.busy.get(environment);
    if (taken === undefined) throw new Error(`environment ${environment} of ${name} is not busy`);
    state.busy.delete(environment);
    this.#busy--;
    const stays = keep && !state.retired.delete(environment);
    if (taken.holder !== null)
      return state.provisioned.get(taken.holder)!.giveBack(environment, stays);
    if (state.reserved === null) this.#busyUnreserved--;
    if (stays) state.idle.add(taken.version, environment, nowUs);
    return stays;
  }

  /** Idle environments that have been idle for too long, forgotten by this call. */
  expire(nowUs: number): { readonly name: string; readonly environment: number }[] {
    return [...this.#functions].flatMap(([name, { idle }]) =>
      idle.expire(nowUs).map((environment) => ({ name, environment })),
    );
  }

  /** The version's environments on demand are replaced: idle ones now, busy when they finish. */
  recycle(name: string, version = ""): number[] {
    const state = this.#state(name);
    for (const [environment, serves] of state.busy)
      if (serves.version === version && serves.holder === null) state.retired.add(environment);
    return state.idle.drop(version);
  }

  /** The same for a holder's provisioned ones; they have to be made `ready` again. */
  recycleProvisioned(name: string, holder: string): number[] {
    return this.#state(name).provisioned.get(holder)?.retire() ?? [];
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

  #fresh(): State {
    return {
      reserved: null,
      busy: new Map(),
      idle: new IdleEnvironments(this.account.idleKeepUs),
      provisioned: new Map(),
      retired: new Set(),
      bucket: scalingBucket(this.account.scalingBucket),
      rate: rateWindow(),
    };
  }

  /** Concurrency, then the request rate. Idle provisioned environments eat the reservation. */
  #refusal(state: State, nowUs: number): ThrottleReason | null {
    const { reserved } = state;
    if (reserved !== null) {
      const room = reserved - provisionedTotal(state);
      if (state.busy.size - busyProvisioned(state) >= room)
        return "ReservedFunctionConcurrentInvocationLimitExceeded";
      return state.rate.count(nowUs) >= room * REQUESTS_PER_CONCURRENCY
        ? rateReason(reserved)
        : null;
    }
    const pool = this.unreservedPool();
    if (this.#busyUnreserved >= pool) return "ConcurrentInvocationLimitExceeded";
    const rateFull = this.#sharedRate.count(nowUs) >= pool * REQUESTS_PER_CONCURRENCY;
    return rateFull ? rateReason(reserved) : null;
  }

  #state(name: string): State {
    const state = this.#functions.get(name);
    if (state === undefined) throw new Error(`no function ${name} in this account`);
    return state;
  }
}

function provisionedTotal({ provisioned }: State): number {
  let total = 0;
  for (const { wanted } of provisioned.values()) total += wanted;
  return total;
}

function busyProvisioned({ provisioned }: State): number {
  let total = 0;
  for (const { busy } of provisioned.values()) total += busy;
  return total;
}

/** AWS does not say which Reason a scaling refusal has; it is a rate, so the rate's is used. */
const rateReason = (reserved: number | null): ThrottleReason =>
  reserved === null
    ? "FunctionInvocationRateLimitExceeded"
    : "ReservedFunctionInvocationRateLimitExceeded";
