// How far the system's clock is from the generator's, by answers that both have stamped.
import type { AttemptChunk } from "./attempt-chunk.ts";
import { COLD, type PlatformIndex } from "./platform-index.ts";

export interface ClockOffset {
  /** System − generator, µs. */
  readonly offsetUs: number;
  /** The truth is no further from it than this, if both ways took any time at all. */
  readonly withinUs: number;
  /** Answers that say it. */
  readonly n: number;
  readonly by: "access_log" | "report";
}

/** So many with the least time on the way are kept; the middle one of them counts. */
const KEPT = 21;
/** Stamps of lines are whole ms. */
const HALF_STAMP_US = 500;

/** The answers with the least time on the way say the most about two clocks (NTP's filter). */
class Offsets {
  n = 0;
  readonly #kept: { readonly slackUs: number; readonly offsetUs: number }[] = [];

  add(slackUs: number, offsetUs: number): void {
    if (!(slackUs >= 0) || Number.isNaN(offsetUs)) return;
    this.n++;
    const kept = this.#kept;
    // Equal ones by their offset: the order of segments never matters.
    const isBefore = (one: { readonly slackUs: number; readonly offsetUs: number }): boolean =>
      slackUs < one.slackUs || (slackUs === one.slackUs && offsetUs < one.offsetUs);
    if (kept.length === KEPT && !isBefore(kept.at(-1)!)) return;
    const place = kept.findIndex(isBefore);
    kept.splice(place < 0 ? kept.length : place, 0, { slackUs, offsetUs });
    if (kept.length > KEPT) kept.pop();
  }

  result(by: ClockOffset["by"]): ClockOffset | null {
    if (this.n === 0) return null;
    const offsets = this.#kept.map(({ offsetUs }) => offsetUs).sort((a, b) => a - b);
    const offsetUs = offsets[Math.floor(offsets.length / 2)]!;
    const withinUs = this.#kept.at(-1)!.slackUs / 2 + HALF_STAMP_US;
    return { offsetUs, withinUs, n: this.n, by };
  }
}

/**
 * An access line says when the front had the request and how long it took, a REPORT line when an
 * invocation was over: each lies between our send and our receipt, as NTP's two stamps do.
 */
export class ClockOffsets {
  readonly #access = new Offsets();
  readonly #reports = new Offsets();

  add(
    { rows, sentUs, doneUs, line, report }: AttemptChunk,
    platform: PlatformIndex,
    epochMs: number,
  ) {
    const { access } = platform;
    for (let row = 0; row < rows; row++) {
      const [sent, done] = [sentUs[row]!, doneUs[row]!];
      if (sent < 0 || done < 0) continue;
      const [front, invocation] = [line?.[row] ?? -1, report?.[row] ?? -1];
      if (front >= 0 && !Number.isNaN(access.latencyMs[front]!)) {
        const insideUs = access.latencyMs[front]! * 1_000;
        const atUs = (access.at[front]! - epochMs) * 1_000 + HALF_STAMP_US;
        this.#access.add(done - sent - insideUs, atUs - (sent + done - insideUs) / 2);
      } else if (invocation >= 0) {
        const init = platform.start[invocation] === COLD ? platform.init[invocation]! : 0;
        const initMs = Number.isNaN(init) ? 0 : init;
        const insideUs = (platform.duration[invocation]! + initMs) * 1_000;
        const atUs = (platform.at[invocation]! - epochMs) * 1_000 + HALF_STAMP_US;
        this.#reports.add(done - sent - insideUs, atUs - (sent + insideUs + done) / 2);
      }
    }
  }

  /** Null where no answer was joined: nothing says what time it was there. */
  result(): ClockOffset | null {
    return this.#access.result("access_log") ?? this.#reports.result("report");
  }
}
