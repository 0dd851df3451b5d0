// How often the gate is wrong, by seeded simulation at the boundary, in bursts, and on a good
// system.
import { seededRng } from "../src/core/rng.ts";
import { US_PER_S } from "../src/core/time.ts";
import type { VerdictName } from "../src/core/verdict.ts";
import { judgeSample, wishOf } from "../src/report/sample-verdict.ts";
import { Samples } from "../src/report/samples.ts";

export interface GateCase {
  readonly name: string;
  readonly n: number;
  readonly perSecond: number;
  /** True share beyond the limit of a p99. */
  readonly share: number;
  /** Mean length of a burst of exceedances; 1 = independent. */
  readonly burst: number;
  readonly rounds: number;
  readonly seed: number;
}

export type GateRates = { readonly [verdict in "pass" | "fail" | "inconclusive"]: number };

const LIMIT_US = 300_000;

/** Shares of verdicts of `p99 <= 300ms` over simulated runs. Same seed, same shares. */
export function simulateGate(one: GateCase): GateRates {
  const rng = seededRng(one.seed, one.name);
  const wish = wishOf(0.99, "<=", LIMIT_US);
  const seen: { [verdict in VerdictName]: number } = {
    pass: 0,
    fail: 0,
    inconclusive: 0,
    invalid: 0,
  };
  for (let round = 0; round < one.rounds; round++) {
    const samples = new Samples(null, wish.isEvent, { values: false });
    const out = 1 / one.burst;
    const into = (one.share * out) / (1 - one.share);
    let slow = rng.next() < one.share;
    for (let i = 0; i < one.n; i++) {
      samples.add(Math.floor((i * US_PER_S) / one.perSecond), slow ? LIMIT_US + 1 : 20_000);
      if (one.burst === 1) slow = rng.next() < one.share;
      else slow = slow ? rng.next() >= out : rng.next() < into;
    }
    seen[judgeSample(wish, samples.evidence(), true).verdict]++;
  }
  const share = (verdict: VerdictName) => seen[verdict] / one.rounds;
  return { pass: share("pass"), fail: share("fail"), inconclusive: share("inconclusive") };
}

/** What is promised of each case, and said in the README. */
export const GATE_CASES: readonly (GateCase & {
  readonly promise: string;
  readonly keeps: (rates: GateRates) => boolean;
})[] = [
  {
    ...{ name: "at the limit, independent", n: 2_000, perSecond: 40, share: 0.01, burst: 1 },
    ...{ rounds: 2_000, seed: 1, promise: "PASS ≤ 5 %", keeps: (rates) => rates.pass <= 0.05 },
  },
  {
    ...{ name: "at the limit, independent", n: 20_000, perSecond: 200, share: 0.01, burst: 1 },
    ...{ rounds: 2_000, seed: 2, promise: "PASS ≤ 5 %", keeps: (rates) => rates.pass <= 0.05 },
  },
  {
    ...{ name: "at the limit, bursts of 20", n: 20_000, perSecond: 200, share: 0.01, burst: 20 },
    ...{ rounds: 2_000, seed: 3, promise: "PASS ≤ 10 %", keeps: (rates) => rates.pass <= 0.1 },
  },
  {
    ...{ name: "half the allowance", n: 2_000, perSecond: 40, share: 0.005, burst: 1 },
    ...{ rounds: 2_000, seed: 4, promise: "PASS ≥ 75 %", keeps: (rates) => rates.pass >= 0.75 },
  },
];

export function benchGate(): void {
  console.log("verdicts of p99 <= 300ms over simulated runs:");
  for (const one of GATE_CASES) {
    const rates = simulateGate(one);
    const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
    const found = `PASS ${percent(rates.pass)} FAIL ${percent(rates.fail)}`;
    const kept = one.keeps(rates) ? "kept" : "BROKEN";
    console.log(`  ${one.name}, n = ${one.n}: ${found} (promise ${one.promise}: ${kept})`);
  }
}
