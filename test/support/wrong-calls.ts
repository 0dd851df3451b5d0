// A control plane that goes wrong at one call of a life, whichever that is.
import { AwsFailure, type ControlPlane, type Json } from "../../src/core/change.ts";

/**
 * A status: refused, nothing is done. `timeout`: nothing is done and no answer comes. `lost`: it is
 * done, and no answer comes. `stale`: a read answers as before the last change.
 */
export type CallError = 429 | 409 | 500 | "timeout" | "lost" | "stale";

type Input = { readonly [key: string]: Json };
type Output = { readonly [key: string]: unknown };

const NAMES = { 429: "ThrottlingException", 409: "ConflictException", 500: "ServiceException" };

export class WrongCalls implements ControlPlane {
  /** The call was made, so it went wrong. */
  met = false;
  readonly #inner: ControlPlane;
  readonly #from: number;
  readonly #error: CallError;
  readonly #times: number;
  #calls = 0;
  /** The last two different answers to each read: a stale one is the older. */
  readonly #seen = new Map<string, readonly Output[]>();

  /** From call number `from` (from 1) on, so many `times` in a row. */
  constructor(inner: ControlPlane, from: number, error: CallError, times: number) {
    this.#inner = inner;
    this.#from = from;
    this.#error = error;
    this.#times = times;
  }

  async call(service: string, action: string, input: Input): Promise<Output> {
    this.#calls++;
    const error = this.#error;
    if (this.#calls < this.#from || this.#calls >= this.#from + this.#times)
      return this.#remembered(action, input, await this.#inner.call(service, action, input));
    this.met = true;
    if (typeof error === "number") throw new AwsFailure(NAMES[error], "planned", "", error);
    if (error === "timeout") throw new AwsFailure("TimeoutError", "planned", "", 0);
    const answer = await this.#inner.call(service, action, input);
    if (error === "lost") throw new AwsFailure("TimeoutError", "planned", "", 0);
    this.#remembered(action, input, answer);
    return this.#seen.get(`${action} ${JSON.stringify(input)}`)?.[0] ?? answer;
  }

  #remembered(action: string, input: Input, answer: Output): Output {
    if (!/^(Get|List|Describe)/.test(action)) return answer;
    const key = `${action} ${JSON.stringify(input)}`;
    const last = this.#seen.get(key)?.at(-1);
    if (JSON.stringify(last) !== JSON.stringify(answer))
      this.#seen.set(key, last === undefined ? [answer] : [last, answer]);
    return answer;
  }
}
