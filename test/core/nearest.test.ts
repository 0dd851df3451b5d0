// Edit distance and the suggestion made from it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { didYouMean, editDistance, nearest } from "../../src/core/nearest.ts";

describe("edit distance", () => {
  it.each([
    ["", "", 0],
    ["abc", "abc", 0],
    ["abc", "", 3],
    ["faults", "fautls", 1],
    ["kitten", "sitting", 3],
  ])("between %j and %j is %i", (a, b, distance) => expect(editDistance(a, b)).toBe(distance));

  it("is symmetric and no longer than the longer word", () => {
    const word = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b);
        expect(distance).toBe(editDistance(b, a));
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(distance === 0).toBe(a === b);
      }),
    );
  });
});

describe("a suggestion", () => {
  it("is the closest word", () => {
    expect(nearest("lods", ["phases", "loads", "limits"])).toBe("loads");
  });

  it("is nothing when nothing is close", () => {
    expect(nearest("xyz", ["phases", "loads"])).toBeUndefined();
  });

  it("falls back to the list of what is known", () => {
    expect(didYouMean("xyz", ["phases", "loads"])).toBe("known here: phases, loads");
    expect(didYouMean("xyz", [])).toBeUndefined();
  });
});
