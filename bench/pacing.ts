// How evenly we send: error of each arrival at the server against a uniform schedule, next to C.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  median,
  nodeClient,
  openPeers,
  type Peers,
  quantile,
  runClient,
  startServer,
} from "./peers/processes.ts";

const RATES = [1_000, 5_000, 10_000];
const ROUNDS = 3;
/** The first part, in which Node compiles, does not count. */
const WARM_UP_S = 0.6;
const MEASURED_S = 1;
const C = "C epoll/timerfd";
const MODES = ["thread", "spin"];

interface Unevenness {
  readonly p50Us: number;
  readonly p99Us: number;
}

/** Prints medians of interleaved rounds: error in µs at p50 and p99, and their ratios to C. */
export async function benchPacing(): Promise<void> {
  using peers = openPeers();
  const pacer = peers.compiled("epoll-pacer");
  if (pacer === null) console.log("no C compiler (cc) on this machine: no C peer to compare with");
  console.log(`pacing, ${ROUNDS} interleaved rounds of ${MEASURED_S} s: error of each arrival, µs`);
  console.log("rate      sender             p50      p99   p50 : C   p99 : C");
  for (const rate of RATES) {
    const errors = new Map<string, Unevenness[]>();
    for (let round = 0; round < ROUNDS; round++) {
      for (const sender of pacer === null ? MODES : [C, ...MODES]) {
        const known = errors.get(sender) ?? [];
        errors.set(sender, [...known, await measured(peers, sender, rate, pacer)]);
      }
    }
    print(rate, errors);
  }
}

async function measured(peers: Peers, sender: string, rate: number, pacer: string | null) {
  const stampsFile = join(peers.dir, "stamps");
  const server = await startServer(peers, stampsFile);
  const count = Math.round(rate * (WARM_UP_S + MEASURED_S));
  const args = [String(server.port), String(rate), String(count)];
  try {
    const command = sender === C && pacer !== null ? [pacer] : nodeClient("paced", sender);
    await runClient([...command, ...args]);
  } finally {
    await server.stop();
  }
  return errorOf(stampsFile, rate);
}

/**
 * Distance of each arrival from its place in the schedule, the constant part (the median) removed:
 * connections and Node's start are before the last `rate × MEASURED_S` arrivals.
 */
function errorOf(stampsFile: string, rate: number): Unevenness {
  const file = readFileSync(stampsFile);
  const all = new BigInt64Array(file.buffer, file.byteOffset, Math.floor(file.length / 8));
  const last = all.slice(-Math.round(rate * MEASURED_S));
  const first = last[0] ?? 0n;
  const offsets = Array.from(last, (ns, k) => Number(ns - first) / 1_000 - (k * 1e6) / rate);
  const constant = median(offsets);
  const errors = offsets.map((offset) => Math.abs(offset - constant));
  return { p50Us: quantile(errors, 0.5), p99Us: quantile(errors, 0.99) };
}

function print(rate: number, errors: ReadonlyMap<string, readonly Unevenness[]>): void {
  const at = (sender: string, of: keyof Unevenness): number =>
    median((errors.get(sender) ?? []).map((error) => error[of]));
  for (const sender of errors.keys()) {
    const ratio = (of: keyof Unevenness): string =>
      errors.has(C) ? (at(sender, of) / at(C, of)).toFixed(1) : "–";
    const cells = [
      `${rate.toLocaleString("en")}/s`.padEnd(9),
      sender.padEnd(15),
      Math.round(at(sender, "p50Us")).toString().padStart(6),
      Math.round(at(sender, "p99Us")).toString().padStart(8),
      ratio("p50Us").padStart(9),
      ratio("p99Us").padStart(9),
    ];
    console.log(cells.join(" "));
  }
}
