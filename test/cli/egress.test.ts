// What leaves the machine: with local AWS nothing, in an account only what the plan has listed.
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { egressOf } from "../../src/cli/egress.ts";
import type { System } from "../../src/cli/system-contract.ts";
import { isLoopback } from "../../src/core/loopback.ts";
import type { Scenario } from "../../src/core/scenario.ts";
import { Workplace } from "../support/command-line.ts";
import { type Account, playAccount, rehearsal, STAGING, VISITOR } from "../support/rehearsal.ts";
import { socketTap } from "../support/socket-tap.ts";
import { type WebhookServer, webhookServer } from "../support/webhook-server.ts";

const place = new Workplace();
const HOST = "checkout.stg.shop.example";
let staging: Account;
let hook: WebhookServer;
/** Somewhere on this machine that no plan lists. */
const elsewhere = createServer((_, response) => response.end());

beforeAll(async () => {
  hook = await webhookServer();
  staging = await playAccount(place, STAGING, HOST);
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
}, 60_000);
afterAll(async () => {
  elsewhere.close();
  await hook[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

const unique = (texts: readonly (string | undefined)[]): string[] => [
  ...new Set(texts.flatMap((text) => text ?? [])),
];

test("logs of another account are listed in their region, with who gives its role out", () => {
  const scenario = { loads: [], faults: [], sinks: [], observe: { reports: ["arn:x"] } };
  const elsewhere = { awsRegion: "eu-central-1" };
  const place = { endpoint: "aws", region: "eu-west-1", environment: null };
  const hosts = (logs: object): string[] => {
    const system = { ...place, logs } as unknown as System;
    return egressOf(scenario as unknown as Scenario, system, {}).map(({ to }) => to);
  };
  expect(hosts({ elsewhere: null })).toContain("logs.eu-west-1.amazonaws.com:443");
  const listed = hosts({ elsewhere });
  expect(listed).toContain("logs.eu-central-1.amazonaws.com:443");
  expect(listed).toContain("sts.eu-central-1.amazonaws.com:443");
  expect(listed).not.toContain("logs.eu-west-1.amazonaws.com:443");
});

describe("the socket tap", () => {
  test("sees what a process, a thread of it and a child connect to", async () => {
    const tap = socketTap(place.dir, "proof");
    const { port } = elsewhere.address() as { port: number };
    const script = join(place.dir, "connects.mjs");
    writeFileSync(
      script,
      `import { spawnSync } from "node:child_process";
import { Worker, isMainThread } from "node:worker_threads";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
connect(${port}, "127.0.0.1").end();
await fetch("http://127.0.0.1:${port}/");
const self = new URL(import.meta.url);
if (isMainThread && process.argv[2] !== "child") {
  new Worker(self, { execArgv: [] });
  spawnSync(process.execPath, [fileURLToPath(self), "child"]);
}`,
    );
    const { spawn } = await import("node:child_process");
    const child = spawn(process.execPath, [script], { env: { ...process.env, ...tap.env } });
    await new Promise((resolve) => child.on("close", resolve));
    const seen = tap.read();
    expect(unique(seen.map(({ to }) => to))).toEqual([`127.0.0.1:${port}`]);
    expect(new Set(seen.map(({ pid }) => pid)).size).toBe(2);
    expect(seen.some(({ isMainThread }) => !isMainThread)).toBe(true);
  }, 30_000);
});

describe("with --env local", () => {
  test("nothing but this machine is connected to or looked up", async () => {
    const tap = socketTap(place.dir, "local");
    const args = ["run", place.scenario(), "--out", join(place.dir, "local")];
    const credentials = { AWS_ACCESS_KEY_ID: "AKIA", AWS_SECRET_ACCESS_KEY: "x", AWS_PROFILE: "p" };
    const ended = await place.start(args, { ...tap.env, ...credentials }).ended;
    expect(ended.out).toContain("balance");
    const seen = tap.read();
    expect(seen.some(({ isMainThread, to }) => !isMainThread && to !== undefined)).toBe(true);
    const hosts = unique(seen.map(({ to, lookup }) => lookup ?? to?.replace(/:\d+$/, "")));
    expect(hosts.filter((host) => !isLoopback(`http://${host}/`))).toEqual([]);
  }, 120_000);
});

describe("in an account", () => {
  test.each(["{{outputs.ApiUrl}}/open/1", `http://${HOST}/open/1`])(
    "nothing outside the plan's list is connected to: %s",
    async (url) => {
      const body = VISITOR.replace("{{outputs.ApiUrl}}/open/1", url)
        .replace("{{outputs.ApiHost}}", new URL(staging.outputs.ApiUrl ?? "").host)
        .replace("hosts: [", `hosts: ["${HOST}", `)
        .concat(
          `notify: [{ webhook: { url: "${hook.url}/x" } }, { eventbridge: { bus: default } }]\n`,
        )
        .concat(
          'faults:\n  - reserved-concurrency: { function: "{{outputs.OpenArn}}", to: 0 }\n    during: gone\n',
        );
      const folder = rehearsal(place, { stg: { account: staging } }, body);
      const plan = await place.run("plan", folder, "--env", "stg", "--json");
      const { egress } = JSON.parse(plan.out) as { egress: { to: string }[] };
      const listed = egress.map(({ to }) => to);
      const tap = socketTap(place.dir, `account-${url.length}`);
      const ended = await place.start(["run", folder, "--env", "stg"], tap.env).ended;
      expect([ended.code, ended.out]).toEqual([0, expect.stringContaining("undone and verified")]);
      expect(hook.received.map(({ body }) => body.on)).toContain("verdict");
      const seen = unique(tap.read().map(({ to }) => to));
      expect(seen.toSorted()).toEqual(listed.toSorted());
      const names = unique(tap.read().map(({ lookup }) => lookup));
      expect(names.filter((name) => name !== "127.0.0.1")).toEqual([]);
    },
    120_000,
  );
});
