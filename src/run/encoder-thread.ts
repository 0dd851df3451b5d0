// The thread beside a worker that turns segments into files, so that encoding never delays a send.
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { devNull } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { encodeItems } from "./item-parquet.ts";
import { itemSegmentOver } from "./item-segment.ts";
import { segmentOver } from "./segment.ts";
import { encodeSegment, warmEncoder } from "./segment-parquet.ts";

/** The tables of facts that are written in segments. */
export type Table = "attempts" | "items";

export interface EncoderData {
  readonly table: Table;
  /** Path and file name up to the sequence number: `<run>/attempts/0-0-`. */
  readonly prefix: string;
}

export type ToEncoder =
  /** `baseUs` is the attempts' only. */
  | { readonly kind: "segment"; buffer: ArrayBuffer; rows: number; baseUs: number }
  | { readonly kind: "close" };

export type FromEncoder =
  | { readonly kind: "ready" }
  /** Written and renamed; the buffer comes back for the next segment. */
  | { readonly kind: "written"; buffer: ArrayBuffer; rows: number }
  | { readonly kind: "failed"; message: string }
  | { readonly kind: "closed" };

/** A load that uses up the file handles shall not take the one that its facts need. */
class SpareHandle {
  #spare: number | null = null;

  /** Best effort, and again after each file: there may be none left just now. */
  keep(): void {
    try {
      this.#spare ??= openSync(devNull, "r");
    } catch {
      // The next file is then opened like any other.
    }
  }

  /** Opens a file with the handle that was kept; sockets may be quicker, but not for ever. */
  open(path: string): number {
    for (let tries = 1; ; tries++) {
      this.release();
      try {
        return openSync(path, "w");
      } catch (error) {
        const { code = "" } = error as NodeJS.ErrnoException;
        if (!["EMFILE", "ENFILE"].includes(code) || tries >= OPEN_TRIES) throw error;
        Atomics.wait(NOBODY, 0, 0, OPEN_AGAIN_MS);
      }
    }
  }

  release(): void {
    if (this.#spare !== null) closeSync(this.#spare);
    this.#spare = null;
  }
}

/** 30 s in all: longer than the connections of a load that is over stay open. */
const OPEN_TRIES = 6_000;
const OPEN_AGAIN_MS = 5;
const NOBODY = new Int32Array(new SharedArrayBuffer(4));

/** Whole or not at all: written aside, synced, then given its name. */
function writeWhole(path: string, bytes: Uint8Array, spare: SpareHandle): void {
  const aside = `${path}.tmp`;
  const file = spare.open(aside);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
    spare.keep();
  }
  renameSync(aside, path);
}

const ENCODE: { readonly [table in Table]: (given: Given) => Uint8Array } = {
  attempts: ({ buffer, rows, baseUs }) =>
    encodeSegment(Object.assign(segmentOver(buffer), { rows, baseUs })),
  items: ({ buffer, rows }) => encodeItems(Object.assign(itemSegmentOver(buffer), { rows })),
};
type Given = Pick<Extract<ToEncoder, { kind: "segment" }>, "buffer" | "rows" | "baseUs">;

function serve(port: NonNullable<typeof parentPort>): void {
  const { prefix, table } = workerData as EncoderData;
  const post = (message: FromEncoder, transfer: ArrayBuffer[] = []) =>
    port.postMessage(message, transfer);
  const spare = new SpareHandle();
  let sequence = 0;
  port.on("message", (message: ToEncoder) => {
    if (message.kind === "close") {
      spare.release();
      post({ kind: "closed" });
      port.close();
      return;
    }
    const { buffer, rows } = message;
    try {
      const path = `${prefix}${String(sequence++).padStart(5, "0")}.parquet`;
      writeWhole(path, ENCODE[table](message), spare);
      post({ kind: "written", buffer, rows }, [buffer]);
    } catch (thrown) {
      post({ kind: "failed", message: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  });
  spare.keep();
  if (table === "attempts") warmEncoder();
  post({ kind: "ready" });
}

if (parentPort !== null) serve(parentPort);
