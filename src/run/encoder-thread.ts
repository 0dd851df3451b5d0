// The thread beside a worker that turns segments into files, so that encoding never delays a send.
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { segmentOver } from "./segment.ts";
import { encodeSegment, warmEncoder } from "./segment-parquet.ts";

export interface EncoderData {
  /** Path and file name up to the sequence number: `<run>/attempts/0-0-`. */
  readonly prefix: string;
}

export type ToEncoder =
  | { readonly kind: "segment"; buffer: ArrayBuffer; rows: number; baseUs: number }
  | { readonly kind: "close" };

export type FromEncoder =
  | { readonly kind: "ready" }
  /** Written and renamed; the buffer comes back for the next segment. */
  | { readonly kind: "written"; buffer: ArrayBuffer; rows: number }
  | { readonly kind: "failed"; message: string }
  | { readonly kind: "closed" };

/** Whole or not at all: written aside, synced, then given its name. */
function writeWhole(path: string, bytes: Uint8Array): void {
  const aside = `${path}.tmp`;
  const file = openSync(aside, "w");
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(aside, path);
}

function serve(port: NonNullable<typeof parentPort>): void {
  const { prefix } = workerData as EncoderData;
  const post = (message: FromEncoder, transfer: ArrayBuffer[] = []) =>
    port.postMessage(message, transfer);
  let sequence = 0;
  port.on("message", (message: ToEncoder) => {
    if (message.kind === "close") {
      post({ kind: "closed" });
      port.close();
      return;
    }
    const { buffer, rows, baseUs } = message;
    try {
      const segment = segmentOver(buffer);
      segment.rows = rows;
      segment.baseUs = baseUs;
      writeWhole(`${prefix}${String(sequence++).padStart(5, "0")}.parquet`, encodeSegment(segment));
      post({ kind: "written", buffer, rows }, [buffer]);
    } catch (thrown) {
      post({ kind: "failed", message: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  });
  warmEncoder();
  post({ kind: "ready" });
}

if (parentPort !== null) serve(parentPort);
