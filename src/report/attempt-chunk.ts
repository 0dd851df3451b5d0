// The attempts of one segment with their times put together again from the stored differences.

import { versionOfNumber } from "../core/version-name.ts";
import type { ParquetColumns } from "./parquet-columns.ts";
import type { PlatformIndex } from "./platform-index.ts";

/** Columns by row; times are µs of the run, −1 = never. */
export interface AttemptChunk {
  readonly rows: number;
  readonly load: Int32Array;
  readonly arm: Int32Array;
  readonly route: Int32Array;
  /** 1 = first send, 0 = dropped. */
  readonly attempt: Int32Array;
  readonly outcome: Int32Array;
  readonly refusedBy: Int32Array;
  readonly reason: Int32Array;
  readonly dueUs: Float64Array;
  readonly sentUs: Float64Array;
  readonly doneUs: Float64Array;
  /** sent − ready; our own lateness. */
  readonly lagUs: Int32Array;
  /**
   * REPORT row (or FRONT_ALONE, or `saidBy`) and access line, −1 = none; null when the run has no
   * platform lines, `report` only if no answer named its version either.
   */
  readonly report: Int32Array | null;
  readonly line: Int32Array | null;
}

/** Puts the chained differences of core/facts together; joins request ids where there are lines. */
export function attemptChunk(
  rows: ParquetColumns,
  platform: PlatformIndex | null,
  hasLines = platform !== null,
): AttemptChunk {
  const n = rows.rows;
  const baseUs = n === 0 ? 0 : Number(rows.values("base")[0]);
  const dueD = rows.ints("due_d");
  const readyD = rows.ints("ready_d");
  const sentD = rows.ints("sent_d");
  const firstD = rows.ints("first_d");
  const doneD = rows.ints("done_d");
  const dueUs = new Float64Array(n);
  const sentUs = new Float64Array(n);
  const doneUs = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const due = baseUs + dueD[i]!;
    const sent = sentD[i]! < 0 ? -1 : due + Math.max(0, readyD[i]!) + sentD[i]!;
    dueUs[i] = due;
    sentUs[i] = sent;
    doneUs[i] = sent < 0 || doneD[i]! < 0 ? -1 : sent + Math.max(0, firstD[i]!) + doneD[i]!;
  }
  return {
    rows: n,
    load: rows.ints("load"),
    arm: rows.ints("arm"),
    route: rows.ints("route"),
    attempt: rows.ints("attempt"),
    outcome: Int32Array.from(rows.ints("outcome")),
    refusedBy: Int32Array.from(rows.ints("refused_by")),
    reason: Int32Array.from(rows.ints("error")),
    dueUs,
    sentUs,
    doneUs,
    lagUs: sentD,
    ...joined(rows, platform, hasLines),
  };
}

function joined(
  rows: ParquetColumns,
  platform: PlatformIndex | null,
  hasLines: boolean,
): Pick<AttemptChunk, "report" | "line"> {
  const said = rows.has("version") ? rows.ints("version") : null;
  const names = said?.some((version) => version >= 0) === true;
  if (platform === null || !(hasLines || names)) return { report: null, line: null };
  const report = new Int32Array(rows.rows).fill(-1);
  const line = hasLines ? joinedByLines(rows, platform, report) : null;
  if (names)
    for (let row = 0; row < rows.rows; row++)
      if (report[row] === -1 && said![row]! >= 0)
        report[row] = platform.saidBy(versionOfNumber(said![row]!));
  return { report, line };
}

/** Fills `report`; the access lines. */
function joinedByLines(
  rows: ParquetColumns,
  platform: PlatformIndex,
  report: Int32Array,
): Int32Array {
  const ids = rows.values("request_id");
  const line = new Int32Array(rows.rows).fill(-1);
  for (let row = 0; row < rows.rows; row++) {
    const id = ids[row];
    if (!(id instanceof Uint8Array) || id.length !== 16) continue;
    report[row] = platform.join(id);
    line[row] = platform.lineOf(id);
  }
  return line;
}
