// A load that uses up this machine's file handles: no facts are lost, and only that is said.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { Running, Workplace } from "../support/command-line.ts";

const BIN = fileURLToPath(new URL("../../dist/bin/gatecrash.js", import.meta.url));
const place = new Workplace("gatecrash-handles-");
afterAll(() => place[Symbol.asyncDispose]());

/** Answers nobody, so that connections stay open and handles run out. */
async function silentServer(): Promise<{ port: number; close: () => void }> {
  const server = createServer(() => {});
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => server.closeAllConnections(),
  };
}

test("a run without file handles is INVALID for that alone: every arrival is recorded", async () => {
  const { port, close } = await silentServer();
  const load = `load http://127.0.0.1:${port}/ --rate 400/s --for 4s --timeout 1500ms --lag-p99 30s --json --out run`;
  const shell = `ulimit -n 260 && exec "${process.execPath}" "${BIN}" ${load}`;
  const child = spawn("sh", ["-c", shell], {
    cwd: place.dir,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: join(place.dir, "home"), GATECRASH_TEST_PLACE: place.dir },
  });
  const { code, out, err } = await new Running(child).ended;
  close();
  expect([code, err.trim().split("\n").length]).toEqual([3, 1]); // the one reason alone
  const found = JSON.parse(out) as { planned: number; sent: number; dropped: number };
  expect([found.planned, found.sent + found.dropped]).toEqual([1_600, 1_600]);
  const again = await place.run("report", join(place.dir, "run"), "--format", "json");
  const { invalid, balance } = JSON.parse(again.out) as {
    invalid: string[];
    balance: { holds: boolean };
  };
  expect(balance.holds).toBe(true);
  expect(invalid).toEqual([
    expect.stringMatching(/attempts were not sent for want of this machine's own .*file handles/),
  ]);
}, 120_000);
