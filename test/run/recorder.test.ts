// Recording: what is appended is what a reader finds, whatever the times, ids and cuts.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ATTEMPT_INTS, type AttemptSegment, SEGMENT_ROWS } from "../../src/core/facts.ts";
import { requestKey } from "../../src/core/ids.ts";
import { OUTCOMES, REASONS } from "../../src/core/outcome.ts";
import { runUs } from "../../src/core/time.ts";
import { startEncoder } from "../../src/run/encoder.ts";
import { type AttemptKey, SegmentRecorder } from "../../src/run/recorder.ts";
import { putRequestId, segmentBytes, segmentOver } from "../../src/run/segment.ts";
import { encodeSegment } from "../../src/run/segment-parquet.ts";
import { answer } from "../support/answers.ts";
import { readAttempts, readSegment } from "../support/read-attempts.ts";

const dirs: string[] = [];
function scratch(): string {
  const dir = mkdtempSync(join(tmpdir(), "gatecrash-"));
  dirs.push(dir);
  return dir;
}
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

function key(more: Partial<AttemptKey> = {}): AttemptKey {
  return {
    load: 0,
    arm: 0,
    route: 0,
    index: 0,
    attempt: 1,
    dueUs: 0,
    readyUs: 0,
    askedUs: 0,
    ...more,
  };
}

/** A recorder whose segments stay in memory. */
function inMemory() {
  const segments: AttemptSegment[] = [];
  const recorder = new SegmentRecorder(3, {
    take: () => segmentOver(new ArrayBuffer(segmentBytes(SEGMENT_ROWS))),
    give: (segment) => segments.push(segment),
  });
  return { recorder, segments };
}

async function readBack(segments: AttemptSegment[]) {
  const parts = await Promise.all(segments.map((segment) => readSegment(encodeSegment(segment))));
  return parts.flat();
}

const us = fc.integer({ min: 0, max: 0x7fff_ffff });
const attempts = fc.record({
  load: fc.nat(3),
  route: fc.nat(9),
  index: fc.nat(1_000_000),
  attempt: fc.integer({ min: 1, max: 5 }),
  dueUs: fc.integer({ min: 0, max: 90_000_000_000 }),
  wait: us,
  lag: us,
  first: fc.option(us),
  done: fc.option(us),
  outcome: fc.constantFrom(...OUTCOMES.slice(0, 4)),
  reason: fc.constantFrom(...REASONS),
  status: fc.integer({ min: 0, max: 599 }),
  requestId: fc.oneof(fc.uuid(), fc.constant(""), fc.string({ minLength: 1, maxLength: 40 })),
});

test("a reader finds what was recorded, whatever the times and ids", async () => {
  const hex = (id: string) => {
    const bytes = Buffer.from(requestKey(id)).toString("hex");
    return id === "" || /^0+$/.test(bytes) ? null : bytes;
  };
  await fc.assert(
    fc.asyncProperty(fc.array(attempts, { maxLength: 40 }), async (rows) => {
      const { recorder, segments } = inMemory();
      const expected = rows.map((row) => {
        const readyUs = row.dueUs + row.wait;
        const sentUs = readyUs + row.lag;
        const firstUs = row.first === null ? -1 : sentUs + row.first;
        const doneUs = row.done === null ? -1 : (firstUs === -1 ? sentUs : firstUs) + row.done;
        const { load, route, index, attempt, dueUs, outcome, reason, status, requestId } = row;
        recorder.attempt(
          key({ load, route, index, attempt, dueUs, readyUs, askedUs: sentUs }),
          answer({
            outcome: outcome as "ok",
            reason,
            status,
            requestId,
            sentUs: runUs(sentUs),
            firstByteUs: runUs(firstUs),
            doneUs: runUs(doneUs),
          }),
        );
        const id = hex(requestId);
        const times = { dueUs, readyUs, sentUs, firstUs, doneUs };
        return {
          load,
          route,
          index,
          attempt,
          worker: 3,
          status,
          outcome,
          reason,
          ...times,
          requestId: id,
        };
      });
      recorder.flush();
      expect(await readBack(segments)).toEqual(expected);
      expect(recorder.rows).toBe(rows.length);
      expect(recorder.clamped).toBe(0);
    }),
    { numRuns: 40 },
  );
});

test("columns have the names and the order of the contract", async () => {
  const { recorder, segments } = inMemory();
  recorder.dropped(key({ dueUs: 5 }), "in-flight");
  recorder.flush();
  const { parquetMetadata } = await import("hyparquet");
  const bytes = encodeSegment(segments[0]!);
  const metadata = parquetMetadata(bytes.slice().buffer as ArrayBuffer);
  expect(metadata.schema.slice(1).map((column) => [column.name, column.type])).toEqual([
    ["base", "INT64"],
    ...ATTEMPT_INTS.map((name) => [name, "INT32"]),
    ["request_id", "FIXED_LEN_BYTE_ARRAY"],
  ]);
  expect(await readBack(segments)).toMatchObject([
    { attempt: 0, outcome: "dropped", reason: "in-flight", dueUs: 5, sentUs: -1, doneUs: -1 },
  ]);
});

