// A token that is renewed before it ends, in the background, and never written anywhere.
import { GatecrashError, messageOf } from "../../core/error.ts";
import type { Authorizer } from "./authorizer.ts";

export interface Token {
  readonly value: string;
  /** Wall time in ms; null = it has no end that is known. */
  readonly endsMs: number | null;
}

export interface TokenOptions {
  readonly header: string;
  /** Put before the token: `Bearer `. */
  readonly prefix: string;
  readonly fetch: () => Promise<Token>;
  readonly nowMs: () => number;
  /** Asked for in any case when this has passed; absent = by the token's own end alone. */
  readonly everyMs?: number;
}

/** Renewed when less than this, or less than a fifth of its life, is left. */
const AHEAD_MS = 60_000;
/** Between two attempts while the old one still holds. */
const RETRY_MS = 5_000;

/**
 * Rejects with GatecrashError("refused") when the first token cannot be had: nothing was sent yet.
 * Later a failed renewal is tried again until the token has ended; then `headersFor` gives null.
 */
export async function tokenAuthorizer(options: TokenOptions): Promise<Authorizer> {
  const keeper = new Keeper(options);
  await keeper.first();
  return keeper;
}

class Keeper implements Authorizer {
  readonly names: readonly string[];
  readonly #options: TokenOptions;
  #token: Token = { value: "", endsMs: 0 };
  #takenMs = 0;
  #triedMs = 0;
  #renewal: Promise<void> | null = null;
  #headers: readonly (readonly [string, string])[] = [];

  constructor(options: TokenOptions) {
    this.#options = options;
    this.names = [options.header];
  }

  async first(): Promise<void> {
    try {
      this.#take(await this.#options.fetch());
    } catch (cause) {
      throw new GatecrashError("refused", `no token for the load: ${messageOf(cause)}`, { cause });
    }
  }

  headersFor() {
    const now = this.#options.nowMs();
    const { endsMs } = this.#token;
    if (endsMs !== null && now >= endsMs) return this.#late(now);
    if (this.#isDue(now) && now - this.#triedMs >= RETRY_MS) this.#renew(now);
    return this.#headers;
  }

  /** Whoever comes after its end waits for the renewal, and is refused when there is none. */
  async #late(now: number) {
    if (this.#renewal === null && now - this.#triedMs >= RETRY_MS) this.#renew(now);
    await this.#renewal;
    const { endsMs } = this.#token;
    return endsMs !== null && this.#options.nowMs() >= endsMs ? null : this.#headers;
  }

  #isDue(now: number): boolean {
    const { everyMs } = this.#options;
    if (everyMs !== undefined && now - this.#takenMs >= everyMs) return true;
    const { endsMs } = this.#token;
    if (endsMs === null) return false;
    return endsMs - now < Math.min(AHEAD_MS, (endsMs - this.#takenMs) / 5);
  }

  #renew(now: number): void {
    this.#triedMs = now;
    this.#renewal ??= this.#options
      .fetch()
      .then(
        (token) => this.#take(token),
        () => {}, // tried again while the old one holds
      )
      .finally(() => {
        this.#renewal = null;
      });
  }

  #take(token: Token): void {
    const { header, prefix, nowMs } = this.#options;
    this.#token = token;
    this.#takenMs = nowMs();
    this.#triedMs = 0;
    this.#headers = [[header, `${prefix}${token.value}`]];
  }
}
