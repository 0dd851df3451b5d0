// A log-linear histogram in an Int32Array: for the live view only, verdicts use every value.

/** 32 steps a power of two: a value is known to about 3 %. */
const STEP_BITS = 5;
const STEPS = 1 << STEP_BITS;
/** Values from 2^31 µs (36 min) on share the last bucket, as does an unknown (+∞). */
export const BUCKETS = (32 - STEP_BITS) * STEPS + STEPS;
const LAST = BUCKETS - 1;

/** Bucket of a non-negative integer; negative counts as 0, too large or infinite as the last. */
export function bucketOf(value: number): number {
  if (!(value >= STEPS)) return Math.max(0, Math.floor(value) || 0);
  if (value >= 0x8000_0000) return LAST;
  const exponent = 31 - Math.clz32(value);
  const shift = exponent - STEP_BITS;
  return (shift + 1) * STEPS + ((value >>> shift) - STEPS);
}

/** Largest value of a bucket; the last one has none. */
export function bucketTop(bucket: number): number {
  if (bucket < STEPS) return bucket;
  if (bucket === LAST) return Number.POSITIVE_INFINITY;
  const shift = Math.floor(bucket / STEPS) - 1;
  return ((bucket % STEPS) + STEPS + 1) * 2 ** shift - 1;
}

/** Nearest-rank quantile (0 < q ≤ 1) as the top of its bucket; null without values. */
export function quantileIn(counts: ArrayLike<number>, q: number): number | null {
  let n = 0;
  for (let i = 0; i < counts.length; i++) n += counts[i]!;
  if (n === 0) return null;
  const rank = Math.max(1, Math.ceil(q * n - 1e-9));
  let seen = 0;
  for (let bucket = 0; bucket < counts.length; bucket++) {
    seen += counts[bucket]!;
    if (seen >= rank) return bucketTop(bucket);
  }
  return null;
}
