// How many pollers there are after some seconds, by what became of their batches.
import { describe, expect, it } from "vitest";
import { POLLERS, PollerCount } from "../../../src/local/event-sources/poller-count.ts";

/** `seconds` of this many batches done and failed in each, with messages waiting. */
function played(seconds: number, done: number, failed: number, count = new PollerCount(POLLERS)) {
  for (let second = 0; second < seconds; second++) {
    for (let i = 0; i < done; i++) count.done();
    for (let i = 0; i < failed; i++) count.fail();
    count.second(true);
  }
  return count;
}

describe("pollers", () => {
  it("come by five a second while messages wait", () => {
    expect(played(60, 10, 0).allowed).toBe(305);
  });

  it("go by a tenth a second when every batch fails, down to two", () => {
    const many = played(60, 10, 0);
    expect(played(10, 0, 10, many).allowed).toBe(Math.floor(305 * 0.9 ** 10));
    expect(played(100, 0, 10, many).allowed).toBe(2);
  });

  it("go by a thousandth a second when one batch in a hundred fails", () => {
    const many = played(60, 10, 0);
    expect(played(10, 99, 1, many).allowed).toBe(Math.floor(305 * 0.999 ** 10));
  });

  it("come again with the first second in which nothing fails", () => {
    const many = played(10, 0, 10, played(60, 10, 0));
    const { allowed } = many;
    expect(played(2, 10, 0, many).allowed).toBe(allowed + 10);
  });
});
