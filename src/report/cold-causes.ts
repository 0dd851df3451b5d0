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
  /** As many environments of this version were never there at once before: scale-out. */
  readonly scaleOut: number;
  /** Nothing had run for a minute. */
  readonly afterPause: number;
  /** As many had been there before: some were recycled, had failed or were taken away. */
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

/**
 * Of one function, in order of time. An environment is there from its first line to its last: one
 * that is idle and not used again counts as gone, and would have been used in place of a start.
 */
function causesOf(platform: PlatformIndex, rows: number[]) {
  const beganMs = (row: number): number => {
    const init = platform.init[row]!;
    return platform.at[row]! - platform.duration[row]! - (Number.isNaN(init) ? 0 : init);
  };
  rows.sort((a, b) => beganMs(a) - beganMs(b) || a - b);
  const lastRow = new Map(rows.map((row) => [platform.stream[row]!, row]));
  const there = new Map<number, Environments>();
  const counts = { cold: 0, firstOfVersion: 0, scaleOut: 0, afterPause: 0, inPlace: 0 };
  let lastEndMs = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    const [stream, version] = [platform.stream[row]!, platform.versionCode[row]!];
    const its = there.get(version) ?? { seen: new Set(), leavingMs: [], most: 0, now: 0 };
    there.set(version, its);
    const gone = its.leavingMs.filter((ms) => ms <= beganMs(row)).length;
    its.leavingMs = its.leavingMs.filter((ms) => ms > beganMs(row));
    its.now -= gone;
    if (platform.start[row] === COLD) {
      counts.cold++;
      if (its.seen.size === 0) counts.firstOfVersion++;
      else if (its.now === 0 && beganMs(row) - lastEndMs >= PAUSE_MS) counts.afterPause++;
      else if (its.seen.has(stream) || its.now < its.most) counts.inPlace++;
      else counts.scaleOut++;
    }
    if (!its.seen.has(stream)) its.now++;
    its.seen.add(stream);
    its.most = Math.max(its.most, its.now);
    if (lastRow.get(stream) === row) its.leavingMs.push(platform.at[row]!);
    lastEndMs = Math.max(lastEndMs, platform.at[row]!);
  }
  return counts;
}

/** Execution environments of one version. */
interface Environments {
  readonly seen: Set<number>;
  /** Ends of the last invocations of those that are not used again. */
  leavingMs: number[];
  now: number;
  most: number;
}
