// Reads segments as any stranger would, by column name; the product's own reader is report/'s.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { OUTCOMES, type Outcome, REASONS, type Reason } from "../../src/core/outcome.ts";

export interface ReadAttempt {
  readonly load: number;
  readonly route: number;
  readonly index: number;
  readonly attempt: number;
  readonly worker: number;
  readonly status: number;
  readonly outcome: Outcome;
  readonly reason: Reason;
  readonly dueUs: number;
  readonly readyUs: number;
  readonly sentUs: number;
  readonly firstUs: number;
  readonly doneUs: number;
  /** Hex, or null. */
  readonly requestId: string | null;
}

type Row = { readonly [column: string]: number | bigint | Uint8Array | null };

export async function readSegment(bytes: Uint8Array): Promise<ReadAttempt[]> {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const rows = await parquetReadObjects({ file: file as ArrayBuffer });
  return (rows as Row[]).map(attemptOf);
}

/** All segments of a run directory, ordered by load, index, attempt. */
export async function readAttempts(runDir: string): Promise<ReadAttempt[]> {
  const dir = join(runDir, "attempts");
  const files = readdirSync(dir).filter((name) => name.endsWith(".parquet"));
  const parts = await Promise.all(files.map((name) => readSegment(readFileSync(join(dir, name)))));
  return parts.flat().sort((a, b) => a.load - b.load || a.index - b.index || a.attempt - b.attempt);
}

function attemptOf(row: Row): ReadAttempt {
  const n = (name: string): number => Number(row[name]);
  const after = (us: number, name: string) => (n(name) === -1 ? -1 : us + n(name));
  const dueUs = n("base") + n("due_d");
  const readyUs = dueUs + n("ready_d");
  const sentUs = after(readyUs, "sent_d");
  const firstUs = after(sentUs, "first_d");
  const id = row.request_id;
  return {
    load: n("load"),
    route: n("route"),
    index: n("index"),
    attempt: n("attempt"),
    worker: n("worker"),
    status: n("status"),
    outcome: OUTCOMES[n("outcome")]!,
    reason: REASONS[n("error")]!,
    dueUs,
    readyUs,
    sentUs,
    firstUs,
    doneUs: after(firstUs === -1 ? sentUs : firstUs, "done_d"),
    requestId: id instanceof Uint8Array ? Buffer.from(id).toString("hex") : null,
  };
}
