// Which part of a capture is wanted: between two moments, or its busiest stretch.
import type { CaptureRecord } from "../core/capture.ts";
import { GatecrashError } from "../core/error.ts";
import { parseIsoUs } from "./stamps.ts";

/** Half-open [fromUs, toUs), µs since 1970. */
export interface Between {
  readonly fromUs: number;
  readonly toUs: number;
}

/**
 * `2026-09-01T10:00:00Z..2026-09-01T10:30:00Z`; either side may be left out.
 * @throws GatecrashError `usage`
 */
export function parseBetween(text: string): Between {
  const parts = text.split("..");
  const [from = "", to = ""] = parts;
  const fromUs = from === "" ? 0 : parseIsoUs(from);
  const toUs = to === "" ? Number.MAX_SAFE_INTEGER : parseIsoUs(to);
  if (parts.length !== 2 || fromUs === null || toUs === null || toUs <= fromUs)
    throw new GatecrashError("usage", `--between ${text}: not two moments in order`, {
      hint: "write it as 2026-09-01T10:00:00Z..2026-09-01T10:30:00Z",
    });
  return { fromUs, toUs };
}

const UNIT_US: { readonly [unit: string]: number } = {
  ms: 1_000,
  s: 1_000_000,
  m: 60_000_000,
  h: 3_600_000_000,
};

/**
 * `busiest:30m` → its length in µs.
 * @throws GatecrashError `usage`
 */
export function parseWindow(text: string): number {
  const parts = /^busiest:(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text);
  const us = Number(parts?.[1] ?? 0) * (UNIT_US[parts?.[2] ?? ""] ?? 0);
  if (!(us > 0))
    throw new GatecrashError("usage", `--window ${text}: not a window`, {
      hint: "write it as busiest:30m",
    });
  return Math.round(us);
}

/** The records of an ordered list that start in [fromUs, toUs). */
export function within(records: readonly CaptureRecord[], between: Between): CaptureRecord[] {
  return records.filter((one) => one.t_start_us >= between.fromUs && one.t_start_us < between.toUs);
}
