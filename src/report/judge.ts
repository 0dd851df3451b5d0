// Criteria against evidence: pass, fail or inconclusive for each, with the reason in plain words.
import { type Criterion, type Expression, type Operand, operandsOf } from "../core/criterion.ts";
import { GatecrashError } from "../core/error.ts";
import { formatNumber } from "../core/format.ts";
import { measureInfo, quantileOf } from "../core/measures.ts";
import { evaluate } from "./bootstrap.ts";
import { censusValue, isPlatformShare, queueDepth } from "./census.ts";
import type { CensusValue } from "./census-value.ts";
import { idOf, showBeside, showLimit, showWish } from "./criterion-text.ts";
import { secondsText } from "./criterion-view.ts";
import {
  compareCensus,
  coverageProblem,
  fixedLimit,
  judgeRecovery,
  undecided,
  windowOf,
} from "./judge-census.ts";
import type { JudgeFacts } from "./judge-facts.ts";
import { judgeRatio } from "./judge-ratio.ts";
import { versionProblem, withDoubt } from "./judge-version.ts";
import { judgeSink } from "./reconcile-judge.ts";
import type { CriterionResult } from "./result.ts";
import { judgeSample, quantileInterval, type SampleVerdict, wishOf } from "./sample-verdict.ts";
import { Samples } from "./samples.ts";
import { type Selection, selectionOf } from "./selection.ts";
import { feed } from "./sources.ts";
import { holm } from "./statistics.ts";
import { waveNote } from "./wave-note.ts";

/** Judged, and for samples the p-value that Holm's correction needs. */
interface Judged {
  readonly result: CriterionResult;
  readonly pFail: number | null;
}

/** Judges all criteria together: Holm's correction looks at every sample criterion at once. */
export function judgeAll(facts: JudgeFacts, criteria: readonly Criterion[]): CriterionResult[] {
  const some = criteria.some((criterion) => criterion.primary);
  const judged = criteria.map((criterion) => {
    const primary = !some || criterion.primary;
    try {
      return marked(facts, criterion, judgeOne(facts, { ...criterion, primary }));
    } catch (error) {
      throw placed(error, criterion);
    }
  });
  const sampled = judged.filter((one) => one.pFail !== null);
  const rejected = holm(sampled.map((one) => one.pFail!));
  return judged.map((one, at) => {
    const place = sampled.indexOf(one);
    if (one.result.verdict !== "fail" || place < 0 || rejected[place]) return one.result;
    const count = `${sampled.length} criteria were asked at once`;
    const note = waveNote(facts, criteria[at]!);
    const reason = `beyond the limit, but not beyond chance when ${count}${note}`;
    return { ...one.result, verdict: "inconclusive" as const, reason };
  });
}

/**
 * How much longer it would take is said where more samples would decide. Cold starts that our own
 * undo caused are counted, and never without saying so.
 */
function marked(facts: JudgeFacts, criterion: Criterion, { result, pFail }: Judged): Judged {
  const longerUs = longerUsOf(facts, result);
  const longer =
    longerUs === null ? "" : `; about ${secondsText(longerUs)} more at this rate to decide`;
  const reason = `${result.reason}${longer}${waveNote(facts, criterion)}`;
  return { result: { ...result, longerUs, reason }, pFail };
}

function longerUsOf({ story }: JudgeFacts, { needs, n, window }: CriterionResult): number | null {
  if (needs === null || needs <= n || n === 0) return null;
  const spanUs = window === null ? story.observedEndUs : window.endUs - window.startUs;
  return Math.ceil((spanUs * (needs - n)) / n);
}

/** A name that the run does not know: said with the criterion and the line it stands on. */
function placed(error: unknown, { text, place }: Criterion): unknown {
  if (!(error instanceof GatecrashError) || error.place !== undefined) return error;
  const { code, hint } = error;
  return new GatecrashError(code, `criterion \`${text}\`: ${error.message}`, {
    ...(hint === undefined ? {} : { hint }),
    ...(place === undefined ? {} : { place }),
  });
}

function judgeOne(facts: JudgeFacts, criterion: Criterion): Judged {
  const judged = judgePlain(facts, criterion);
  return { ...judged, result: withDoubt(facts, criterion, judged.result) };
}

function judgePlain(facts: JudgeFacts, criterion: Criterion): Judged {
  const { operand } = criterion;
  const blank = blankOf(criterion);
  if (operand.measure === "recovery")
    return { result: judgeRecovery(facts, criterion, blank), pFail: null };
  const info = measureInfo(operand.measure);
  const ofSink = info === undefined || info.scopes.every((scope) => scope === "sink");
  const ofQueue = info?.scopes[0] === "queue";
  const selection = ofSink || ofQueue ? null : selectionOf(facts.tables.plan, operand);
  const window = windowOf(facts.windows, operand);
  const placed = { ...blank, window };
  const cover = coverageProblem(window);
  if (cover !== null) return { result: undecided(placed, cover), pFail: null };
  const untold = versionProblem(facts, criterion);
  if (untold !== "") return { result: undecided(placed, untold), pFail: null };
  if (ofQueue) return { result: judgeCensus(facts, criterion, placed), pFail: null };
  if (info === undefined || selection === null)
    return { result: judgeSink(facts, criterion, placed), pFail: null };
  if (info.basis === "census" || isPlatformShare(operand.measure, selection)) {
    const counted = { ...placed, kind: "census" as const };
    return { result: judgeCensus(facts, criterion, counted), pFail: null };
  }
  if (operandsOf(criterion.expr).length > 0)
    return { result: judgeRatio(facts, criterion, selection, placed), pFail: null };
  return judgeShare(facts, criterion, selection, placed);
}

