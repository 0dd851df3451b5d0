// The addresses of a host: looked up rarely, used in turn, so that load spreads as clients' would.
import { lookup } from "node:dns";
import { US_PER_S } from "../core/time.ts";
import type { Origin } from "./origin.ts";

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name, preferred first, or an error. Node's resolver by default. */
export type Resolve = (
  host: string,
  done: (error: Error | null, addresses: readonly Address[]) => void,
) => void;

/** Fronts move: a name is looked up again, in the background, when a connection needs it later. */
const FRESH_US = 60 * US_PER_S;

export const systemResolve: Resolve = (host, done) => {
  lookup(host, { all: true, order: "verbatim" }, (error, addresses) => done(error, addresses));
};

export class Addresses {
  private readonly origin: Origin;
  private readonly now: () => number;
  private readonly resolve: Resolve;
  private known: readonly Address[] = [];
  private resolvedUs = 0;
  private turn = 0;
  /** The family that worked; until one did, a refused family is given up for the other. */
  private family = 0;
  private proven = false;
  private waiting: ((error: Error | null) => void)[] | null = null;

  constructor(origin: Origin, now: () => number, resolve: Resolve = systemResolve) {
    this.origin = origin;
    this.now = now;
    this.resolve = resolve;
    if (origin.literal) this.known = [{ address: origin.host, family: 0 }];
  }

  /** The next address in turn; `done` is called at once when the addresses are known. */
  next(done: (error: Error | null, address: string) => void): void {
    if (this.known.length === 0) {
      this.refresh((error) => (error === null ? done(null, this.pick()) : done(error, "")));
      return;
    }
    if (!this.origin.literal && this.now() - this.resolvedUs > FRESH_US) this.refresh(() => {});
    done(null, this.pick());
  }

  /** A connection was made: from now on only this family is used. */
  worked(): void {
    this.proven = true;
  }

  /** Nothing listens at `address`. True when the other family is worth one more try. */
  failed(address: string): boolean {
    const failed = this.known.find((one) => one.address === address);
    if (failed === undefined || failed.family !== this.family) return failed !== undefined;
    const other = this.known.find((one) => one.family !== this.family);
    if (this.proven || other === undefined) return false;
    this.proven = true;
    this.family = other.family;
    return true;
  }

  private pick(): string {
    const usable = this.known.filter((one) => one.family === this.family);
    const from = usable.length > 0 ? usable : this.known;
    return from[this.turn++ % from.length]!.address;
  }

  private refresh(done: (error: Error | null) => void): void {
    if (this.waiting !== null) {
      this.waiting.push(done);
      return;
    }
    this.waiting = [done];
    this.resolve(this.origin.host, (error, addresses) => {
      const failure = error ?? (addresses.length === 0 ? new Error("no address") : null);
      if (failure === null) {
        this.known = addresses;
        if (!this.proven) this.family = addresses[0]!.family;
      }
      this.resolvedUs = this.now(); // also after a failure: known addresses stay in use
      const { waiting } = this;
      this.waiting = null;
      for (const one of waiting ?? []) one(failure);
    });
  }
}
