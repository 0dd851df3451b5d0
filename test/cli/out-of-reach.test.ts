// One place of the undo log that is out of reach: the others are told and healed all the same.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Workplace } from "../support/command-line.ts";

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

const LONG = { "gone: 2500ms": "gone: 60s", "duration: 30s": "duration: 90s", "60/s": "20/s" };

/** Somebody who listens where a local AWS was, and is none. */
async function stranger(): Promise<{ server: Server; url: string }> {
  const server = createServer((_, answer) => answer.writeHead(418).end("teapot"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function killedInFault(endpoint: string): Promise<string> {
  const out = join(place.dir, "run");
  const running = place.start(["run", place.scenario(LONG), "--endpoint", endpoint, "--out", out]);
  const events = join(out, "events", "0.jsonl");
  await running.until(() => existsSync(events) && readFileSync(events, "utf8").includes('"onset"'));
  running.kill("SIGKILL");
  await running.ended;
  return JSON.parse(readFileSync(place.undoLog, "utf8").split("\n")[0] ?? "").record.run;
}

/** As if the dead run had changed the same function there, too. */
function logAlso(endpoint: string): void {
  const [line = ""] = readFileSync(place.undoLog, "utf8").split("\n");
  const { record, ...open } = JSON.parse(line);
  const other = { ...record, id: `${record.id}-elsewhere`, endpoint };
  appendFileSync(place.undoLog, `${JSON.stringify({ ...open, record: other })}\n`);
}

test("a place out of reach is named, and the others are told and ended", async () => {
  const { endpoint } = await place.local(join(place.scenario(), "template.yaml"));
  const run = await killedInFault(endpoint);
  const { server, url } = await stranger();
  try {
    logAlso(url);
    const lost = `account 000000000000 in eu-west-1 at ${url} is out of reach: no local AWS answers`;

    const status = await place.run("status");
    expect([status.code, status.out]).toEqual([
      2,
      expect.stringContaining(":open: ReservedConcurrentExecutions unset → 0\n"),
    ]);
    expect(status.err).toContain(`warning: ${lost}`);
    const json = await place.run("status", "--json");
    expect([json.code, JSON.parse(json.out)]).toMatchObject([
      2,
      { leases: [{ run, fault: "gone" }], unreached: [{ endpoint: url }] },
    ]);

    const abort = await place.run("abort", run, "--dead");
    expect([abort.code, abort.out]).toEqual([
      4,
      expect.stringContaining("put back: ReservedConcurrentExecutions 0 → unset"),
    ]);
    expect(abort.err).toContain(`warning: ${lost}`);
    const again = await place.run("abort", run, "--dead");
    expect([again.code, again.err]).toEqual([
      4,
      expect.stringContaining("whether it holds anything out of reach is not known"),
    ]);

    const quiet = await place.run("status");
    expect([quiet.code, quiet.out]).toEqual([2, expect.stringContaining("settled\n")]);
    expect(quiet.out).not.toContain("nobody changes anything");
  } finally {
    server.close();
  }
  // Nobody listens there any more: what that place held has ended with it.
  const whole = await place.run("status");
  expect(whole.code).toBe(0);
}, 240_000);
