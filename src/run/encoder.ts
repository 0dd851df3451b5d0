// A worker's side of its encoder threads: gives segments away, takes their memory back.
import { Worker } from "node:worker_threads";
import { builtFile } from "../core/built-file.ts";
import { GatecrashError } from "../core/error.ts";
import type { AttemptSegment } from "../core/facts.ts";
import { SEGMENT_ROWS } from "../core/facts.ts";
import type { ItemSegment } from "../core/item-facts.ts";
import type { EncoderData, FromEncoder, Table, ToEncoder } from "./encoder-thread.ts";
import { itemSegmentBytes, itemSegmentOver } from "./item-segment.ts";
import { segmentBytes, segmentOver } from "./segment.ts";

/** `S` is the segment of one table. */
export interface Encoder<S = AttemptSegment> {
  /** An empty segment, from the pool of used ones if there is one. */
  take(): S;
  /** A filled segment; it is not touched again. */
  give(segment: S): void;
  /** Segments given and not yet on disk. */
  readonly pending: number;
  /** Rows given so far. */
  readonly rows: number;
  /** Waits until everything given is on disk; rejects if anything could not be written. */
  close(): Promise<void>;
}

/** Told at once when a segment cannot be written (full disk): the facts are lost then. */
type Failed = (error: GatecrashError) => void;

/** More memory than this is not kept for reuse. */
const POOL_MAX = 4;

/** Starts the thread and waits until it is warm. `prefix` is the path up to the sequence number. */
export function startEncoder(prefix: string, failed: Failed): Promise<Encoder> {
  return start<AttemptSegment>({ table: "attempts", prefix }, failed, {
    fresh: () => new ArrayBuffer(segmentBytes(SEGMENT_ROWS)),
    over: (buffer) => segmentOver(buffer),
    parts: (segment) => ({ buffer: segment.requestIds.buffer, baseUs: segment.baseUs }),
  });
}

/** The same for the items of batch targets. */
export function startItemEncoder(prefix: string, failed: Failed): Promise<Encoder<ItemSegment>> {
  return start<ItemSegment>({ table: "items", prefix }, failed, {
    fresh: () => new ArrayBuffer(itemSegmentBytes(SEGMENT_ROWS)),
    over: (buffer) => itemSegmentOver(buffer),
    parts: (segment) => ({ buffer: segment.sequences.buffer, baseUs: 0 }),
  });
}

/** How a table's segments lie in memory. */
interface Layout<S> {
  fresh(): ArrayBuffer;
  over(buffer: ArrayBuffer): S;
  parts(segment: S): { readonly buffer: ArrayBufferLike; readonly baseUs: number };
}

async function start<S extends { rows: number }>(
  data: EncoderData,
  failed: Failed,
  layout: Layout<S>,
): Promise<Encoder<S>> {
  const thread = new Worker(builtFile("./encoder-thread.js", import.meta.url), {
    workerData: data,
    name: `encoder of ${data.table satisfies Table}`,
  });
  const pool: ArrayBuffer[] = [];
  let pending = 0;
  let rows = 0;
  let failure: GatecrashError | undefined;
  const fail = (message: string): void => {
    failure ??= new GatecrashError("facts", `a segment of the facts was not written: ${message}`, {
      hint: "The run's facts are incomplete; look at the disk and run again.",
    });
    failed(failure);
  };
  const until = (kind: FromEncoder["kind"]): Promise<void> =>
    new Promise((resolve, reject) => {
      const early = (): void => reject(failure ?? new Error("the encoder thread ended early"));
      if (thread.threadId < 0) return early(); // no exit is to come any more
      thread.on("message", (message: FromEncoder) => {
        if (message.kind === kind) resolve();
      });
      thread.once("exit", early);
    });
  thread.on("error", (error) => fail(error.message));
  thread.on("message", (message: FromEncoder) => {
    if (message.kind === "failed") fail(message.message);
    if (message.kind !== "written" && message.kind !== "failed") return;
    pending--;
    if (message.kind === "written" && pool.length < POOL_MAX) pool.push(message.buffer);
  });
  const post = (message: ToEncoder, transfer: ArrayBuffer[] = []): void =>
    thread.postMessage(message, transfer);
  await until("ready");

  return {
    get pending() {
      return pending;
    },
    get rows() {
      return rows;
    },
    take: () => layout.over(pool.pop() ?? layout.fresh()),
    give(segment: S): void {
      pending++;
      rows += segment.rows;
      const parts = layout.parts(segment);
      const buffer = parts.buffer as ArrayBuffer;
      post({ kind: "segment", buffer, rows: segment.rows, baseUs: parts.baseUs }, [buffer]);
    },
    async close(): Promise<void> {
      const closed = until("closed");
      post({ kind: "close" });
      await closed;
      await thread.terminate();
      if (failure !== undefined) throw failure;
    },
  };
}