test("an attempt that got nothing on the wire was sent when it was asked for", async () => {
  const { recorder, segments } = inMemory();
  const never = { sentUs: runUs(-1), firstByteUs: runUs(-1), doneUs: runUs(900) };
  recorder.attempt(
    key({ askedUs: 400 }),
    answer({ outcome: "errored", reason: "connect", ...never }),
  );
  recorder.flush();
  expect(await readBack(segments)).toMatchObject([{ sentUs: 400, firstUs: -1, doneUs: 900 }]);
});

test("a difference beyond 35 minutes is cut and counted, and no other row suffers", async () => {
  const { recorder, segments } = inMemory();
  const late = { sentUs: runUs(0), firstByteUs: runUs(-1), doneUs: runUs(4_000_000_000) };
  recorder.attempt(key(), answer(late));
  recorder.attempt(key({ index: 1 }), answer());
  recorder.flush();
  expect(recorder.clamped).toBe(1);
  expect((await readBack(segments)).map((row) => row.doneUs)).toEqual([0x7fff_ffff, 1_000]);
});

test("ids written in place equal the key that platform lines are found under", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.uuid(), fc.string({ minLength: 16, maxLength: 16 }), fc.string({ minLength: 1 })),
      (id) => {
        const bytes = new Uint8Array(48).fill(0xee);
        putRequestId(bytes, 16, id);
        expect(Buffer.from(bytes.subarray(16, 32))).toEqual(Buffer.from(requestKey(id)));
        expect([...bytes.subarray(0, 16), ...bytes.subarray(32)].every((b) => b === 0xee)).toBe(
          true,
        );
      },
    ),
    { examples: [["00000000-0000-4000-8000-00000000000g"], ["JKJaXmPLvHcESHA="], ["ß".repeat(8)]] },
  );
});

test("a segment is handed on when its first row is two seconds old, also without further rows", () => {
  const { recorder, segments } = inMemory();
  recorder.attempt(key(), answer({ doneUs: runUs(1_000) }));
  recorder.flushAged(2_000_999);
  expect(segments).toHaveLength(0);
  recorder.flushAged(2_001_000);
  expect(segments.map((segment) => segment.rows)).toEqual([1]);
  recorder.flushAged(9_000_000);
  expect(segments).toHaveLength(1);
});

describe("with the encoder's thread", () => {
  const thrown = (error: Error) => {
    throw error;
  };

  test("segments land whole, in files of their own, and add up", async () => {
    const dir = scratch();
    const attemptsDir = join(dir, "attempts");
    (await import("node:fs")).mkdirSync(attemptsDir);
    const encoder = await startEncoder(join(attemptsDir, "0-0-"), thrown);
    const recorder = new SegmentRecorder(0, encoder);
    const rows = SEGMENT_ROWS * 2 + 10;
    for (let index = 0; index < rows; index++) {
      recorder.attempt(key({ index, dueUs: index * 100, readyUs: index * 100 }), answer());
    }
    recorder.flush();
    await encoder.close();
    expect(readdirSync(attemptsDir)).toEqual([
      "0-0-00000.parquet",
      "0-0-00001.parquet",
      "0-0-00002.parquet",
    ]);
    const read = await readAttempts(dir);
    expect(read).toHaveLength(rows);
    expect(read.every((row, i) => row.index === i && row.dueUs === i * 100)).toBe(true);
    expect(encoder.rows).toBe(rows);
  });

  test("a file that was being written when the run died is not taken for a segment", async () => {
    const dir = scratch();
    (await import("node:fs")).mkdirSync(join(dir, "attempts"));
    const encoder = await startEncoder(join(dir, "attempts", "0-0-"), thrown);
    const recorder = new SegmentRecorder(0, encoder);
    recorder.attempt(key(), answer());
    recorder.flush();
    await encoder.close();
    writeFileSync(join(dir, "attempts", "0-0-00001.parquet.tmp"), "PAR1 cut");
    expect(await readAttempts(dir)).toHaveLength(1);
  });

  test("a disk that refuses is an error, at once and at the end", async () => {
    const told: string[] = [];
    const encoder = await startEncoder(join(scratch(), "missing", "0-0-"), (error) =>
      told.push(error.code),
    );
    const recorder = new SegmentRecorder(0, encoder);
    recorder.attempt(key(), answer());
    recorder.flush();
    await expect(encoder.close()).rejects.toThrow("not written");
    expect(told).toEqual(["facts"]);
  });

  test("a thread that is gone keeps nobody waiting for it", async () => {
    const posted = vi.spyOn(Worker.prototype, "postMessage");
    const encoder = await startEncoder(join(scratch(), "0-0-"), () => {});
    const recorder = new SegmentRecorder(0, encoder);
    recorder.attempt(key(), answer());
    recorder.flush();
    const thread = posted.mock.contexts.at(-1) as Worker;
    posted.mockRestore();
    await thread.terminate();
    await expect(encoder.close()).rejects.toThrow("ended early");
  });
});
