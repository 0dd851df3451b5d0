// What the plan keeps of a replay's capture: which requests they were, and how good they are.
import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { CaptureRecord, PlannedCapture } from "../core/capture.ts";
import type { Fidelity } from "../import/fidelity.ts";

/** Files by their names alone: where they lie is nobody's business. */
export function plannedCapture(
  { files, timing, bodies, skipped, ...fidelity }: Fidelity,
  records: readonly CaptureRecord[],
): PlannedCapture {
  return {
    files: files.map((file) => basename(file)),
    format: fidelity.format,
    unit: fidelity.unit,
    sha256: digestOf(records),
    read: fidelity.read,
    replayable: fidelity.replayable,
    unreadable: skipped.map(({ reason, count }) => ({ reason, count })),
    methods: fidelity.methods,
    stamps: timing.meaning,
    precision_us: timing.precisionUs,
    from_ms: timing.fromUs === null ? null : timing.fromUs / 1_000,
    to_ms: timing.toUs === null ? null : timing.toUs / 1_000,
    out_of_order: timing.outOfOrder,
    spread: timing.spread,
    bodies_expected: bodies.expected,
    bodies_missing: bodies.missing,
    with_status: records.filter(({ recorded }) => recorded?.status != null).length,
    with_time: records.filter(({ recorded }) => recorded?.latency_us != null).length,
    redactions: fidelity.redactions,
    notes: fidelity.notes,
  };
}

/** Of time, method and path of each record in order: the same requests give the same text. */
function digestOf(records: readonly CaptureRecord[]): string {
  const hash = createHash("sha256");
  for (const { t_start_us, method, path } of records)
    hash.update(`${t_start_us} ${method} ${path}\n`);
  return hash.digest("hex");
}
