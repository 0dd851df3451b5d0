// Writes canonical NDJSON, one record a line, and moves it into place when it is whole.
import { createWriteStream, statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { CaptureRecord } from "../core/capture.ts";
import { GatecrashError, messageOf } from "../core/error.ts";

/**
 * A name that ends in `.gz` is packed. An existing file is replaced, never half of it.
 * @throws GatecrashError `input` when it cannot be written.
 */
export async function writeCapture(
  records: Iterable<CaptureRecord>,
  outFile: string,
): Promise<void> {
  // A device or a pipe is written to, not replaced.
  const there = statSync(outFile, { throwIfNoEntry: false });
  const isFile = there === undefined || there.isFile();
  const temporary = isFile ? `${outFile}.part` : outFile;
  const lines = Readable.from(batches(records));
  try {
    const out = createWriteStream(temporary);
    if (outFile.endsWith(".gz")) await pipeline(lines, createGzip(), out);
    else await pipeline(lines, out);
    if (isFile) await rename(temporary, outFile);
  } catch (cause) {
    // It may be the folder that is missing.
    if (isFile) await rm(temporary, { force: true }).catch(() => {});
    throw new GatecrashError("input", `cannot be written: ${messageOf(cause)}`, {
      hint: "--out names a file in a folder that exists and may be written to",
      place: { file: outFile },
      cause,
    });
  }
}

function* batches(records: Iterable<CaptureRecord>): Generator<string, void, undefined> {
  let batch = "";
  for (const one of records) {
    batch += `${JSON.stringify(one)}\n`;
    if (batch.length > 262_144) {
      yield batch;
      batch = "";
    }
  }
  if (batch !== "") yield batch;
}
