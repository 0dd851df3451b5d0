// Writes text or bytes to a temporary capture file and imports it with a fixed seed.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRng } from "../../src/core/rng.ts";
import { type CaptureInput, type Imported, importCapture } from "../../src/import/capture.ts";

/** `more` overrides the input; the file is gone when the promise settles. */
export async function importText(
  content: string | Uint8Array,
  more: Partial<CaptureInput> = {},
): Promise<Imported> {
  const dir = await mkdtemp(join(tmpdir(), "gatecrash-import-"));
  try {
    const file = join(dir, "capture.log");
    await writeFile(file, content);
    return await importCapture({ file, rng: seededRng(7, "import"), ...more });
  } finally {
    await rm(dir, { recursive: true });
  }
}

/** Skip reasons with their counts, as a plain object. */
export function skippedOf({ fidelity }: Imported): { [reason: string]: number } {
  return Object.fromEntries(fidelity.skipped.map(({ reason, count }) => [reason, count]));
}

/** read = replayable + skipped, and as many records as the table says. */
export function reconciles({ records, fidelity }: Imported): boolean {
  const skipped = fidelity.skipped.reduce((sum, { count }) => sum + count, 0);
  const { read, replayable } = fidelity;
  return read === replayable + skipped && replayable === records.length;
}
