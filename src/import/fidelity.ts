// The fidelity table: what can be replayed, what cannot and why, and how good the times are.
import type { StampMeaning } from "../core/capture.ts";
import { formatNumber } from "../core/format.ts";

/** read = replayable + the sum of skipped, always. */
export interface Fidelity {
  readonly format: string;
  readonly files: readonly string[];
  readonly unit: string;
  readonly read: number;
  readonly replayable: number;
  readonly skipped: readonly SkippedCount[];
  readonly methods: { readonly [method: string]: number };
  readonly timing: Timing;
  readonly bodies: {
    /** Requests whose method carries a body. */
    readonly expected: number;
    /** Of those, the ones whose body the capture does not hold. */
    readonly missing: number;
  };
  /** Records in which a value was replaced, by place. */
  readonly redactions: { readonly [place: string]: number };
  readonly notes: readonly string[];
}

export interface SkippedCount {
  readonly reason: string;
  readonly count: number;
  /** Position of the first one, in the format's unit. */
  readonly first: number;
}

interface Timing {
  readonly meaning: StampMeaning;
  readonly precisionUs: number;
  /** First and last start, µs since 1970; null without records. */
  readonly fromUs: number | null;
  readonly toUs: number | null;
  /** Records whose stamp was earlier than one above them in the file. */
  readonly outOfOrder: number;
  /** Most starts in any 100 ms. */
  readonly peakPer100ms: number;
  /** True when the place within the second is drawn from the seed and not recorded. */
  readonly spread: boolean;
}

/** Plain text, one fact per line. */
export function renderFidelity(fidelity: Fidelity): string {
  const { timing, bodies } = fidelity;
  const skipped = fidelity.skipped.reduce((sum, one) => sum + one.count, 0);
  const row = (name: string, count: number, more = ""): string =>
    `  ${name.padEnd(38)}${formatNumber(count).padStart(11)}${more === "" ? "" : `  ${more}`}`;
  const lines = [
    `fidelity of ${fidelity.files.join(", ")} (format ${fidelity.format})`,
    row(`${fidelity.unit} read`, fidelity.read),
    row("replayable", fidelity.replayable),
    row("skipped", skipped),
    ...fidelity.skipped.map((one) =>
      row(`  ${one.reason}`, one.count, `first at ${formatNumber(one.first)}`),
    ),
    ...Object.entries(fidelity.methods)
      .sort(([, a], [, b]) => b - a)
      .map(([method, count]) => row(`method ${method}`, count)),
    row("bodies missing", bodies.missing, `of ${formatNumber(bodies.expected)} that may have one`),
    ...Object.entries(fidelity.redactions).map(([place, count]) => row(`redacted ${place}`, count)),
    ...timingLines(timing, row),
    ...fidelity.notes.map((note) => `  note: ${note}`),
  ];
  return `${lines.join("\n")}\n`;
}

function timingLines(
  timing: Timing,
  row: (name: string, count: number, more?: string) => string,
): string[] {
  if (timing.fromUs === null || timing.toUs === null) return ["  times: none in this capture"];
  const stamp = (us: number): string => new Date(us / 1_000).toISOString();
  const length = formatNumber((timing.toUs - timing.fromUs) / 1e6, 1);
  return [
    `  from ${stamp(timing.fromUs)} to ${stamp(timing.toUs)}, ${length} s`,
    `  stamps mean the ${timing.meaning} of a request, precise to ${precision(timing.precisionUs)}`,
    row("out of order, sorted", timing.outOfOrder),
    row(
      "peak per 100 ms",
      timing.peakPer100ms,
      timing.spread
        ? "by seeded spreading within the second: not recorded burstiness"
        : "as recorded",
    ),
  ];
}

function precision(us: number): string {
  if (us >= 1_000_000) return `${us / 1_000_000} s`;
  return us >= 1_000 ? `${us / 1_000} ms` : `${us} µs`;
}
