// The machine around a run: its wall clock jumps, and a host has several addresses.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { Workplace } from "../support/command-line.ts";

const place = new Workplace("gatecrash-machine-");
afterAll(() => place[Symbol.asyncDispose]());

/** Runs in every thread of a command before anything else does. */
function preload(name: string, code: string): { NODE_OPTIONS: string } {
  const file = join(place.dir, name);
  writeFileSync(file, code);
  return { NODE_OPTIONS: `--import ${pathToFileURL(file).href}` };
}

test("a jump of the wall clock stops the run in force, undoes it, and makes it INVALID", async () => {
  const mark = join(place.dir, "jump");
  const jumping = preload(
    "jump.mjs",
    `import { existsSync } from "node:fs";
const now = Date.now.bind(Date);
const mark = ${JSON.stringify(mark)};
const isRun = process.argv[1]?.endsWith("gatecrash.js"); // local AWS is another machine
if (isRun) Date.now = () => now() + (existsSync(mark) ? 3_600_000 : 0);
`,
  );
  const out = join(place.dir, "jumped");
  const folder = place.scenario({
    ...{ "gone: 2500ms": "gone: 60s", "duration: 30s": "duration: 90s", "60/s": "20/s" },
  });
  const running = place.start(["run", folder, "--out", out], jumping);
  const events = join(out, "events", "0.jsonl");
  await running.until(() => existsSync(events) && /"onset"/.test(readFileSync(events, "utf8")));
  writeFileSync(mark, "");
  const ended = await running.ended;
  expect(ended.code, ended.out + ended.err).toBe(3);
  const said = ended.out.replaceAll(/\s+/g, " ");
  expect(said).toContain("INVALID the wall clock jumped by 3,600.0 s during the run");
  expect(said).toContain("stopped by error: the wall clock jumped");
  expect(said).toContain("1 of 1 undone and verified");
}, 120_000);

test("a host of several addresses is sent to in turn", async () => {
  const by = new Map<string, number>();
  const server = createServer((asked, answer) => {
    const to = asked.socket.localAddress ?? "";
    by.set(to, (by.get(to) ?? 0) + 1);
    answer.setHeader("connection", "close").end("ok"); // each request on a connection of its own
  });
  await new Promise<void>((listens) => server.listen(0, "0.0.0.0", listens));
  const { port } = server.address() as AddressInfo;
  const names = preload(
    "names.mjs",
    `import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
const lookup = dns.lookup;
const found = ["127.0.0.1", "127.0.0.2", "127.0.0.3"].map((address) => ({ address, family: 4 }));
dns.lookup = (name, options, done) => {
  if (name !== "shop.example") return lookup(name, options, done);
  setImmediate(() => done(null, found));
};
syncBuiltinESMExports();
`,
  );
  const url = `http://shop.example:${port}/`;
  const args = ["load", url, "--rate", "50/s", "--for", "3s", "--allow-host", "shop.example"];
  const ended = await place.start([...args, "--lag-p99", "30s", "--json"], names).ended;
  server.close().closeAllConnections();
  expect(ended.code, ended.err).toBe(0);
  const counts = [...by].toSorted().map(([address, count]) => [address, Math.round(count / 10)]);
  expect(counts).toEqual([
    ["127.0.0.1", 5],
    ["127.0.0.2", 5],
    ["127.0.0.3", 5],
  ]);
}, 60_000);
