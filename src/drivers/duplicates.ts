// Sends a share of the arrivals a second time, as an at-least-once producer does.
import type { Arrival, Driver } from "../core/arrival.ts";
import type { Rng } from "../core/rng.ts";

/**
 * The second one comes right after the first, due at the same time, with the same call and the same
 * event ids. Which ones is drawn evenly from the seed: of any hundred at 3 %, three (one more or
 * less). Indexes move up; event ids are those of the driver without duplicates.
 */
export function withDuplicates<D extends Driver>(driver: D, share: number, rng: Rng): D {
  if (share === 0) return driver;
  const offset = rng.fork("duplicates").next();
  const isTwice = (n: number): boolean =>
    Math.floor((n + 1) * share + offset) > Math.floor(n * share + offset);
  return {
    ...driver,
    *arrivals(): Iterable<Arrival> {
      let index = 0;
      let n = 0;
      for (const arrival of driver.arrivals()) {
        yield { ...arrival, index: index++ };
        if (isTwice(n++)) yield { ...arrival, index: index++ };
      }
    },
  };
}
