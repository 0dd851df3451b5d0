// How much less a sample is worth when its exceedances come in bursts: blocks, design effect,
// effective n.
import { US_PER_S } from "../core/time.ts";
import { chiSquareQuantile, studentQuantile } from "./beta.ts";

/** Samples and events per second of a window, the second counted from the window's start. */
export interface SecondCounts {
  readonly n: ArrayLike<number>;
  readonly k: ArrayLike<number>;
}

export interface Effective {
  /** Blocks that hold samples; under ten a primary criterion cannot be decided. */
  readonly blocks: number;
  /** Variance of the share over blocks ÷ its variance if samples were independent; at least 1. */
  readonly deff: number;
  readonly n: number;
  readonly k: number;
}

export const BLOCKS_MIN = 10;
const Z_ONE_SIDED = 1.6448536269514722;
const Z_TWO_SIDED = 1.959963984540054;

/**
 * Whole seconds in a block: at least twice the longest run of events, so that most episodes fall
 * into one block; but never so long that a window of ten seconds or more has fewer than ten blocks:
 * an outage that fills its window is evidence, not a lack of it.
 */
export function blockSeconds(seconds: number, longestRunUs: number): number {
  const wanted = Math.max(1, Math.ceil((2 * longestRunUs) / US_PER_S));
  return Math.max(1, Math.min(wanted, Math.floor(seconds / BLOCKS_MIN)));
}

/** Sums of `size` seconds each; blocks without samples are left out. */
function blocksOf(counts: SecondCounts, size: number): { n: number[]; k: number[] } {
  const n: number[] = [];
  const k: number[] = [];
  for (let start = 0; start < counts.n.length; start += size) {
    let samples = 0;
    let events = 0;
    for (let i = start; i < Math.min(start + size, counts.n.length); i++) {
      samples += counts.n[i]!;
      events += counts.k[i]!;
    }
    if (samples === 0) continue;
    n.push(samples);
    k.push(events);
  }
  return { n, k };
}

/** Variance of the share over blocks ÷ that of independent samples; 1 where chance explains it. */
function designEffect(blocks: { n: number[]; k: number[] }): number {
  const count = blocks.n.length;
  const n = sum(blocks.n);
  const k = sum(blocks.k);
  if (count < 2 || k === 0 || k === n) return 1;
  const share = k / n;
  let squares = 0;
  for (let i = 0; i < count; i++) squares += (blocks.k[i]! - share * blocks.n[i]!) ** 2;
  const variance = ((count / (count - 1)) * squares) / (n * n);
  const deff = variance / ((share * (1 - share)) / n);
  return deff <= chiSquareQuantile(Z_ONE_SIDED, count - 1) / (count - 1) ? 1 : deff;
}

/**
 * Effective sample size after Korn and Graubard (1998): n ÷ deff, and × (z ÷ t)² because the
 * variance is itself an estimate from few blocks. The variance over blocks is that of a ratio
 * (blocks differ in size); blocks are doubled down to twenty and the worst answer counts. A deff
 * that chance alone exceeds in one of twenty independent samples (χ² of blocks − 1) counts as 1:
 * otherwise every clean run would pay for noise.
 */
export function effectiveSample(counts: SecondCounts, longestRunUs: number): Effective {
  const size = blockSeconds(counts.n.length, longestRunUs);
  const largest = Math.max(size, Math.floor(counts.n.length / 20));
  const first = blocksOf(counts, size);
  const n = sum(first.n);
  const k = sum(first.k);
  let worst: Effective = { blocks: first.n.length, deff: 1, n, k };
  for (let seconds = size; seconds <= largest; seconds *= 2) {
    const blocks = seconds === size ? first : blocksOf(counts, seconds);
    const deff = designEffect(blocks);
    if (deff === 1) continue;
    const factor = (Z_TWO_SIDED / studentQuantile(0.975, blocks.n.length - 1)) ** 2 / deff;
    if (n * factor < worst.n) worst = { ...worst, deff, n: n * factor, k: k * factor };
  }
  return worst;
}

const sum = (values: readonly number[]): number => values.reduce((total, x) => total + x, 0);
