// How much a record costs: our PutRecords against the SDK's, local Kinesis against kinesalite.
import { median, nodeClient, runClient, startNodeServer } from "./peers/processes.ts";

const ROUNDS = 5;
const WARM_UP_MS = 1_000;
const MEASURED_MS = 1_500;
/** One core for the client, one for the server: two calls keep both busy. */
const CALLS_AT_ONCE = 2;

interface ClientResult {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly failed: number;
  /** Warm-up included. */
  readonly all: number;
}

/** Records of 1 KB, 500 in a call, over plain HTTP; medians of interleaved rounds. */
export async function benchKinesis(): Promise<void> {
  console.log(`PutRecords, 500 x 1 KB a call, ${ROUNDS} interleaved rounds`);
  await clients();
  await services();
}

async function put(client: string, port: number): Promise<ClientResult> {
  const numbers = [CALLS_AT_ONCE, WARM_UP_MS, MEASURED_MS].map(String);
  const output = await runClient(nodeClient("put-records", client, String(port), ...numbers));
  const result = JSON.parse(output) as ClientResult;
  if (result.failed > 0) throw new Error(`${result.failed} records were refused`);
  return result;
}

/** Against canned answers, so that only the client differs. */
async function clients(): Promise<void> {
  const names = ["ours", "sdk", "sdk-http1"];
  const found = new Map<string, number[]>(names.map((name) => [name, []]));
  const server = await startNodeServer("stream-server", "canned");
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, values] of found) values.push((await put(name, server.port)).perCpuSecond);
  } finally {
    await server.stop();
  }
  const of = (name: string): number => median(found.get(name) ?? []);
  console.log("client       records per CPU second   : sdk");
  for (const name of names) console.log(row(name, of(name), of("sdk")));
}

/** Against our client: records per CPU second of the server, everything that it does included. */
async function services(): Promise<void> {
  const names = ["local", "kinesalite"];
  const found = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, values] of found) {
      const server = await startNodeServer("stream-server", name);
      try {
        const before = await server.cpuUs();
        const { all } = await put("ours", server.port);
        values.push((all / ((await server.cpuUs()) - before)) * 1e6);
      } finally {
        await server.stop();
      }
    }
  const of = (name: string): number => median(found.get(name) ?? []);
  console.log("service      records per CPU second   : kinesalite");
  for (const name of names) console.log(row(name, of(name), of("kinesalite")));
}

const row = (name: string, value: number, reference: number): string =>
  `${name.padEnd(12)} ${Math.round(value).toLocaleString("en").padStart(22)} ` +
  `${(value / reference).toFixed(2).padStart(7)}`;
