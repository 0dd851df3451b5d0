// Every command that acts in an account: its calls say who makes them, go where the plan has said,
// and nothing that it writes or says holds a secret.
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { type Ended, Workplace } from "../support/command-line.ts";
import { withRoles } from "../support/permissions.ts";
import { type RecordedCall, RecordingProxy } from "../support/recording-proxy.ts";
import { STAGING } from "../support/rehearsal.ts";
import { socketTap } from "../support/socket-tap.ts";

const FIXTURE = fileURLToPath(new URL("../fixtures/every-load/", import.meta.url));
const TOKEN = "token-of-the-test-4721";

interface Seen extends Ended {
  readonly calls: readonly RecordedCall[];
  /** `host:port` of every connection. */
  readonly connected: readonly string[];
}

const place = new Workplace("gatecrash-names-");
const folder = join(place.dir, "every-load");
let proxy: RecordingProxy;
let listed: readonly string[] = [];
const seen = new Map<string, Seen>();

/** Everything is kept: what it called, where it connected, what it said. */
async function watched(name: string, args: readonly string[], until?: () => boolean) {
  proxy.take();
  const tap = socketTap(place.dir, name);
  const running = place.start(args, tap.env);
  if (until !== undefined) {
    await running.until(until);
    running.kill("SIGKILL");
  }
  const ended = await running.ended;
  const connected = [...new Set(tap.read().flatMap(({ to }) => to ?? []))];
  seen.set(name, { ...ended, calls: proxy.take(), connected });
}

beforeAll(async () => {
  cpSync(FIXTURE, folder, { recursive: true });
  const template = join(folder, "template.yaml");
  const running = place.start(["local", "--template", template, "--account", STAGING, "--json"]);
  await running.until(() => running.out.includes("\n"));
  const { endpoint } = JSON.parse(running.out) as { endpoint: string };
  const where = { endpoint, region: "eu-west-1", account: null, runId: "test" };
  const put = { Name: "/shop/token", Type: "SecureString", Value: TOKEN };
  await createControlPlane(where).call("ssm", "PutParameter", put);
  proxy = await RecordingProxy.start(endpoint);
  const file = join(folder, "scenario.yaml");
  const yaml = readFileSync(file, "utf8").replace(
    "template: template.yaml\n",
    withRoles(proxy.endpoint),
  );
  writeFileSync(file, yaml);
  const plan = await place.run("plan", folder, "--env", "stg", "--json");
  listed = (JSON.parse(plan.out) as { egress: { to: string }[] }).egress.map(({ to }) => to);
  const env = ["--env", "stg"];
  const there = ["--scenario", folder, ...env];
  await watched("plan", ["plan", folder, ...env]);
  await watched("bootstrap", ["bootstrap", folder, ...env]);
  await watched("run", ["run", folder, ...env, "--out", join(place.dir, "out", "run")]);
  const events = join(place.dir, "out", "killed", "events", "0.jsonl");
  const isBroken = () => existsSync(events) && /"onset"/.test(readFileSync(events, "utf8"));
  await watched(
    "killed",
    ["run", folder, ...env, "--out", join(place.dir, "out", "killed")],
    isBroken,
  );
  await watched("status", ["status", ...there]);
  const run = /of run (\S+)/.exec(seen.get("status")?.out ?? "")?.[1] ?? "";
  await watched("abort", ["abort", run, ...there]);
  await watched("heal", ["heal", ...there, "--verify-clean"]);
  await watched("certify", ["certify", folder, ...env, "--out", join(place.dir, "out", "c")]);
}, 900_000);
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

const RUNS = ["run", "killed", "certify"];
const COMMANDS = ["plan", "bootstrap", ...RUNS, "status", "abort", "heal"];

describe.each(COMMANDS)("%s", (name) => {
  const of = (): Seen => {
    const found = seen.get(name);
    if (found === undefined) throw new Error(`${name} was not started`);
    return found;
  };

  test("says in each call which run makes it, and in the name of each session", () => {
    const { calls, out } = of();
    expect(calls.length, out).toBeGreaterThan(2);
    const runs = calls.map(({ what, userAgent }) => /run\/([\w-]+)/.exec(userAgent)?.[1] ?? what);
    expect(new Set(runs).size, runs.join("\n")).toBe(1);
    const [run = ""] = runs;
    expect(run).toMatch(RUNS.includes(name) ? /^\d{4}-\d\d-\d\dT\d\d-\d\dZ-\w+$/ : /^[a-z]+$/);
    const sessions = calls.flatMap(({ body }) => /RoleSessionName=([^&]+)/.exec(body)?.[1] ?? []);
    // Whoever bootstraps has no roles yet.
    const expected = name === "bootstrap" ? [] : [`gatecrash-${run}`];
    expect([...new Set(sessions)]).toEqual(expected);
  });

  test("connects to nothing that the plan has not listed", () => {
    const { connected } = of();
    expect(connected.length).toBeGreaterThan(0);
    expect(connected.filter((to) => !listed.includes(to))).toEqual([]);
  });

  test("says no secret", () => {
    const { out, err } = of();
    expect(out + err).not.toContain(TOKEN);
  });
});

test("every kind of the load's own calls was among them", () => {
  const whats = seen.get("run")?.calls.map(({ what }) => what) ?? [];
  for (const kind of [/invocations$/, /PutRecords$/, /SendMessage/, /rollups/, /\.Scan$/])
    expect(whats.some((what) => kind.test(what))).toBe(true);
});

test("and no file that any of them has written holds the secret", () => {
  const files = readdirSync(place.dir, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  const holding = files
    .map((file) => join(file.parentPath, file.name))
    .filter((file) => readFileSync(file, "latin1").includes(TOKEN));
  expect(holding).toEqual([]);
});
