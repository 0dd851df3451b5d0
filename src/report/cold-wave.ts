// The cold starts that the undo of a fault causes: when they come, and how many.
import { US_PER_S } from "../core/time.ts";
import { COLD, type PlatformIndex } from "./platform-index.ts";
import { functionName } from "./selection.ts";
import type { FaultStory, Story } from "./story.ts";
import type { Tables } from "./tables.ts";

/**
 * `calm`: as few cold starts as before the fault, over five seconds; `none`: none came;
 * `bound`: still coming after a minute; `run`: still coming when the run ended; `unseen`: the
 * function's REPORT lines were not read, so nobody knows.
 */
export type WaveEnd = "calm" | "none" | "bound" | "run" | "unseen";

export interface ColdWave {
  /** Of the fault. */
  readonly name: string;
  /** Name of the function whose execution environments were replaced. */
  readonly function: string;
  /** From the moment that its undo was asked; empty when `none` or `unseen`. */
  readonly startUs: number;
  readonly endUs: number;
  /** Cold starts in it, and all invocations. */
  readonly coldStarts: number;
  readonly invocations: number;
  readonly end: WaveEnd;
}

/** What still comes then is no wave any more, but how this system is. */
const WAVE_MAX_US = 60 * US_PER_S;
/** Of so long the shares are compared: before the fault, and after its undo. */
const CALM_US = 5 * US_PER_S;

/** One for each fault whose undo was asked and replaces execution environments, by its name. */
export function coldWavesOf(tables: Tables, story: Story): ReadonlyMap<string, ColdWave> {
  return new Map(
    story.faults.flatMap((fault) => {
      const wave = waveOf(tables, fault, story.observedEndUs);
      return wave === null ? [] : [[fault.name, wave] as const];
    }),
  );
}

function waveOf(tables: Tables, fault: FaultStory, observedEndUs: number): ColdWave | null {
  const { plan, name, askedUs, restoreAskedUs: startUs, clearedUs } = fault;
  if (plan.cold_wave === undefined || askedUs === null || startUs === null) return null;
  const seen = invocationsOf(tables, plan.cold_wave);
  const common = { name, function: functionName(plan.cold_wave), startUs };
  const nothing = { ...common, endUs: startUs, coldStarts: 0, invocations: 0 };
  if (seen.length === 0) return { ...nothing, end: "unseen" };
  const lastUs = Math.max(startUs, Math.min(startUs + WAVE_MAX_US, observedEndUs));
  const usual = shareOf(countIn(seen, Math.max(0, askedUs - CALM_US), askedUs));
  // Until it was seen to clear, AWS may still be replacing them: calm counts from then on.
  const calm = calmFrom(seen, usual, Math.min(lastUs, clearedUs ?? lastUs), lastUs);
  const endUs = calm ?? lastUs;
  const inside = countIn(seen, startUs, endUs);
  if (calm !== null && inside.coldStarts === 0) return { ...nothing, end: "none" };
  const end = calm !== null ? "calm" : lastUs === observedEndUs ? "run" : "bound";
  return { ...common, endUs, ...inside, end };
}

interface Invocation {
  readonly atUs: number;
  readonly cold: boolean;
}

/** By the REPORT lines of a function, whoever invoked it. */
export function invocationsOf({ platform, plan }: Tables, arn: string): Invocation[] {
  const isMine = isOf(platform, arn);
  const found: Invocation[] = [];
  for (let row = 0; row < platform.reports; row++) {
    if (!isMine(row)) continue;
    const atUs = (platform.at[row]! - plan.epoch_ms) * 1_000;
    found.push({ atUs, cold: platform.start[row] === COLD });
  }
  return found.sort((a, b) => a.atUs - b.atUs);
}

/** A test of REPORT rows (−1 = unjoined). */
export function isOf(platform: PlatformIndex, arn: string): (row: number) => boolean {
  const name = functionName(arn);
  const codes = platform.functions.texts.map((text) => functionName(text) === name);
  return (row) => row >= 0 && codes[platform.functionCode[row]!] === true;
}

interface Count {
  readonly coldStarts: number;
  readonly invocations: number;
}

export function countIn(seen: readonly Invocation[], fromUs: number, toUs: number): Count {
  const inside = seen.filter(({ atUs }) => atUs >= fromUs && atUs < toUs);
  return { coldStarts: inside.filter(({ cold }) => cold).length, invocations: inside.length };
}

const shareOf = ({ coldStarts, invocations }: Count): number =>
  invocations === 0 ? 0 : coldStarts / invocations;

/** The first of five seconds that together have no larger share of cold starts than usual. */
function calmFrom(
  seen: readonly Invocation[],
  usual: number,
  fromUs: number,
  toUs: number,
): number | null {
  for (let atUs = fromUs; atUs + CALM_US <= toUs; atUs += US_PER_S)
    if (shareOf(countIn(seen, atUs, atUs + CALM_US)) <= usual) return atUs;
  return null;
}
