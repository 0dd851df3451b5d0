// Items: what is booked is what a reader finds, and the attempts say how many a call carried.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { parquetReadObjects } from "hyparquet";
import { expect, it } from "vitest";
import { SEGMENT_ROWS } from "../../src/core/facts.ts";
import { ITEM_INTS, type ItemSegment } from "../../src/core/item-facts.ts";
import { OUTCOMES, outcomeCode, REASONS, reasonCode, refuserCode } from "../../src/core/outcome.ts";
import { startItemEncoder } from "../../src/run/encoder.ts";
import { encodeItems } from "../../src/run/item-parquet.ts";
import { ItemRecorder, itemSegmentBytes, itemSegmentOver } from "../../src/run/item-segment.ts";
import { SegmentRecorder } from "../../src/run/recorder.ts";
import { segmentBytes, segmentOver } from "../../src/run/segment.ts";
import { answer } from "../support/answers.ts";

const freshItems = (): ItemSegment =>
  itemSegmentOver(new ArrayBuffer(itemSegmentBytes(SEGMENT_ROWS)));

function inMemory() {
  const segments: ItemSegment[] = [];
  const items = new ItemRecorder(3, { take: freshItems, give: (full) => segments.push(full) });
  return { items, segments };
}

async function rowsOf(bytes: Uint8Array): Promise<{ readonly [column: string]: unknown }[]> {
  const file = Uint8Array.from(bytes).buffer;
  return parquetReadObjects({ file });
}

const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{0,${max}}$`));
const row = fc.record({
  index: fc.nat(),
  attempt: fc.integer({ min: 1, max: 50 }),
  call: fc.nat(),
  position: fc.nat(499),
  shard: fc.integer({ min: -1, max: 9_999 }),
  sequence: fc.oneof(digits(63), fc.constant("9".repeat(64))),
  outcome: fc.constantFrom(...OUTCOMES.filter((name) => name !== "dropped")),
  reason: fc.constantFrom(...REASONS),
});

it("every field comes back; a sequence that is too long is left out", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (rows) => {
      const { items, segments } = inMemory();
      for (const { index, attempt, outcome, reason, ...place } of rows)
        items.item({ load: 2, index, attempt }, answer({ outcome, reason }), {
          items: 500,
          ...place,
        });
      items.flush();
      const read = await rowsOf(encodeItems(segments[0]!));
      expect(Object.keys(read[0]!)).toEqual([...ITEM_INTS, "sequence"]);
      expect(read).toEqual(
        rows.map(({ index, attempt, call, position, shard, sequence, outcome, reason }) => ({
          ...{ load: 2, index, attempt, call, position },
          ...{
            outcome: outcomeCode(outcome),
            refused_by: refuserCode(""),
            error: reasonCode(reason),
          },
          ...{ shard, worker: 3 },
          sequence: sequence === "" || sequence.length > 63 ? null : sequence,
        })),
      );
    }),
    { numRuns: 30 },
  );
});

it("an answer of an item is booked twice: as an attempt, and with its place in its call", () => {
  const { items, segments } = inMemory();
  const attempts: ReturnType<typeof segmentOver>[] = [];
  const source = {
    take: () => segmentOver(new ArrayBuffer(segmentBytes(SEGMENT_ROWS))),
    give: (full: ReturnType<typeof segmentOver>) => attempts.push(full),
  };
  const recorder = new SegmentRecorder(0, source, items);
  const key = { load: 1, arm: 0, route: 0, attempt: 1, dueUs: 0, readyUs: 0, askedUs: 0 };
  const item = { call: 9, position: 1, items: 2, shard: 0, sequence: "49" };
  recorder.attempt({ ...key, index: 7 }, answer({ item }));
  recorder.attempt({ ...key, index: 8 }, answer({}));
  recorder.flush();
  expect([...attempts[0]!.ints.items.subarray(0, 2)]).toEqual([2, 1]);
  expect([segments[0]!.rows, segments[0]!.ints.index[0], segments[0]!.ints.call[0]]).toEqual([
    1, 7, 9,
  ]);
});

it("segments go to disk as files of their own, whole", async () => {
  const dir = mkdtempSync(join(tmpdir(), "gatecrash-items-"));
  try {
    const encoder = await startItemEncoder(join(dir, "0-0-"), () => {});
    const items = new ItemRecorder(0, encoder);
    const place = { position: 0, items: 1, shard: 0, sequence: "49" };
    for (let call = 0; call < SEGMENT_ROWS + 2; call++)
      items.item({ load: 0, index: call, attempt: 1 }, answer({}), { call, ...place });
    items.flush();
    await encoder.close();
    const files = readdirSync(dir).sort();
    expect(files).toEqual(["0-0-00000.parquet", "0-0-00001.parquet"]);
    const last = await rowsOf(readFileSync(join(dir, files[1]!)));
    expect(last.map(({ index }) => index)).toEqual([SEGMENT_ROWS, SEGMENT_ROWS + 1]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
