// Numbers for what is open: none twice, and none for what has ended.
import { expect, it } from "vitest";
import { seededRng } from "../../../src/core/rng.ts";
import { OpenCalls } from "../../../src/local/environments/open-calls.ts";

it("finds what a Map would find, under numbers that come once", () => {
  const rng = seededRng(5);
  const calls = new OpenCalls<string>();
  const model = new Map<number, string>();
  const given = new Set<number>();
  for (let i = 0; i < 20_000; i++) {
    if (rng.next() < 0.5) {
      const number = calls.add(`call ${i}`);
      expect(given.has(number)).toBe(false);
      given.add(number);
      model.set(number, `call ${i}`);
    } else {
      const any = [...given][Math.floor(rng.next() * given.size)] ?? 0;
      expect(calls.get(any)).toBe(model.get(any));
      expect(calls.delete(any)).toBe(model.delete(any));
    }
    if (given.size > 200) for (const old of [...given].slice(0, 50)) given.delete(old);
  }
  expect([...calls].sort()).toEqual([...model.keys()].sort());
});