function blankOf(criterion: Criterion): CriterionResult {
  const info = measureInfo(criterion.operand.measure);
  const ratio = operandsOf(criterion.expr).length > 0;
  const kind = info?.basis === "census" ? "census" : ratio ? "ratio" : "sample";
  return {
    id: idOf(criterion.text),
    text: criterion.text,
    kind,
    primary: criterion.primary,
    window: null,
    verdict: "inconclusive",
    n: 0,
    nEffective: null,
    blocks: null,
    unit: info?.unit ?? "number",
    estimate: null,
    low: null,
    high: null,
    limit: null,
    beyond: null,
    margin: null,
    reason: "",
    needs: null,
    longerUs: null,
  };
}

function judgeCensus(
  facts: JudgeFacts,
  criterion: Criterion,
  blank: CriterionResult,
): CriterionResult {
  const found = countedOf(facts, criterion.operand);
  const limit = limitOf(facts, criterion.expr);
  const placed = { ...blank, n: found.n, limit: Number.isNaN(limit) ? null : limit };
  if (found.value === null) return undecided(placed, found.note);
  if (Number.isNaN(limit)) return undecided(placed, "its limit is not known: no data or no quota");
  return compareCensus(placed, criterion.op, found.value, limit, found.note);
}

function countedOf(facts: JudgeFacts, operand: Operand): CensusValue {
  const window = windowOf(facts.windows, operand);
  if (operand.measure === "depth") return queueDepth(facts, operand, window);
  return censusValue(facts, operand, selectionOf(facts.tables.plan, operand), window);
}

/** A limit that may itself hold measured values, taken as they are. */
function limitOf(facts: JudgeFacts, expr: Expression): number {
  const worthOf = (operand: Operand): number => countedOf(facts, operand).value ?? Number.NaN;
  return evaluate(expr, worthOf, facts.tables.plan.quota.concurrency);
}

function judgeShare(
  facts: JudgeFacts,
  criterion: Criterion,
  selection: Selection,
  blank: CriterionResult,
): Judged {
  const { operand, op } = criterion;
  const limit = fixedLimit(criterion.expr);
  const quantile = quantileOf(operand.measure);
  const wish = wishOf(quantile, op, limit);
  const samples = new Samples(blank.window, wish.isEvent, { values: quantile !== null });
  const known = feed(facts.tables, operand.measure, selection, samples);
  const evidence = samples.evidence();
  const placed = { ...blank, limit, n: evidence.n };
  if (!known) return { result: undecided(placed, "no facts of this measure"), pFail: null };
  if (evidence.n === 0) return { result: undecided(placed, noSamples(facts)), pFail: null };
  if (op === "==") {
    const equal = quantile === null ? evidence.k / evidence.n : evidence.values!.quantile(quantile);
    return { result: compareCensus(placed, op, equal, limit, ""), pFail: null };
  }
  const verdict = judgeSample(wish, evidence, criterion.primary);
  const { nEffective, blocks } = {
    nEffective: evidence.effective.n,
    blocks: evidence.effective.blocks,
  };
  const common = { ...placed, ...verdictFields(verdict), nEffective, blocks };
  const share = evidence.k / evidence.n;
  if (quantile === null) {
    const flip = (x: number) => (wish.atLeast ? 1 - x : x);
    const { low, high } = verdict.interval;
    const ends = [flip(low), flip(high)].sort((a, b) => a - b);
    const result = { ...common, estimate: flip(share), low: ends[0]!, high: ends[1]! };
    return { result: withReason(result, verdict, criterion), pFail: verdict.pFail };
  }
  const { low, high } = quantileInterval(quantile, evidence);
  const estimate = evidence.values!.quantile(quantile);
  const beyond = { count: evidence.k, share, allowed: wish.allowed };
  const result = { ...common, estimate, low, high, beyond };
  return { result: withReason(result, verdict, criterion), pFail: verdict.pFail };
}

function noSamples({ tables }: JudgeFacts): string {
  const joined = tables.platform.reports > 0 || !tables.plan.joins;
  return joined ? "no samples" : "no samples: no REPORT line was found";
}

function verdictFields({ verdict, margin, needs }: SampleVerdict) {
  return { verdict, margin, needs };
}

/** What was found of how many and what was wished, or what is missing. */
function withReason(
  result: CriterionResult,
  verdict: SampleVerdict,
  { op }: Criterion,
): CriterionResult {
  if (verdict.undecided !== "") return { ...result, reason: verdict.undecided };
  const found = showBeside(result.estimate ?? Number.NaN, result.limit, result.unit);
  const limit = showLimit(result.limit ?? 0, result.unit);
  const n = formatNumber(result.n);
  if (result.beyond === null)
    return { ...result, reason: `${found} of ${n}, ${showWish(op, limit)}` };
  const { share, allowed } = result.beyond;
  const side = op === ">=" || op === ">" ? "below" : "above";
  const most = `${showBeside(share, allowed, "ratio")} of ${n} are ${side} ${limit}`;
  return { ...result, reason: `${found}; ${most}, at most ${showLimit(allowed, "ratio")} allowed` };
}
