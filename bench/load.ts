// The whole command, with every attempt in the facts, against the peers of a closed loop.
import { fileURLToPath } from "node:url";
import {
  hasCommand,
  median,
  nodeClient,
  openPeers,
  type Peers,
  runClient,
  startServer,
} from "./peers/processes.ts";

const CONNECTIONS = 64;
const ROUNDS = 4;
const SECONDS = 4;
const WARM_UP_MS = 500;
/** What PERFORMANCE asks of a full-featured sender. */
const WANTED: { readonly [peer: string]: number } = { autocannon: 1.35, wrk: 0.8 };

interface Measured {
  readonly perSecond: number;
  readonly cpuPerMillionS: number;
}

/** Prints medians of interleaved rounds, and the ratios that are promised. */
export async function benchLoad(): Promise<void> {
  using peers = openPeers();
  const server = await startServer(peers);
  const clients = ["gatecrash load", "autocannon", ...(hasCommand("wrk") ? ["wrk"] : [])];
  console.log(
    `load --connections ${CONNECTIONS}, ${ROUNDS} interleaved rounds of ${SECONDS} s, ` +
      `client on one core, server in ${server.native ? "C (epoll)" : "Node (no cc)"} on another`,
  );
  const rounds = new Map<string, Measured[]>(clients.map((name) => [name, []]));
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, results] of rounds) results.push(await measured(name, server.port, peers));
  } finally {
    await server.stop();
  }
  print(rounds);
}

function measured(name: string, port: number, peers: Peers): Promise<Measured> {
  if (name === "wrk") return wrk(port);
  return name === "autocannon" ? autocannon(port, peers) : ours(port);
}

interface Whole {
  readonly perSecond: number;
  readonly sent: number;
  readonly cpuS: number;
}

/** CPU of the longer run less that of a short one: without the start, with judging what it adds. */
async function ours(port: number): Promise<Measured> {
  const short = await command(port, 1);
  const long = await command(port, SECONDS);
  const cpuPerMillionS = ((long.cpuS - short.cpuS) / (long.sent - short.sent)) * 1e6;
  return { perSecond: long.perSecond, cpuPerMillionS };
}

/** The built command as a person runs it. */
async function command(port: number, seconds: number): Promise<Whole> {
  const bin = fileURLToPath(new URL("../bin/gatecrash.js", import.meta.url));
  const url = `http://127.0.0.1:${port}/`;
  const load = `load ${url} --connections ${CONNECTIONS} --for ${seconds}s --json`;
  const output = await runClient(["sh", "-c", `"${process.execPath}" "${bin}" ${load}; times`]);
  const cut = output.lastIndexOf("}") + 1;
  const { achieved_per_s, sent, outcomes } = JSON.parse(output.slice(0, cut)) as {
    readonly achieved_per_s: number;
    readonly sent: number;
    readonly outcomes: { readonly ok: number };
  };
  if (outcomes.ok !== sent) throw new Error("not every request was answered");
  return { perSecond: achieved_per_s, sent, cpuS: childrenCpuS(output.slice(cut)) };
}

async function autocannon(port: number, { dir }: Peers): Promise<Measured> {
  const numbers = [CONNECTIONS, WARM_UP_MS, SECONDS * 1_000].map(String);
  const client = nodeClient("closed-loop", "autocannon", String(port), dir, ...numbers);
  const { perSecond, cpuPerMillionS } = JSON.parse(await runClient(client)) as {
    readonly perSecond: number;
    readonly cpuPerMillionS: number;
  };
  // It counts microseconds of CPU by millions of answers: the same unit.
  return { perSecond, cpuPerMillionS };
}

async function wrk(port: number): Promise<Measured> {
  const command = `wrk -t1 -c${CONNECTIONS} -d${SECONDS}s http://127.0.0.1:${port}/; times`;
  const output = await runClient(["sh", "-c", command]);
  const perSecond = Number(/Requests\/sec:\s*([\d.]+)/.exec(output)?.[1]);
  const requests = Number(/(\d+) requests in/.exec(output)?.[1]);
  return { perSecond, cpuPerMillionS: (childrenCpuS(output) / requests) * 1e6 };
}

/** The last line of the shell's `times`: user and system time of its children. */
function childrenCpuS(output: string): number {
  const children = output.trim().split("\n").at(-1) ?? "";
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)]
    .map(([, minutes, rest]) => Number(minutes) * 60 + Number(rest))
    .reduce((a, b) => a + b, 0);
}

function print(rounds: ReadonlyMap<string, readonly Measured[]>): void {
  const of = (name: string, key: keyof Measured): number =>
    median((rounds.get(name) ?? []).map((result) => result[key]));
  const [mine = ""] = rounds.keys();
  console.log("client           answers/s   ours : it        wanted   CPU s per 1M   ours : it");
  for (const name of rounds.keys()) {
    const [speed, cpu] = [
      of(mine, "perSecond") / of(name, "perSecond"),
      of(name, "cpuPerMillionS"),
    ];
    const wanted = WANTED[name];
    const kept = wanted === undefined ? "" : `${speed >= wanted ? "kept" : "MISSED"} ${wanted}`;
    const cells = [
      name.padEnd(15),
      Math.round(of(name, "perSecond")).toLocaleString("en").padStart(10),
      speed.toFixed(2).padStart(11),
      kept.padStart(13),
      cpu.toFixed(1).padStart(14),
      (of(mine, "cpuPerMillionS") / cpu).toFixed(2).padStart(11),
    ];
    console.log(cells.join(" "));
  }
}
