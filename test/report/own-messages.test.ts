// Whose messages are whose: by every record that a batch names, against a count one by one.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Claim } from "../../src/core/claim.ts";
import { ownMessages } from "../../src/report/own-messages.ts";
import { ParquetColumns } from "../../src/report/parquet-columns.ts";

const STREAM = "arn:aws:kinesis:eu-west-1:000000000000:stream/events";
const STREAMS = [STREAM, null, `${STREAM}-2`];

interface Item {
  readonly load: number;
  readonly shard: number;
  readonly sequence: string | null;
}

async function* itemsOf(items: readonly Item[]): AsyncGenerator<ParquetColumns> {
  for (const part of [items.slice(0, 3), items.slice(3)])
    yield new ParquetColumns(
      "items",
      part.length,
      new Map<string, ArrayLike<unknown>>([
        ["load", Int32Array.from(part, ({ load }) => load)],
        ["shard", Int32Array.from(part, ({ shard }) => shard)],
        ["sequence", part.map(({ sequence }) => sequence)],
      ]),
    );
}

const claim = (start: string, end: string, size: number, more: object = {}): Claim => ({
  messageId: "none",
  batch: { stream: STREAM, shard: 0, start, end, size, ...more },
});
const at = (sequence: string, load = 0, shard = 0): Item => ({ load, shard, sequence });
const OWN = [at("9"), at("10"), at("12"), { load: 0, shard: -1, sequence: null }];

describe("a message about a stream", () => {
  it.each([
    ["one record of ours", claim("10", "10", 1), true],
    ["all of its records ours", claim("9", "12", 3), true],
    ["a stranger's record in between", claim("9", "12", 4), false],
    ["a stranger's record at its end", claim("10", "13", 3), false],
    ["as many of ours as it says, between strangers' ends", claim("8", "13", 3), false],
    ["fewer records than it spans", claim("9", "12", 2), false],
    ["another shard", claim("10", "10", 1, { shard: 1 }), false],
    ["another stream", claim("10", "10", 1, { stream: `${STREAM}-2` }), false],
    ["a stream that nothing was sent to", claim("10", "10", 1, { stream: "other" }), false],
  ])("with %s", async (_, message, ours) => {
    expect(await ownMessages(itemsOf(OWN), STREAMS, [message])).toEqual([ours]);
  });
});

it("a message is known again by the id that the queue has told", async () => {
  const known = (messageId: string): Claim => ({ messageId, batch: null });
  const items = itemsOf([at("a", 1, -1), at("b", 0), { load: 1, shard: -1, sequence: null }]);
  expect(await ownMessages(items, STREAMS, [known("a"), known("b"), known("c")])).toEqual([
    ...[true, false, false],
  ]);
});

it("agrees with a count of every record, one by one", () =>
  fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 1, max: 40 })),
      fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 9 }))),
      async (own, spans) => {
        const claims = spans.flatMap(([start, more]) =>
          [1, 2, more + 1].map((size) => claim(`${start}`, `${start + more}`, size)),
        );
        const expected = claims.map(({ batch }) => {
          const [from, to] = [Number(batch!.start), Number(batch!.end)];
          const inside = own.filter((one) => one >= from && one <= to);
          return inside.length === batch!.size && own.includes(from) && own.includes(to);
        });
        const items = itemsOf(own.map((one) => at(`${one}`)));
        expect(await ownMessages(items, STREAMS, claims)).toEqual(expected);
      },
    ),
  ));
