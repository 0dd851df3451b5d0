// The log store: order, bounds, and a query while lines come in.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LogStore } from "../../../src/local/logs/store.ts";

describe("the log store", () => {
  it("keeps events by time, then by arrival, however they come in and whenever it is asked", () => {
    const events = fc.array(fc.tuple(fc.nat(20), fc.boolean()));
    fc.assert(
      fc.property(events, (arrivals) => {
        const store = new LogStore(() => 0);
        const group = store.ensureGroup("g");
        for (const [index, [atMs, ask]] of arrivals.entries()) {
          store.append("g", "s", atMs, String(index));
          if (ask) group.events();
        }
        const expected = arrivals
          .map(([atMs], index) => ({ atMs, index }))
          .sort((a, b) => a.atMs - b.atMs || a.index - b.index);
        expect(group.events().map(({ message }) => Number(message))).toEqual(
          expected.map(({ index }) => index),
        );
      }),
      { seed: 7 },
    );
  });

  it("drops the oldest half of the largest group when it is full, and counts it", () => {
    const store = new LogStore(() => 0, 10);
    store.append("small", "s", 0, "kept");
    for (let i = 0; i < 10; i++) store.append("large", "s", i, String(i));
    const messages = (name: string) =>
      store
        .ensureGroup(name)
        .events()
        .map(({ message }) => message);
    expect(store.dropped).toBe(5);
    expect(messages("large")).toEqual(["5", "6", "7", "8", "9"]);
    expect(messages("small")).toEqual(["kept"]);
  });
});
