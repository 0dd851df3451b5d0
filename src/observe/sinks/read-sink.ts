// Reads everything a sink holds, row by row, whatever kind it is. A new kind is one line here.
import type { SinkSpec } from "../../core/scenario.ts";
import { commandRecords } from "./command-sink.ts";
import { dynamodbRecords } from "./dynamodb-sink.ts";
import { fileRecords } from "./file-sink.ts";
import { httpRecords } from "./http-sink.ts";
import { objectRecords } from "./object-sink.ts";
import {
  type ReadRecords,
  rowReader,
  type SinkPorts,
  type SinkRow,
  unreadable,
} from "./sink-row.ts";

const READERS: { readonly [kind: string]: ReadRecords } = {
  command: commandRecords,
  dynamodb: dynamodbRecords,
  file: fileRecords,
  http: httpRecords,
  objects: objectRecords,
};

/**
 * All rows of a sink, in batches. Rows without an id are other people's and are left out; if there
 * are rows and none has an id, the field's name is wrong.
 * Throws GatecrashError: `input` (cannot be read), `refused` (a command without --allow-exec).
 */
export async function* readSink(
  spec: SinkSpec,
  ports: SinkPorts,
  signal: AbortSignal,
): AsyncIterable<readonly SinkRow[]> {
  const read = READERS[spec.kind];
  if (read === undefined) throw unreadable(spec, `a sink of kind ${spec.kind} cannot be read`);
  const rowOf = rowReader(spec);
  let records = 0;
  let rows = 0;
  for await (const batch of read(spec, ports, signal)) {
    signal.throwIfAborted();
    const found = batch.map(rowOf).filter((row) => row !== null);
    records += batch.length;
    rows += found.length;
    if (found.length > 0) yield found;
  }
  // A table of cells may hold other things before the first one is there.
  if (records > 0 && rows === 0 && spec.id !== null)
    throw unreadable(spec, `none of ${records} rows has a field ${spec.id}`, "correct `id:`");
}
