// How fast the wire is: our client and its peers against one server, closed loop, in one run.
import { availableParallelism } from "node:os";
import {
  hasCommand,
  median,
  nodeClient,
  openPeers,
  runClient,
  startServer,
} from "./peers/processes.ts";

const CONNECTIONS = 64;
const ROUNDS = 3;
const WARM_UP_MS = 500;
const MEASURED_MS = 2_000;
const OURS = ["wire", "target"];
const PEERS = ["autocannon", "undici", "node:http"];

interface Measured {
  readonly perSecond: number;
  readonly cpuPerMillionS: number;
}

/** Prints medians of interleaved rounds, as ratios to wrk (or to autocannon without it). */
export async function benchWire(): Promise<void> {
  using peers = openPeers();
  const server = await startServer(peers);
  const clients = [...OURS, ...PEERS];
  if (hasCommand("wrk")) clients.push("wrk");
  else console.log("wrk is not on this machine (apt-get install wrk): no column for it");
  console.log(
    `closed loop, ${CONNECTIONS} keep-alive connections, ${ROUNDS} interleaved rounds, ` +
      `${availableParallelism()} cores, server in ${server.native ? "C (epoll)" : "Node (no cc)"}`,
  );
  const rounds = new Map<string, Measured[]>(clients.map((name) => [name, []]));
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, results] of rounds) results.push(await measured(name, server.port));
  } finally {
    await server.stop();
  }
  print(rounds);
}

async function measured(name: string, port: number): Promise<Measured> {
  if (name === "wrk") return await wrk(port);
  const numbers = [CONNECTIONS, WARM_UP_MS, MEASURED_MS].map(String);
  const client = nodeClient("closed-loop", name, String(port), ...numbers);
  return JSON.parse(await runClient(client)) as Measured;
}

/** wrk with its CPU time, which the shell knows of its children. */
async function wrk(port: number): Promise<Measured> {
  const seconds = MEASURED_MS / 1_000;
  const command = `wrk -t1 -c${CONNECTIONS} -d${seconds}s http://127.0.0.1:${port}/; times`;
  const output = await runClient(["sh", "-c", command]);
  const perSecond = Number(/Requests\/sec:\s*([\d.]+)/.exec(output)?.[1]);
  const requests = Number(/(\d+) requests in/.exec(output)?.[1]);
  const children = output.trim().split("\n").at(-1) ?? "";
  const cpuS = [...children.matchAll(/(\d+)m([\d.]+)s/g)]
    .map(([, minutes, rest]) => Number(minutes) * 60 + Number(rest))
    .reduce((a, b) => a + b, 0);
  return { perSecond, cpuPerMillionS: (cpuS / requests) * 1e6 };
}

function print(rounds: ReadonlyMap<string, readonly Measured[]>): void {
  const reference = rounds.has("wrk") ? "wrk" : "autocannon";
  const speed = (name: string): number => median((rounds.get(name) ?? []).map((r) => r.perSecond));
  console.log(`client       vs ${reference}   vs autocannon   CPU s per 1M requests   answers/s`);
  for (const [name, results] of rounds) {
    const cells = [
      name.padEnd(11),
      (speed(name) / speed(reference)).toFixed(2).padStart(8 + reference.length - 3),
      (speed(name) / speed("autocannon")).toFixed(2).padStart(15),
      median(results.map((r) => r.cpuPerMillionS))
        .toFixed(1)
        .padStart(23),
      Math.round(speed(name)).toLocaleString("en").padStart(11),
    ];
    console.log(cells.join(" "));
  }
}
