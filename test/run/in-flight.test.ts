// What is in flight: as a Set would say it.
import { expect, it } from "vitest";
import { seededRng } from "../../src/core/rng.ts";
import { type Held, InFlight } from "../../src/run/in-flight.ts";

it("holds what a Set would hold, whatever comes and goes", () => {
  const rng = seededRng(8);
  const flights = new InFlight<number>();
  const model = new Set<number>();
  const known: Held<number>[] = [];
  for (let i = 0; i < 20_000; i++) {
    if (rng.next() < 0.5 || known.length === 0) {
      known.push(flights.add(i));
      model.add(i);
    } else {
      const held = known[Math.floor(rng.next() * known.length)]!;
      expect(flights.remove(held)).toBe(model.delete(held.item));
    }
    expect(flights.size).toBe(model.size);
    if (known.length > 300) known.splice(0, 100);
  }
  expect(new Set(flights)).toEqual(model);
});

it("holds nothing once it is cleared, and takes nothing out twice", () => {
  const flights = new InFlight<string>();
  const held = [flights.add("a"), flights.add("b")];
  flights.clear();
  expect([...flights, flights.size]).toEqual([0]);
  expect(held.map((each) => flights.remove(each))).toEqual([false, false]);
});
