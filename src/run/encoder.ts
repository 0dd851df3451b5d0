// A worker's side of its encoder thread: gives segments away, takes their memory back.
import { Worker } from "node:worker_threads";
import { builtFile } from "../core/built-file.ts";
import { GatecrashError } from "../core/error.ts";
import type { AttemptSegment } from "../core/facts.ts";
import { SEGMENT_ROWS } from "../core/facts.ts";
import type { EncoderData, FromEncoder, ToEncoder } from "./encoder-thread.ts";
import type { SegmentSource } from "./recorder.ts";
import { segmentBytes, segmentOver } from "./segment.ts";

export interface Encoder extends SegmentSource {
  /** Segments given and not yet on disk. */
  readonly pending: number;
  /** Rows given so far. */
  readonly rows: number;
  /** Waits until everything given is on disk; rejects if anything could not be written. */
  close(): Promise<void>;
}

/** More memory than this is not kept for reuse. */
const POOL_MAX = 4;

/**
 * Starts the thread and waits until it is warm. `prefix` is the path up to the sequence number.
 * `failed` is told at once when a segment cannot be written (full disk): the facts are lost then.
 */
export async function startEncoder(
  prefix: string,
  failed: (error: GatecrashError) => void,
): Promise<Encoder> {
  const data: EncoderData = { prefix };
  const thread = new Worker(builtFile("./encoder-thread.js", import.meta.url), {
    workerData: data,
    name: "encoder",
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
      thread.on("message", (message: FromEncoder) => {
        if (message.kind === kind) resolve();
      });
      thread.once("exit", () => reject(failure ?? new Error("the encoder thread ended early")));
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
    take: () => segmentOver(pool.pop() ?? new ArrayBuffer(segmentBytes(SEGMENT_ROWS))),
    give(segment: AttemptSegment): void {
      pending++;
      rows += segment.rows;
      const buffer = segment.requestIds.buffer as ArrayBuffer;
      post({ kind: "segment", buffer, rows: segment.rows, baseUs: segment.baseUs }, [buffer]);
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
