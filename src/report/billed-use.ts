// What was used of Lambda on behalf of a load: requests and billed memory-time of joined attempts.
import { outcomeCode } from "../core/outcome.ts";
import type { AttemptChunk } from "./attempt-chunk.ts";
import type { PlatformIndex } from "./platform-index.ts";

const OK = outcomeCode("ok");
const UNKNOWN = outcomeCode("unknown");

export interface BilledUse {
  arrivals: number;
  /** Attempts that ran, or may have; those of them whose REPORT line says what was billed. */
  ran: number;
  billed: number;
  /** Of the billed ones. */
  mbMs: number;
}

export const noUse = (): BilledUse => ({ arrivals: 0, ran: 0, billed: 0, mbMs: 0 });

/** Billed MB × ms of a line, NaN = it does not say. Whole: no order of adding ever shows. */
export const mbMsOf = ({ billed, memory }: PlatformIndex, row: number): number =>
  Math.round(billed[row]! * memory[row]!);

/** Adds one attempt that was sent. */
export function addUse(
  use: BilledUse,
  platform: PlatformIndex,
  chunk: AttemptChunk,
  row: number,
): void {
  if (chunk.attempt[row] === 1) use.arrivals++;
  const report = chunk.report?.[row] ?? -1;
  const mbMs = report < 0 ? Number.NaN : mbMsOf(platform, report);
  if (!Number.isNaN(mbMs)) {
    use.mbMs += mbMs;
    use.billed++;
    use.ran++;
    return;
  }
  const outcome = chunk.outcome[row];
  if (outcome === OK || outcome === UNKNOWN) use.ran++;
}
