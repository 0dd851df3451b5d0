// What every driver must keep: ordered, gapless, seeded, restartable, within its load.
import { expect, test } from "vitest";
import type { Arrival, Driver } from "../../src/core/arrival.ts";
import { type Rng, seededRng } from "../../src/core/rng.ts";
import type { Load } from "../../src/core/scenario.ts";

export interface DriverCase {
  readonly name: string;
  readonly load: Load;
  readonly make: (load: Load, rng: Rng) => Driver | Promise<Driver>;
  /** False for a driver whose arrivals do not depend on the seed at all. */
  readonly seeded: boolean;
}

const flat = (arrival: Arrival): string =>
  JSON.stringify(arrival, (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
  );

async function arrivalsOf(one: DriverCase, seed: number): Promise<Arrival[]> {
  const driver = await one.make(one.load, seededRng(seed, "driver"));
  return [...driver.arrivals()];
}

/** Call it inside a `describe`: one test per promise. */
export function driverConformance(one: DriverCase): void {
  test(`${one.name}: yields something`, async () => {
    expect((await arrivalsOf(one, 1)).length).toBeGreaterThan(1);
  });

  test(`${one.name}: due times are ordered integers within the load`, async () => {
    let before: number = one.load.startUs;
    for (const { dueUs } of await arrivalsOf(one, 1)) {
      expect(Number.isSafeInteger(dueUs)).toBe(true);
      expect(dueUs).toBeGreaterThanOrEqual(before);
      expect(dueUs).toBeLessThan(one.load.endUs);
      before = dueUs;
    }
  });

  test(`${one.name}: indices count from 0 without gaps`, async () => {
    const indices = (await arrivalsOf(one, 1)).map((arrival) => arrival.index);
    expect(indices).toEqual(indices.map((_, position) => position));
  });

  test(`${one.name}: route codes lie in the load's list`, async () => {
    for (const { route } of await arrivalsOf(one, 1)) {
      expect(route).toBeGreaterThanOrEqual(0);
      expect(route).toBeLessThanOrEqual(one.load.routes.length);
    }
  });

  test(`${one.name}: the same seed gives the same arrivals`, async () => {
    const first = (await arrivalsOf(one, 1)).map(flat);
    expect((await arrivalsOf(one, 1)).map(flat)).toEqual(first);
    if (one.seeded) expect((await arrivalsOf(one, 2)).map(flat)).not.toEqual(first);
  });

  test(`${one.name}: a second pass, begun in the middle of the first, is the same`, async () => {
    const driver = await one.make(one.load, seededRng(1, "driver"));
    const broken = driver.arrivals()[Symbol.iterator]();
    broken.next();
    const whole = [...driver.arrivals()].map(flat);
    broken.next();
    expect([...driver.arrivals()].map(flat)).toEqual(whole);
  });
}
