// Records of a stream: packed events, partition keys, identities for the ledger.
import { describe, expect, it } from "vitest";
import { seededRng } from "../../src/core/rng.ts";
import type { Load } from "../../src/core/scenario.ts";
import { burst } from "../../src/drivers/burst.ts";
import { testLoad } from "./load.ts";

const stream = {
  kind: "kinesis",
  stream: "clicks",
  timeoutUs: 1_000_000,
  key: null,
  lingerUs: 0,
  recordsMax: 500,
  recordBytesMax: 1_048_576,
  pack: 1,
} as const;

function recordsOf(
  target: Partial<typeof stream> | { pack: number; key: string },
  more: Partial<Load>,
) {
  const load = testLoad({
    driver: { kind: "burst", count: 2, everyUs: null, times: 1 },
    target: { ...stream, ...target },
    body: { template: '{"id":"e-{{seq}}","article":"a{{int 1 3}}"}', why: "test" },
    ...more,
  });
  return [...burst(load, seededRng(7), 0).arrivals()].map(({ call, ledger, events }) => {
    if (call.kind !== "item") throw new Error("no record");
    return { key: call.key, text: Buffer.from(call.data).toString(), ledger, events };
  });
}

const LEDGER = { id: "id", cell: ["article"] };

describe("a record", () => {
  it("has its event's id as the key, and its identity", () => {
    const [first, second] = recordsOf({}, { ledger: LEDGER });
    expect([first?.key, second?.key]).toEqual(["e-0", "e-1"]);
    expect(first?.ledger).toEqual({ id: "e-0", cell: expect.stringMatching(/^a[123]$/) });
    expect(first?.events).toBeUndefined();
  });

  it("is keyed by a field of its event when the load says so", () => {
    const [first] = recordsOf({ pack: 1, key: "article" }, {});
    expect(first?.key).toMatch(/^a[123]$/);
  });

  it("packs events one a line: event n is number n mod k of record n / k", () => {
    const records = recordsOf({ pack: 3, key: "id" }, { ledger: LEDGER });
    const ids = records.map(({ text }) =>
      text.split("\n").map((line) => (JSON.parse(line) as { id: string }).id),
    );
    expect(ids).toEqual([
      ["e-0", "e-1", "e-2"],
      ["e-3", "e-4", "e-5"],
    ]);
    expect(records.map(({ key, events }) => [key, events?.map(({ id }) => id)])).toEqual([
      ["e-0", ids[0]],
      ["e-3", ids[1]],
    ]);
  });

  it("whose key field is missing is an error before anything is sent", () => {
    expect(() => recordsOf({ pack: 1, key: "nothing" }, {})).toThrow("has no field nothing");
  });
});
