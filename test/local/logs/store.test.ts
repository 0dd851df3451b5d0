// The log store: order, bounds, and a query while lines come in.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LogGroup, LogStore } from "../../../src/local/logs/store.ts";

const messagesOf = ({ events }: LogGroup): string[] =>
  Array.from({ length: events.length }, (_, i) => events.at(i).message);

describe("the log store", () => {
  it("keeps events by time, then by arrival, however they come in and whenever it is asked", () => {
    const events = fc.array(fc.tuple(fc.nat(20), fc.boolean()));
    fc.assert(
      fc.property(events, (arrivals) => {
        const store = new LogStore(() => 0);
        const group = store.ensureGroup("g");
        for (const [index, [atMs, ask]] of arrivals.entries()) {
          store.append("g", "s", atMs, String(index));
          if (ask) group.events.firstAtOrAfter(atMs);
        }
        const expected = arrivals
          .map(([atMs], index) => ({ atMs, index }))
          .sort((a, b) => a.atMs - b.atMs || a.index - b.index);
        expect(messagesOf(group).map(Number)).toEqual(expected.map(({ index }) => index));
      }),
      { seed: 7 },
    );
  });

  it("drops the oldest half of the largest group when it is full, and counts it", () => {
    const store = new LogStore(() => 0, { events: 10 });
    store.append("small", "s", 0, "kept");
    for (let i = 0; i < 10; i++) store.append("large", "s", i, String(i));
    const messages = (name: string) => messagesOf(store.ensureGroup(name));
    expect(store.dropped).toBe(5);
    expect(messages("large")).toEqual(["5", "6", "7", "8", "9"]);
    expect(messages("small")).toEqual(["kept"]);
  });

  it("gives back every line as it came, over many segments and beyond one piece of text", () => {
    const store = new LogStore(() => 5);
    const lines = Array.from({ length: 3_000 }, (_, i) => `é${"x".repeat(i % 200)}${i}\n`);
    lines.push("y".repeat(400_000), "last");
    for (const [i, line] of lines.entries()) store.append("g", `s${i % 7}`, i, line);
    const { events } = store.ensureGroup("g");
    expect(messagesOf(store.ensureGroup("g"))).toEqual(lines);
    const { atEpochMs, ingestedEpochMs, sequence, stream } = events.at(2_999);
    expect({ atEpochMs, ingestedEpochMs, sequence, stream }).toEqual({
      ...{ atEpochMs: 2_999, ingestedEpochMs: 5, sequence: 2_999, stream: "s3" },
    });
  });
});

it("keeps no more bytes than it may, of whatever group has most of them", () => {
  const store = new LogStore(() => 0, { bytes: 100_000 });
  for (let i = 0; i < 40; i++) store.append("/small", "s", i, "x");
  for (let i = 0; i < 1_000; i++) store.append("/large", "s", i, "y".repeat(974));
  const kept = [...store.groups.values()].map(({ storedBytes }) => storedBytes);
  expect(kept[0]).toBe(40 * 27);
  expect(kept[1]).toBeLessThanOrEqual(100_000 - 40 * 27);
  expect(kept[1]).toBeGreaterThan(45_000);
  expect(store.dropped + (store.groups.get("/large")?.events.length ?? 0)).toBe(1_000);
});
