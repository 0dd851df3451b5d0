// A sink in files: NDJSON, CSV or Parquet, gzip or not, one file or all that match a name.
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { createGunzip } from "node:zlib";
import { messageOf } from "../../core/error.ts";
import type { SinkSpec } from "../../core/scenario.ts";
import { parquetRecords } from "./parquet-records.ts";
import { fieldsOf, type ReadRecords, textInput, unreadable } from "./sink-row.ts";
import { textRecords } from "./text-records.ts";

type Format = "ndjson" | "csv" | "parquet";

const ENDINGS: { readonly [ending: string]: Format } = {
  csv: "csv",
  json: "ndjson",
  jsonl: "ndjson",
  ndjson: "ndjson",
  parquet: "parquet",
};

/** A named file must be there; a pattern may match none, in a folder that is there. */
export const fileRecords: ReadRecords = async function* (spec, { dir }, signal) {
  for (const file of await filesOf(spec, resolve(dir, textInput(spec, "path")))) {
    const format = formatOf(spec, file);
    try {
      if (format === "parquet") yield* parquetRecords(file, fieldsOf(spec));
      else yield* textRecords(format, bytesOf(file, signal));
    } catch (cause) {
      signal.throwIfAborted();
      throw unreadable(spec, `${basename(file)}: ${messageOf(cause)}`);
    }
  }
};

async function filesOf(spec: SinkSpec, path: string): Promise<string[]> {
  const name = basename(path);
  if (!name.includes("*")) return [path];
  const parts = name.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`^${parts.join(".*")}$`);
  try {
    const names = await readdir(dirname(path));
    const found = names.filter((one) => pattern.test(one) && !one.startsWith("."));
    return found.sort().map((one) => join(dirname(path), one));
  } catch (cause) {
    throw unreadable(spec, messageOf(cause));
  }
}

function formatOf(spec: SinkSpec, file: string): Format {
  const given = textInput(spec, "format");
  const ending = given === "" ? /\.([a-z]+)(\.gz)?$/.exec(file)?.[1] : given;
  const format = ENDINGS[ending ?? ""];
  if (format !== undefined) return format;
  throw unreadable(spec, `${basename(file)} is of no known format`, "give `format:`");
}

async function* bytesOf(file: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const bytes = createReadStream(file, { signal, highWaterMark: 1 << 18 });
  if (!file.endsWith(".gz")) {
    yield* bytes;
    return;
  }
  const plain = createGunzip();
  bytes.on("error", (error) => plain.destroy(error));
  yield* bytes.pipe(plain);
}
