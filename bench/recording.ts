// What recording costs: ns per attempt on the hot path, and a segment's file against the defaults.
import { parquetWriteBuffer } from "hyparquet-writer";
import type { Answer } from "../src/core/arrival.ts";
import { ATTEMPT_INTS, type AttemptSegment, SEGMENT_ROWS } from "../src/core/facts.ts";
import { seededRng } from "../src/core/rng.ts";
import { runUs } from "../src/core/time.ts";
import { SegmentRecorder } from "../src/run/recorder.ts";
import { segmentBytes, segmentOver } from "../src/run/segment.ts";
import { encodeSegment, warmEncoder } from "../src/run/segment-parquet.ts";

const ROUNDS = 9;
const SERVICE_US = 20_000;
const GAP_US = 200;

/** Arrivals at 5,000/s with service times around 20 ms; one in 50 slow, one in 100 throttled. */
function answers(withIds: boolean): Answer[] {
  const rng = seededRng(1);
  return Array.from({ length: SEGMENT_ROWS }, (_, i) => {
    const noise = Math.floor(rng.next() * 2 ** 32);
    const sentUs = i * GAP_US + (noise % 100);
    const firstUs = sentUs + SERVICE_US + (noise % 4_000) + (i % 50 === 0 ? 200_000 : 0);
    const throttled = i % 100 === 7;
    const id = noise.toString(16).padStart(8, "0");
    return {
      outcome: throttled ? "throttled" : "ok",
      refusedBy: throttled ? "gateway" : "",
      reason: "",
      degraded: false,
      status: throttled ? 429 : 200,
      sentUs: runUs(sentUs),
      firstByteUs: runUs(firstUs),
      doneUs: runUs(firstUs + (noise % 60)),
      connectUs: 0,
      tlsUs: 0,
      bytesOut: 180,
      bytesIn: 420,
      newConnection: false,
      requestId: withIds ? `${id}-1111-4222-8333-${id}abcd` : "",
    };
  });
}

function fill(rows: readonly Answer[]): { segment: AttemptSegment; nsPerRow: number } {
  const filled: AttemptSegment[] = [];
  const memory = new ArrayBuffer(segmentBytes(SEGMENT_ROWS));
  const take = () => segmentOver(memory);
  const recorder = new SegmentRecorder(0, { take, give: (segment) => filled.push(segment) });
  const key = { load: 0, arm: 0, route: 1, index: 0, attempt: 1, dueUs: 0, readyUs: 0, askedUs: 0 };
  const start = process.hrtime.bigint();
  for (let i = 0; i < rows.length; i++) {
    key.index = i;
    key.dueUs = i * GAP_US;
    key.readyUs = i * GAP_US;
    key.askedUs = key.readyUs;
    recorder.attempt(key, rows[i]!);
  }
  const ns = Number(process.hrtime.bigint() - start);
  recorder.flush();
  return { segment: filled[0]!, nsPerRow: ns / rows.length };
}

/** What the same facts cost when they are written as they come: four INT64 times, statistics on. */
function encodeByDefault(segment: AttemptSegment): Uint8Array {
  const times = ["due_d", "sent_d", "first_d", "done_d"] as const;
  const wide = times.map((name) => ({
    name,
    data: BigInt64Array.from(segment.ints[name], (us) => BigInt(segment.baseUs + us)),
    type: "INT64" as const,
  }));
  const rest = ATTEMPT_INTS.filter((name) => !(times as readonly string[]).includes(name));
  const narrow = rest.map((name) => ({ name, data: segment.ints[name], type: "INT32" as const }));
  return new Uint8Array(parquetWriteBuffer({ columnData: [...wide, ...narrow] }));
}

function medianMs(work: () => Uint8Array): { ms: number; bytes: number } {
  let bytes = 0;
  const rounds = Array.from({ length: ROUNDS }, () => {
    const start = process.hrtime.bigint();
    bytes = work().length;
    return Number(process.hrtime.bigint() - start) / 1e6;
  });
  return { ms: rounds.sort((a, b) => a - b)[ROUNDS >> 1]!, bytes };
}

/** Prints one line per measure; medians of nine rounds. */
export async function benchRecording(): Promise<void> {
  warmEncoder();
  for (const withIds of [false, true]) {
    const rows = answers(withIds);
    const costs = Array.from({ length: ROUNDS }, () => fill(rows).nsPerRow).sort((a, b) => a - b);
    const { segment } = fill(rows);
    const ids = withIds ? "with request ids" : "without ids";
    console.log(`append, ${ids}: ${costs[ROUNDS >> 1]!.toFixed(0)} ns per attempt`);
    print(
      `segment of ${SEGMENT_ROWS} rows, ${ids}`,
      medianMs(() => encodeSegment(segment)),
    );
    if (!withIds)
      print(
        "the same, writer's defaults",
        medianMs(() => encodeByDefault(segment)),
      );
  }
}

function print(what: string, { ms, bytes }: { ms: number; bytes: number }): void {
  console.log(`${what}: ${ms.toFixed(1)} ms, ${(bytes / SEGMENT_ROWS).toFixed(1)} bytes per row`);
}
