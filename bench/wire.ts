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
const ROUNDS = 4;
const WARM_UP_MS = 500;
const MEASURED_MS = 1_000;
/** The bare wire; the http target on it; the same with every attempt in the facts, as in a run. */
const OURS = ["wire", "target", "recorded"];
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
      for (const [name, results] of rounds)
        results.push(await measured(name, server.port, peers.dir));
  } finally {
    await server.stop();
  }
  print(rounds);
}

async function measured(name: string, port: number, folder: string): Promise<Measured> {
  if (name === "wrk") return await wrk(port);
  const numbers = [CONNECTIONS, WARM_UP_MS, MEASURED_MS].map(String);
  const client = nodeClient("closed-loop", name, String(port), folder, ...numbers);
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

/** Where others use the machine, CPU time a request says more than answers per second. */
function print(rounds: ReadonlyMap<string, readonly Measured[]>): void {
  const reference = rounds.has("wrk") ? "wrk" : "autocannon";
  const of = (name: string, key: keyof Measured): number =>
    median((rounds.get(name) ?? []).map((result) => result[key]));
  console.log(`              answers/s                        CPU s per 1M requests`);
  console.log(
    `client       median   : ${reference}  : autocannon    median   : ${reference}  : autocannon`,
  );
  for (const name of rounds.keys()) {
    const speed = of(name, "perSecond");
    const cpu = of(name, "cpuPerMillionS");
    const cells = [
      name.padEnd(10),
      Math.round(speed).toLocaleString("en").padStart(8),
      (speed / of(reference, "perSecond")).toFixed(2).padStart(4 + reference.length),
      (speed / of("autocannon", "perSecond")).toFixed(2).padStart(13),
      cpu.toFixed(1).padStart(9),
      (cpu / of(reference, "cpuPerMillionS")).toFixed(2).padStart(4 + reference.length),
      (cpu / of("autocannon", "cpuPerMillionS")).toFixed(2).padStart(13),
    ];
    console.log(cells.join(" "));
  }
}
