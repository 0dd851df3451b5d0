// What made each execution environment start: a new version, more calls at once, a pause, or one
// that was gone.
import { COLD, type PlatformIndex } from "./platform-index.ts";
import { functionName } from "./selection.ts";

/** Idle for so long before counts as a pause; AWS keeps idle environments for longer than this. */
const PAUSE_MS = 60_000;

/** Cold starts of one function by cause; each counts once, by the first that applies. */
export interface ColdCauses {
  readonly name: string;
  readonly invocations: number;
  readonly cold: number;
  /** The first of its version in this run. */
  readonly firstOfVersion: number;
  /** More ran at once than environments of this version had been seen: scale-out. */
  readonly scaleOut: number;
  /** Nothing had run for a minute. */
  readonly afterPause: number;
  /** So many environments had been there before: recycled, failed or taken away. */
  readonly inPlace: number;
}

/** By name. Functions whose lines name no log stream are left out: environments are not known. */
export function coldCausesOf(platform: PlatformIndex): ColdCauses[] {
  const byFunction = new Map<number, number[]>();
  for (let row = 0; row < platform.reports; row++) {
    if (platform.stream[row]! < 0) continue;
    const code = platform.functionCode[row]!;
    const rows = byFunction.get(code);
    if (rows === undefined) byFunction.set(code, [row]);
    else rows.push(row);
  }
  return [...byFunction]
    .map(([code, rows]) => ({
      name: functionName(platform.functions.texts[code] ?? ""),
      invocations: rows.length,
      ...causesOf(platform, rows),
    }))
    .filter(({ cold }) => cold > 0)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Of one function, in order of time; how many run at once is counted over all its versions. */
function causesOf(platform: PlatformIndex, rows: number[]) {
  const beganMs = (row: number): number => {
    const init = platform.init[row]!;
    return platform.at[row]! - platform.duration[row]! - (Number.isNaN(init) ? 0 : init);
  };
  const ends = Float64Array.from(rows, (row) => platform.at[row]!).sort();
  rows.sort((a, b) => beganMs(a) - beganMs(b) || a - b);
  const streams = new Map<number, Set<number>>();
  const counts = { cold: 0, firstOfVersion: 0, scaleOut: 0, afterPause: 0, inPlace: 0 };
  let ended = 0;
  for (const [i, row] of rows.entries()) {
    const fromMs = beganMs(row);
    while (ended < ends.length && ends[ended]! <= fromMs) ended++;
    const version = platform.versionCode[row]!;
    const seen = streams.get(version) ?? new Set();
    if (platform.start[row] === COLD) {
      counts.cold++;
      if (seen.size === 0) counts.firstOfVersion++;
      else if (i + 1 - ended > seen.size) counts.scaleOut++;
      else if (ended === i && fromMs - ends[ended - 1]! >= PAUSE_MS) counts.afterPause++;
      else counts.inPlace++;
    }
    streams.set(version, seen.add(platform.stream[row]!));
  }
  return counts;
}
