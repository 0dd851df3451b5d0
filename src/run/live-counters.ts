// Live counters in shared memory: one worker writes, the main thread reads, nobody sends a message.
import type { Answer } from "../core/arrival.ts";
import { EDGES, type Outcome } from "../core/outcome.ts";
import { BUCKETS, bucketOf } from "./log-linear.ts";

/** Counters of one load and route. Each arrival is in exactly one of sent and dropped. */
const COUNTS = [
  "sent",
  "dropped",
  "ok",
  "throttled",
  "errored",
  "unknown",
  "degraded",
  "attempts",
  "ended", // attempts that came back
  "refused", // of these: throttled
  "turned_away", // of these: by an edge, before the system
  "in_flight",
  "connect_failures",
  "given_up", // resends not sent because the load was at its in-flight limit
] as const;
type Count = (typeof COUNTS)[number];
type Counts = { [name in Count]: number };

/** What a worker says about itself, refreshed by its own sampler. */
const SELF = ["loop_us", "cpu_permille", "rows", "encoder_pending", "own_failures"] as const;

/** Number of routes of each load, by load code. */
export type LiveShape = readonly number[];

const CELL = COUNTS.length + 2 * BUCKETS;

/** Shared memory for one worker; its first int is the stop flag. */
export function liveBuffer(shape: LiveShape): SharedArrayBuffer {
  const cells = shape.reduce((sum, routes) => sum + routes, 0);
  return new SharedArrayBuffer(4 * (1 + SELF.length + cells * CELL));
}

/** A view per load and route; in the order of the plan. */
function cellsOf(shape: LiveShape, buffer: SharedArrayBuffer): Int32Array[][] {
  let at = 1 + SELF.length;
  return shape.map((routes) =>
    Array.from({ length: routes }, () => {
      const cell = new Int32Array(buffer, at * 4, CELL);
      at += CELL;
      return cell;
    }),
  );
}

const at = (name: Count): number => COUNTS.indexOf(name);
const [SENT, DROPPED, DEGRADED] = [at("sent"), at("dropped"), at("degraded")];
const [ATTEMPTS, IN_FLIGHT] = [at("attempts"), at("in_flight")];
const [ENDED, REFUSED, TURNED_AWAY] = [at("ended"), at("refused"), at("turned_away")];
const [CONNECT_FAILURES, GIVEN_UP] = [at("connect_failures"), at("given_up")];
const OF_OUTCOME: { readonly [name in Outcome]: number } = {
  ok: at("ok"),
  throttled: at("throttled"),
  errored: at("errored"),
  unknown: at("unknown"),
  dropped: DROPPED,
};
const RESPONSE = COUNTS.length;
const LAG = COUNTS.length + BUCKETS;

type Ended = Pick<Answer, "outcome" | "refusedBy" | "reason">;

/** The counters of one load in one worker; every method is a few stores. */
export class LoadCounters {
  readonly #cells: readonly Int32Array[];

  constructor(cells: readonly Int32Array[]) {
    this.#cells = cells;
  }

  /** An attempt was handed to the target, `lagUs` after it was ready. */
  began(route: number, first: boolean, lagUs: number): void {
    const cell = this.#cells[route]!;
    if (first) cell[SENT]!++;
    cell[ATTEMPTS]!++;
    cell[IN_FLIGHT]!++;
    cell[LAG + bucketOf(lagUs)]!++;
  }

  /** An attempt came back (or was given up as unfinished). */
  ended(route: number, { outcome, refusedBy, reason }: Ended): void {
    const cell = this.#cells[route]!;
    cell[IN_FLIGHT]!--;
    cell[ENDED]!++;
    if (outcome === "throttled") cell[REFUSED]!++;
    if (refusedBy !== "" && EDGES.includes(refusedBy)) cell[TURNED_AWAY]!++;
    if (reason === "connect") cell[CONNECT_FAILURES]!++;
  }

  dropped(route: number): void {
    this.#cells[route]![DROPPED]!++;
  }

  givenUp(route: number): void {
    this.#cells[route]![GIVEN_UP]!++;
  }

