// `with: autocannon` through the built command: two senders, one server that counts them all.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Workplace } from "../support/command-line.ts";
import { CountingServer } from "../support/counting-server.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

function scenario(name: string, url: string, requests: number): string {
  const folder = join(place.dir, name);
  mkdirSync(folder);
  writeFileSync(
    join(folder, "scenario.yaml"),
    `gatecrash: 1
title: How many can it answer?
phases: [{ full: 4s }]
limits: { requests: ${requests} }
generator: { cpu: 100%, lag-p99: 5s }
loads:
  ceiling:
    saturate: { connections: 2, with: autocannon }
    http: { url: "${url}/a", headers: { X-Key: "{{env.KEY}}" } }
accept:
  - ceiling.count >= 10
`,
  );
  return folder;
}

async function run(name: string, url: string, requests: number) {
  const out = join(place.dir, `${name}-run`);
  const folder = scenario(name, url, requests);
  const ended = await place.start(["run", folder, "--out", out], { KEY: "s3cr3t" }).ended;
  const result = RESULT_SCHEMA.parse(JSON.parse(readFileSync(join(out, "result.json"), "utf8")));
  return { ended, result };
}

test("a closed loop is sent a second time, and both figures are reported", async () => {
  await using server = await CountingServer.start();
  const { ended, result } = await run("both", server.url, 10_000_000);
  const [check] = result.cross_checks ?? [];
  expect(check).toMatchObject({ load: "ceiling", by: expect.stringMatching(/^autocannon 9\./) });
  expect(check?.theirs_per_s).toBeGreaterThan(0);
  expect(ended.out).toMatch(/peer +ceiling: autocannon 9\.0\.0 found [\d,]+\/s over 2 s, we/);
  expect(ended.out).toContain("ceiling: a closed loop plans nothing");
  const sent = result.counts.sent;
  const theirs = (check?.theirs_per_s ?? 0) * (check?.seconds ?? 0);
  expect(server.asked.length).toBeGreaterThanOrEqual(sent + Math.floor(theirs));
  expect(server.connectionsMax).toBeLessThanOrEqual(4);
  expect(server.asked.every(({ headers }) => headers["x-key"] === "s3cr3t")).toBe(true);
});

test("a limit on requests holds for both", async () => {
  await using server = await CountingServer.start();
  const { result } = await run("limited", server.url, 400);
  expect(result.stopped).toMatch(/requests sent, limit 400/);
  expect(result.cross_checks).toMatchObject([
    { ratio: null, unsound: expect.stringMatching(/end/) },
  ]);
  expect(server.asked.length).toBe(result.counts.sent);
});
