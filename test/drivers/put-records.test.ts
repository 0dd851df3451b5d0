// Forming calls from records: full or lingered, within every limit, nothing lost or moved.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Arrival } from "../../src/core/arrival.ts";
import { runUs } from "../../src/core/time.ts";
import { PUT_RECORDS, putRecords, type RecordLimits } from "../../src/drivers/put-records.ts";

const LIMITS: RecordLimits = { ...PUT_RECORDS, lingerUs: 100 };

const record = (index: number, dueUs: number, sizeBytes = 10): Arrival => ({
  index,
  dueUs: runUs(dueUs),
  route: 0,
  call: { kind: "item", key: "k", data: new Uint8Array(sizeBytes) },
});

/** `readyUs: indexes` of every call. */
const calls = (arrivals: readonly Arrival[], limits = LIMITS): string[] =>
  [...putRecords(limits)(arrivals)].map(
    ({ readyUs, arrivals: of }) => `${readyUs}: ${of.map(({ index }) => index).join(" ")}`,
  );

const at = (...dueUs: number[]): Arrival[] => dueUs.map((us, index) => record(index, us));

describe("a call", () => {
  it("waits for others as long as its first record may linger", () => {
    expect(calls(at(0, 50, 99, 100, 180, 450))).toEqual(["100: 0 1 2 3", "280: 4", "550: 5"]);
  });

  it("is ready at once when it is full", () => {
    expect(calls(at(0, 10, 20, 30), { ...LIMITS, recordsMax: 3 })).toEqual(["20: 0 1 2", "130: 3"]);
  });

  it("is ready when the next record does not fit into its bytes", () => {
    const arrivals = [record(0, 0, 600), record(1, 10, 300), record(2, 20, 300)];
    expect(calls(arrivals, { ...LIMITS, callBytesMax: 1_000 })).toEqual(["20: 0 1", "120: 2"]);
  });

  it("without linger carries what is due at one instant, up to its limit", () => {
    expect(calls(at(0, 0, 5), { ...LIMITS, lingerUs: 0 })).toEqual(["0: 0 1", "5: 2"]);
  });
});

it("a record that the stream would refuse is said before anything is sent", () => {
  expect(() => calls([record(0, 0, 1_048_577)])).toThrow(
    "record 0 has 1048577 bytes; the stream takes 1048576",
  );
});

it("keeps every record once, in order, within the limits and never ready before it is due", () => {
  const step = fc.record({ waitUs: fc.nat(80), sizeBytes: fc.nat(400) });
  const limits = fc.record({
    recordsMax: fc.integer({ min: 1, max: 5 }),
    callBytesMax: fc.integer({ min: 500, max: 900 }),
    lingerUs: fc.nat(200),
  });
  fc.assert(
    fc.property(fc.array(step), limits, (steps, limit) => {
      let dueUs = 0;
      const arrivals = steps.map(({ waitUs, sizeBytes }, index) => {
        dueUs += waitUs;
        return record(index, dueUs, sizeBytes);
      });
      const batches = [...putRecords({ ...LIMITS, ...limit })(arrivals)];
      expect(batches.flatMap((batch) => batch.arrivals)).toEqual(arrivals);
      let lastUs = 0;
      for (const { arrivals: of, readyUs } of batches) {
        const bytes = of.reduce(
          (sum, { call }) => sum + 1 + (call.kind === "item" ? call.data.byteLength : 0),
          0,
        );
        expect(of.length).toBeLessThanOrEqual(limit.recordsMax);
        expect(bytes).toBeLessThanOrEqual(limit.callBytesMax);
        expect(readyUs).toBeGreaterThanOrEqual(Math.max(lastUs, of.at(-1)!.dueUs));
        expect(readyUs).toBeLessThanOrEqual(of[0]!.dueUs + limit.lingerUs);
        lastUs = readyUs;
      }
    }),
  );
});