  /** An arrival's last attempt is over. Response time counts for ok, and as endless for unknown. */
  settled(route: number, outcome: Outcome, degraded: boolean, responseUs: number): void {
    const cell = this.#cells[route]!;
    cell[OF_OUTCOME[outcome]]!++;
    if (degraded) cell[DEGRADED]!++;
    if (outcome === "ok") cell[RESPONSE + bucketOf(responseUs)]!++;
    else if (outcome === "unknown") cell[RESPONSE + BUCKETS - 1]!++;
  }
}

export function loadCounters(shape: LiveShape, buffer: SharedArrayBuffer): LoadCounters[] {
  return cellsOf(shape, buffer).map((cells) => new LoadCounters(cells));
}

/** What a worker's sampler refreshes. */
export interface WorkerSelf {
  /** Longest delay of the event loop since the last sample. */
  readonly loopUs: number;
  /** Share of the time that the event loop was busy, 0–1: an upper bound of its CPU. */
  readonly cpu: number;
  readonly rows: number;
  readonly encoderPending: number;
  /** `Target.ownFailures` of all its loads, since the start. */
  readonly ownFailures: number;
}

export function writeSelf(buffer: SharedArrayBuffer, self: WorkerSelf): void {
  const ints = new Int32Array(buffer, 4, SELF.length);
  ints[0] = Math.min(self.loopUs, 0x7fff_ffff);
  ints[1] = Math.round(self.cpu * 1_000);
  ints[2] = self.rows;
  ints[3] = self.encoderPending;
  ints[4] = self.ownFailures;
}

export function readSelf(buffer: SharedArrayBuffer): WorkerSelf {
  const ints = new Int32Array(buffer, 4);
  const [loopUs = 0, permille = 0, rows = 0, encoderPending = 0, ownFailures = 0] = ints;
  return { loopUs, cpu: permille / 1_000, rows, encoderPending, ownFailures };
}

/** Tells a worker to stop; it looks at every wake-up. */
export function setStop(buffer: SharedArrayBuffer): void {
  Atomics.store(new Int32Array(buffer, 0, 1), 0, 1);
}

/** A cheap look at the stop flag. */
export function stopFlag(buffer: SharedArrayBuffer): () => boolean {
  const flag = new Int32Array(buffer, 0, 1);
  return () => Atomics.load(flag, 0) !== 0;
}

/** Counters of one load and route, summed over workers since the start. */
export interface LiveCell extends Counts {
  readonly response: Int32Array;
  readonly lag: Int32Array;
}

/** All counters at one moment: `loads[load][route]`. */
export interface LiveSample {
  readonly atUs: number;
  readonly loads: readonly (readonly LiveCell[])[];
}

export function readLive(
  shape: LiveShape,
  buffers: readonly SharedArrayBuffer[],
  atUs: number,
): LiveSample {
  const workers = buffers.map((buffer) => cellsOf(shape, buffer));
  const loads = shape.map((routes, load) =>
    Array.from({ length: routes }, (_, route) => {
      const sum = new Int32Array(CELL);
      for (const cells of workers) {
        const cell = cells[load]![route]!;
        for (let i = 0; i < CELL; i++) sum[i]! += cell[i]!;
      }
      const counts = Object.fromEntries(COUNTS.map((name, i) => [name, sum[i]!])) as Counts;
      const response = sum.subarray(RESPONSE, LAG);
      return { ...counts, response, lag: sum.subarray(LAG) };
    }),
  );
  return { atUs, loads };
}

/** What `cells` counted together since `before` (the same, earlier); gauges stay as they are. */
export function sumSince(cells: readonly LiveCell[], before: readonly LiveCell[]): LiveCell {
  const total = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Counts;
  const response = new Int32Array(BUCKETS);
  const lag = new Int32Array(BUCKETS);
  cells.forEach((cell, i) => {
    const old = before[i];
    for (const name of COUNTS)
      total[name] += cell[name] - (name === "in_flight" ? 0 : (old?.[name] ?? 0));
    for (let b = 0; b < BUCKETS; b++) {
      response[b]! += cell.response[b]! - (old?.response[b] ?? 0);
      lag[b]! += cell.lag[b]! - (old?.lag[b] ?? 0);
    }
  });
  return { ...total, response, lag };
}
