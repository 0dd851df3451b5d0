// The sliding window of a rate-based rule, to the second.
import fc from "fast-check";
import { expect, it } from "vitest";
import { requestWindow } from "../../src/model/request-window.ts";

it("counts what came within the window, as a list of all requests would", () => {
  const gaps = fc.array(fc.nat(4_000), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), gaps, (windowS, gapsMs) => {
      const window = requestWindow(windowS);
      const seconds: number[] = [];
      let nowMs = 1_700_000_000_000;
      for (const gapMs of gapsMs) {
        nowMs += gapMs;
        seconds.push(Math.floor(nowMs / 1_000));
        const oldest = seconds.at(-1)! - windowS;
        expect(window.add(nowMs)).toBe(seconds.filter((second) => second > oldest).length);
      }
    }),
  );
});
