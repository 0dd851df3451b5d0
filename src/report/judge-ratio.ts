// Criteria that compare two measured values: by resampling seconds of both.
import { type Criterion, operandsOf } from "../core/criterion.ts";
import { seededRng } from "../core/rng.ts";
import { bootstrap, evaluate, resampled, worth } from "./bootstrap.ts";
import { showBeside, showValue, showWish } from "./criterion-text.ts";
import { coverageProblem, undecided, windowOf } from "./judge-census.ts";
import type { JudgeFacts } from "./judge-facts.ts";
import type { CriterionResult } from "./result.ts";
import { Samples } from "./samples.ts";
import { once, SECONDS_MIN } from "./seconds.ts";
import { type Selection, selectionOf } from "./selection.ts";
import { feed } from "./sources.ts";
import { samplesForBound } from "./statistics.ts";

/**
 * PASS when left − right is on the good side with 95 %, FAIL when it is on the bad side. Resampling
 * few seconds would find no spread and be sure of anything, so few are never decided.
 */
export function judgeRatio(
  facts: JudgeFacts,
  criterion: Criterion,
  selection: Selection,
  blank: CriterionResult,
): CriterionResult {
  const { plan } = facts.tables;
  const gather = (operand: Criterion["operand"], of: Selection) => {
    const window = windowOf(facts.windows, operand);
    const samples = new Samples(window, () => false, { values: false, blocked: true });
    feed(facts.tables, operand.measure, of, samples);
    const key = window === null ? "" : `${window.startUs}-${window.endUs}`;
    return { window, data: resampled(operand, samples.blocked!, key) };
  };
  const left = gather(criterion.operand, selection).data;
  const right = operandsOf(criterion.expr).map((operand) => {
    return { operand, ...gather(operand, selectionOf(plan, operand)) };
  });
  const placed = { ...blank, n: left.values.length, blocks: left.blocks };
  for (const side of [{ window: blank.window, data: left }, ...right]) {
    const cover = coverageProblem(side.window);
    if (cover !== null) return undecided(placed, cover);
    const fewest = side.data.quantile === null ? 30 : samplesForBound(side.data.quantile);
    const { length } = side.data.values;
    if (length < fewest)
      return { ...undecided(placed, `${length} samples, needs ${fewest}`), needs: fewest };
    const { filled } = side.data;
    if (filled < SECONDS_MIN) return undecided(placed, `only ${fewSecondsText(filled)}`);
  }
  const quota = plan.quota.concurrency;
  const sides = new Map(right.map(({ operand, data }) => [operand, data] as const));
  const point = (data: typeof left) => worth(data, once(data.blocks));
  const limit = evaluate(criterion.expr, (operand) => point(sides.get(operand)!), quota);
  const rng = seededRng(plan.seed, `bootstrap/${criterion.text}`);
  const found = bootstrap(left, sides, criterion.expr, quota, rng);
  return decideRatio({ ...placed, estimate: point(left), limit }, criterion, found);
}

/** `3 seconds with samples, a comparison needs 10`. */
export const fewSecondsText = (filled: number): string =>
  `${filled} seconds with samples, a comparison needs ${SECONDS_MIN}`;

function decideRatio(
  placed: CriterionResult,
  criterion: Criterion,
  found: ReturnType<typeof bootstrap>,
): CriterionResult {
  const atLeast = criterion.op === ">=" || criterion.op === ">";
  const [good, bad] = atLeast ? [found.lower, found.upper] : [-found.upper, -found.lower];
  const verdict = good >= 0 ? "pass" : bad < 0 ? "fail" : "inconclusive";
  const { estimate, limit, unit } = placed;
  const wish = showWish(criterion.op, showValue(limit!, unit));
  const against = `${showBeside(estimate!, limit, unit)}, ${wish}`;
  return {
    ...placed,
    verdict,
    low: found.leftLow,
    high: found.leftHigh,
    margin: verdict === "fail" ? bad : good,
    reason: verdict === "inconclusive" ? `${against}: too close to tell` : against,
  };
}
