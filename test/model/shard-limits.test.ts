// A shard's limits: closed forms, and a slow reference over random histories.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SHARD_LIMITS, ShardReads, ShardWrites } from "../../src/model/shard-limits.ts";

const MB = 1_048_576;

/** Offers `perSecond` records of a size, evenly, for some seconds; how many were taken. */
function offer(perSecond: number, sizeBytes: number, seconds: number): number {
  const shard = new ShardWrites(SHARD_LIMITS);
  let taken = 0;
  for (let i = 0; i < perSecond * seconds; i++)
    if (shard.take(sizeBytes, Math.floor((i * 1_000_000) / perSecond))) taken++;
  return taken;
}

describe("a shard offered more than its limit", () => {
  it("takes a bucket full and the rate times the time, by records", () => {
    expect(offer(2_000, 100, 10)).toBe(1_000 + 10 * 1_000 - 1);
  });

  it("takes a bucket full and the rate times the time, by bytes", () => {
    // 2 MB/s in records of 4 KB: 256 in the bucket, 256 a second after
    expect(offer(512, 4_096, 10)).toBe(256 + 10 * 256 - 1);
  });

  it("takes everything below its limits", () => {
    expect(offer(1_000, 1_000, 10)).toBe(10_000);
  });
});

it("a record larger than a second's bytes passes from a full bucket and is paid for after", () => {
  const shard = new ShardWrites(SHARD_LIMITS);
  expect(shard.take(10 * MB, 0)).toBe(true);
  expect(shard.take(1, 8_999_999)).toBe(false);
  expect(shard.take(1, 9_000_001)).toBe(true);
});

describe("reading", () => {
  it("is allowed five times a second", () => {
    const shard = new ShardReads(SHARD_LIMITS);
    const asked = Array.from({ length: 7 }, () => shard.begin(0));
    expect(asked).toEqual([true, true, true, true, true, false, false]);
    expect([shard.begin(199_999), shard.begin(200_000)]).toEqual([false, true]);
  });

  it("of 10 MB blocks the shard for five seconds", () => {
    const shard = new ShardReads(SHARD_LIMITS);
    shard.begin(0);
    shard.gave(10 * MB, 0);
    expect([shard.begin(4_999_999), shard.begin(5_000_000)]).toEqual([false, true]);
  });
});

/** Allowed when, in every stretch of time that ends now, no more went in than bucket and refill. */
function reference(history: readonly { atUs: number; sizeBytes: number }[]): boolean[] {
  const taken: { atUs: number; sizeBytes: number }[] = [];
  return history.map(({ atUs, sizeBytes }) => {
    const ok = taken.concat({ atUs, sizeBytes }).every(({ atUs: fromUs }) => {
      const within = taken.filter((one) => one.atUs >= fromUs);
      const bytes = within.reduce((sum, one) => sum + one.sizeBytes, sizeBytes);
      const seconds = 1 + (atUs - fromUs) / 1_000_000;
      return within.length + 1 <= 1_000 * seconds && bytes <= MB * seconds;
    });
    if (ok) taken.push({ atUs, sizeBytes });
    return ok;
  });
}

it("agrees with the definition of a token bucket over random histories", () => {
  const step = fc.record({
    waitUs: fc.integer({ min: 0, max: 600_000 }),
    sizeBytes: fc.integer({ min: 1, max: 700_000 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let atUs = 0;
      const history = steps.map(({ waitUs, sizeBytes }) => {
        atUs += waitUs;
        return { atUs, sizeBytes };
      });
      const shard = new ShardWrites(SHARD_LIMITS);
      const got = history.map((one) => shard.take(one.sizeBytes, one.atUs));
      expect(got).toEqual(reference(history));
    }),
  );
});
