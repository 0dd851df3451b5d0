// Writes canonical NDJSON, one record a line, and moves it into place when it is whole.
import { createWriteStream } from "node:fs";
import { rename } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { CaptureRecord } from "../core/capture.ts";

/** A name that ends in `.gz` is packed. An existing file is replaced, never half of it. */
export async function writeCapture(
  records: Iterable<CaptureRecord>,
  outFile: string,
): Promise<void> {
  const temporary = `${outFile}.part`;
  const lines = Readable.from(batches(records));
  const out = createWriteStream(temporary);
  if (outFile.endsWith(".gz")) await pipeline(lines, createGzip(), out);
  else await pipeline(lines, out);
  await rename(temporary, outFile);
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
