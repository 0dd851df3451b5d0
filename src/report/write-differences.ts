// Writes every difference of a report to the run directory: derived, may be deleted and made again.
import { createWriteStream } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { cellJson, differenceJson } from "./reconcile-json.ts";
import type { SinkResult } from "./reconcile-result.ts";

/**
 * Events first, then cells, in `effects/<sink>/differences.ndjson` for every sink that was read;
 * empty when all is well.
 */
export async function writeDifferences(dir: string, sinks: readonly SinkResult[]): Promise<void> {
  for (const sink of sinks) {
    if (!sink.read) continue;
    const folder = join(dir, "effects", sink.name);
    await mkdir(folder, { recursive: true });
    const file = join(folder, "differences.ndjson");
    const lines = async function* (): AsyncIterable<string> {
      for await (const one of sink.differences()) yield `${JSON.stringify(differenceJson(one))}\n`;
      for (const cell of sink.cells.differing) yield `${JSON.stringify(cellJson(cell))}\n`;
    };
    await pipeline(Readable.from(lines()), createWriteStream(`${file}.part`));
    await rename(`${file}.part`, file);
  }
}
