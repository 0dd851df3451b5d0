// Before a run: what each criterion will have to go by, and whether that can decide it.
import { type Criterion, type Operand, operandsIn, operandsOf } from "../core/criterion.ts";
import { formatNumber, formatPercent } from "../core/format.ts";
import { type MeasureScope, measureInfo, quantileOf } from "../core/measures.ts";
import { coldWaveName } from "../core/window.ts";
import { BLOCKS_MIN } from "./design-effect.ts";
import { type Feed, type Foreseen, feedOf, foreseenWindows } from "./feed.ts";
import { coverageProblem, fixedLimit, windowOf } from "./judge-census.ts";
import { fewSecondsText } from "./judge-ratio.ts";
import { fewestToPass, ODDS_WANTED, oddsToPass, samplesWanted } from "./odds.ts";
import { GOOD_SECONDS } from "./recovery.ts";
import { wishOf } from "./sample-verdict.ts";
import { SECONDS_MIN } from "./seconds.ts";
import { selectionOf } from "./selection.ts";
import { samplesForBound } from "./statistics.ts";
import type { Windows } from "./windows.ts";

/** `no`: not even a flawless run passes; `unlikely`: odds under 80 %; `open`: not foreseeable. */
type Decidable = "yes" | "unlikely" | "no" | "open";

/** One criterion, before anything is sent. */
export interface Prospect {
  readonly text: string;
  readonly primary: boolean;
  readonly kind: "sample" | "census" | "ratio";
  /** Samples that the plan will feed it; null = they do not come from arrivals. */
  readonly samples: number | null;
  /** True when `samples` is only known to be no more than this. */
  readonly atMost: boolean;
  /** For 80 % odds at half the allowance; null where nothing is sampled. */
  readonly needed: number | null;
  /** Of a pass at half the allowance, samples being independent; null = not foreseeable. */
  readonly odds: number | null;
  readonly decidable: Decidable;
  /** In plain words; "" when there is none. */
  readonly problem: string;
}

/** Every criterion against what the plan will feed it. Throws `scenario` for an unknown name. */
export function prospectsOf(foreseen: Foreseen, criteria: readonly Criterion[]): Prospect[] {
  const marked = criteria.some(({ primary }) => primary);
  const windows = foreseenWindows(foreseen);
  return criteria.map((one) => {
    return prospectOf(foreseen, windows, { ...one, primary: !marked || one.primary });
  });
}

/** Neither fed by arrivals nor by a function. */
const OUTSIDE: readonly MeasureScope[] = ["sink", "queue"];

function prospectOf(foreseen: Foreseen, windows: Windows, criterion: Criterion): Prospect {
  const { operand, expr, text, primary } = criterion;
  const info = measureInfo(operand.measure);
  const ratio = operandsOf(expr).length > 0;
  const kind = info?.basis === "census" ? "census" : ratio ? "ratio" : "sample";
  const blank: Prospect = {
    ...{ text, primary, kind, samples: null, atMost: false, needed: null, odds: null },
    ...{ decidable: "open", problem: "" },
  };
  if (operand.measure === "recovery") return recoveryProspect(foreseen, windows, criterion, blank);
  if (info?.scopes.every((scope) => OUTSIDE.includes(scope))) return certain(blank);
  const cover = coverageProblem(windowOf(windows, operand));
  if (isOfWave(foreseen, operand)) return blank; // how long it lasts is up to the system
  if (cover !== null) return doubtful(blank, cover);
  if (operand.function !== null || operand.names[0] === "account")
    return kind === "census" ? certain(blank) : blank;
  if (operandsIn(criterion).some((one) => isOfClosedLoop(foreseen, one)))
    return kind === "census" ? certain(blank) : blank;
  const feed = feedOf(foreseen, windows, operand);
  const placed = { ...blank, samples: feed.samples, atMost: feed.atMost };
  if (feed.samples === 0) return hopeless(placed, `no arrival ${feed.where}`);
  if (kind === "census") return certain(placed);
  if (ratio) return ratioProspect(foreseen, windows, criterion, placed, feed);
  return sampleProspect(criterion, placed, feed);
}

function isOfWave({ plan }: Foreseen, { window }: Operand): boolean {
  const name = window?.kind === "during" ? window.name : window?.after;
  return plan.faults.some((fault) => coldWaveName(fault.name) === name);
}

