// A stream's service in its own process: canned answers, local AWS, or kinesalite.
// usage: stream-server.js <canned|local|kinesalite>; prints its port, tells its CPU time by IPC.
import type { Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { createWorld } from "../../src/local/create-world.ts";
import { dispatcher } from "../../src/local/dispatch.ts";
import { DEFAULTS } from "../../src/local/options.ts";
import { listen } from "../../src/local/wire/listener.ts";

/** Enough that no record is refused: what is measured is the service, not its limits. */
const SCALE = 10_000;
const RECORDS = 500;

/** What PutRecords answers for a full call; the same bytes each time. */
const CANNED = JSON.stringify({
  EncryptionType: "NONE",
  FailedRecordCount: 0,
  Records: Array.from({ length: RECORDS }, (_, i) => ({
    SequenceNumber: `4965902386217354986217354986217354986217354986217354${1_000 + i}`,
    ShardId: `shardId-00000000000${i % 4}`,
  })),
});

async function canned(): Promise<number> {
  const headers = { "content-type": "application/x-amz-json-1.1", "x-amzn-requestid": "id" };
  const answer = { status: 200, headers, body: CANNED };
  return (await listen(0, async () => answer)).port;
}

async function local(): Promise<number> {
  const world = createWorld({ ...DEFAULTS, template: "", scale: SCALE });
  const settings = { shardCount: 4, retentionHours: 24, maxRecordBytes: 1_048_576 };
  world.streams.create("clicks", settings, true);
  return (await listen(0, dispatcher(world))).port;
}

async function kinesalite(): Promise<number> {
  const make = createRequire(import.meta.url)("kinesalite") as (options: object) => Server;
  const server = make({ createStreamMs: 0, shardLimit: 10 });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

const KINDS: { readonly [kind: string]: () => Promise<number> } = { canned, local, kinesalite };
const kind = process.argv[2] ?? "";
const port = await KINDS[kind]?.();
if (port === undefined) throw new Error(`no such server: ${kind}`);
process.on("message", (asked) => {
  if (asked === "end") process.exit(0);
  process.send?.(process.cpuUsage());
});
process.on("disconnect", () => process.exit(0)); // who asked is gone
console.log(port);
