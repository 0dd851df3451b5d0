// NDJSON and CSV as records, from a stream of bytes that may still be written to.
import { CsvParser } from "./csv-parser.ts";

type Bytes = AsyncIterable<Uint8Array>;
type Batches = AsyncIterable<readonly unknown[]>;

/** Throws an Error that names the line. */
export function textRecords(format: "ndjson" | "csv", bytes: Bytes): Batches {
  return format === "csv" ? csvRecords(bytes) : ndjsonRecords(bytes);
}

/** A last line without its newline that is not JSON is still being written, and is left out. */
async function* ndjsonRecords(bytes: Bytes): Batches {
  let rest = "";
  let line = 0;
  for await (const text of decoded(bytes)) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    const batch: unknown[] = [];
    for (const one of lines) {
      line++;
      if (one.trim() !== "") batch.push(parsed(one, line));
    }
    yield batch;
  }
  if (rest.trim() === "") return;
  try {
    yield [JSON.parse(rest)];
  } catch {
    return;
  }
}

function parsed(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`line ${line} is not JSON`); // without the line: what it holds may be secret
  }
}

/** The first row names the fields. */
async function* csvRecords(bytes: Bytes): Batches {
  const parser = new CsvParser();
  let names: readonly string[] | null = null;
  let row = 0;
  const recordsOf = (rows: readonly (readonly string[])[], torn: boolean): unknown[] => {
    const batch: unknown[] = [];
    for (const values of rows) {
      row++;
      if (names === null) names = values;
      else if (values.length === names.length)
        batch.push(Object.fromEntries(names.map((name, i) => [name, values[i]])));
      else if (!torn)
        throw new Error(`row ${row} has ${values.length} fields, the first has ${names.length}`);
    }
    return batch;
  };
  for await (const text of decoded(bytes)) yield recordsOf(parser.push(text), false);
  yield recordsOf(parser.end(), true);
}

async function* decoded(bytes: Bytes): AsyncIterable<string> {
  const decoder = new TextDecoder(); // drops a byte order mark
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