/** How much a closed loop sends is up to the system that answers it. */
function isOfClosedLoop({ plan }: Foreseen, operand: Operand): boolean {
  if (operand.function !== null || operand.names[0] === "account") return false;
  const { loads } = selectionOf(plan, operand);
  return plan.loads.some((load, code) => loads[code] === true && load.closed !== undefined);
}

const certain = (blank: Prospect): Prospect => ({ ...blank, odds: 1, decidable: "yes" });

const hopeless = (blank: Prospect, problem: string): Prospect => {
  return { ...blank, odds: 0, decidable: "no", problem };
};

/** How long a fault takes to act is assumed, so a window that it makes too short is no error. */
const doubtful = (blank: Prospect, problem: string): Prospect => {
  return { ...blank, decidable: "unlikely", problem: `${problem} (if faults act as assumed)` };
};

function sampleProspect(criterion: Criterion, blank: Prospect, feed: Feed): Prospect {
  const { operand, op, expr, primary } = criterion;
  if (op === "==") return certain(blank);
  const { allowed } = wishOf(quantileOf(operand.measure), op, fixedLimit(expr));
  if (allowed >= 1) return certain(blank);
  const { samples, atMost, where } = feed;
  const needed = samplesWanted(allowed);
  const placed = { ...blank, needed: Number.isFinite(needed) ? needed : null };
  const many = `${atMost ? "at most " : ""}${formatNumber(samples)} samples ${where}`;
  const fewest = fewestToPass(allowed);
  if (samples < fewest)
    return hopeless(placed, `${many}, no pass with less than ${formatNumber(fewest)}`);
  if (primary && allowed > 0 && feed.seconds < BLOCKS_MIN) {
    const few = `samples in ${feed.seconds} s ${where}`;
    return hopeless(placed, `${few}, a primary criterion needs ${BLOCKS_MIN} s of them`);
  }
  const odds = oddsToPass(samples, allowed);
  if (odds >= ODDS_WANTED)
    return { ...placed, odds: atMost ? null : odds, decidable: atMost ? "open" : "yes" };
  const chance = `a pass has odds of ${formatPercent(odds, 0)} at half the allowance`;
  const wanted = `${formatPercent(ODDS_WANTED, 0)} need ~${formatNumber(needed)}`;
  return { ...placed, odds, decidable: "unlikely", problem: `${many}: ${chance}, ${wanted}` };
}

/** How wide a ratio's interval is depends on what is measured; only its samples can be counted. */
function ratioProspect(
  foreseen: Foreseen,
  windows: Windows,
  criterion: Criterion,
  blank: Prospect,
  left: Feed,
): Prospect {
  const operands = operandsIn(criterion);
  const feeds = [left, ...operands.slice(1).map((one) => feedOf(foreseen, windows, one))];
  for (const [i, { samples, seconds, where }] of feeds.entries()) {
    const cover = coverageProblem(windowOf(windows, operands[i]!));
    if (cover !== null) return doubtful(blank, cover);
    const quantile = quantileOf(operands[i]!.measure);
    const fewest = quantile === null ? 30 : samplesForBound(quantile);
    const many = `${formatNumber(samples)} samples ${where}`;
    if (samples < fewest)
      return hopeless(blank, `${many}, a comparison needs ${formatNumber(fewest)}`);
    if (seconds < SECONDS_MIN) return hopeless(blank, `${where}: ${fewSecondsText(seconds)}`);
  }
  return blank;
}

function recoveryProspect(
  foreseen: Foreseen,
  windows: Windows,
  criterion: Criterion,
  blank: Prospect,
): Prospect {
  const name = criterion.operand.argument ?? "";
  const clearedUs = windows.clearedUs(name);
  if (clearedUs === null) return hopeless(blank, `\`${name}\` never clears`);
  const leftS = (foreseen.endUs - clearedUs) / 1e6;
  const limitS = fixedLimit(criterion.expr) / 1e6;
  const after = `the run ends ${formatNumber(Math.max(0, leftS), 1)} s after \`${name}\` clears`;
  if (leftS < GOOD_SECONDS)
    return hopeless(blank, `${after}, recovery takes ${GOOD_SECONDS} good seconds to be seen`);
  if (leftS >= limitS + GOOD_SECONDS) return certain(blank);
  const wanted = formatNumber(limitS + GOOD_SECONDS, 0);
  const problem = `${after}: one that is too slow may stay undecided, ${wanted} s would tell`;
  return { ...certain(blank), problem };
}
