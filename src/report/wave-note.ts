// Which criteria hold cold starts that the undo of a fault caused: never counted without saying so.
import type { Criterion } from "../core/criterion.ts";
import { formatNumber } from "../core/format.ts";
import { coldWaveName, type Window } from "../core/window.ts";
import { type ColdWave, countIn, invocationsOf, isOf } from "./cold-wave.ts";
import { eachArrival } from "./each-row.ts";
import { windowOf } from "./judge-census.ts";
import type { JudgeFacts } from "./judge-facts.ts";
import { COLD } from "./platform-index.ts";
import { functionName, type Selection, selectionOf } from "./selection.ts";
import type { Tables } from "./tables.ts";

/**
 * What stands behind the reason of a criterion about cold starts: how many of them are ours. A
 * criterion about the wave itself is about nothing else, so nothing is said.
 */
export function waveNote({ tables, waves, windows }: JudgeFacts, { operand }: Criterion): string {
  const { names, measure, window: ref } = operand;
  const isAboutCold =
    names.includes("cold") || measure === "cold.rate" || measure.startsWith("init.");
  if (!isAboutCold || (ref?.kind === "during" && isWave(waves, ref.name))) return "";
  const window = windowOf(windows, operand);
  const notes = [...waves.values()].flatMap((wave) => {
    const n = coldIn(tables, selectionOf(tables.plan, operand), wave, window);
    const are = n === 1 ? "is" : "are";
    const whose = `${are} of the cold wave that the undo of ${wave.name} caused`;
    return n === 0 ? [] : [`; ${formatNumber(n)} of its cold starts ${whose}`];
  });
  return notes.join("");
}

function isWave(waves: JudgeFacts["waves"], window: string): boolean {
  return [...waves.keys()].some((fault) => coldWaveName(fault) === window);
}

/** Cold ones among the samples that lie in both, of the function that the wave is of. */
function coldIn(
  tables: Tables,
  selection: Selection,
  wave: ColdWave,
  window: Window | null,
): number {
  const fromUs = Math.max(wave.startUs, window?.startUs ?? 0);
  const toUs = Math.min(wave.endUs, window?.endUs ?? Number.POSITIVE_INFINITY);
  if (fromUs >= toUs) return 0;
  if (selection.function !== null) {
    if (functionName(selection.function) !== wave.function) return 0;
    return countIn(invocationsOf(tables, wave.function), fromUs, toUs).coldStarts;
  }
  const { platform } = tables;
  const isMine = isOf(platform, wave.function);
  let cold = 0;
  eachArrival(tables, selection, ({ dueUs, report }, i) => {
    const row = report[i]!;
    if (dueUs[i]! < fromUs || dueUs[i]! >= toUs || !isMine(row)) return;
    if (platform.start[row] === COLD) cold++;
  });
  return cold;
}
