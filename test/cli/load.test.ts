// The quick load through the built command: figures that add up, exit codes, nothing left behind.
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Ended, Workplace } from "../support/command-line.ts";
import { CountingServer } from "../support/counting-server.ts";

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

const temporary = join(place.dir, "tmp");
mkdirSync(temporary);
const start = (args: readonly string[]) => place.start(["load", ...args], { TMPDIR: temporary });

/** A test looks at the command; a machine that is busy with other tests may send late. */
const load = (...args: readonly string[]) => start([...args, "--lag-p99", "30s"]).ended;
const LONGEST_MS = 60_000;

const count = z.int().min(0);
const quantiles = z.strictObject({
  ...Object.fromEntries(
    ["p50", "p90", "p95", "p99", "p999", "max"].map((key) => [key, z.number().nullable()]),
  ),
  n: count,
});
/** Exactly what is documented, no key more. */
const FIGURES = z.strictObject({
  asked_per_s: z.number().nullable(),
  achieved_per_s: z.number(),
  ...{ planned: count, sent: count, dropped: count },
  outcomes: z.strictObject({ ok: count, throttled: count, errored: count, unknown: count }),
  ...{ status: z.record(z.string(), count), errors: z.record(z.string(), count) },
  ...{ response_ms: quantiles, service_ms: quantiles, lag_ms: quantiles },
  valid: z.boolean(),
});
const figures = ({ out }: Ended) => FIGURES.parse(JSON.parse(out));

describe("a load at a rate", () => {
  test.concurrent("prints figures that the server agrees with, and leaves nothing", async () => {
    await using server = await CountingServer.start();
    const ended = await load(server.url, "--rate", "100/s", "--for", "2s", "--json");
    const found = figures(ended);
    expect(found).toMatchObject({ asked_per_s: 100, achieved_per_s: 100, planned: 200, sent: 200 });
    expect(found.outcomes).toEqual({ ok: 200, throttled: 0, errored: 0, unknown: 0 });
    expect(found.status).toEqual({ 200: 200 });
    expect([found.response_ms.n, found.service_ms.n, found.lag_ms.n]).toEqual([200, 200, 200]);
    expect(server.asked).toHaveLength(200);
    expect([found.valid, ended.code]).toEqual([true, 0]);
  });

  test.concurrent("rises to its rate first when it is told to", async () => {
    await using server = await CountingServer.start();
    const args = ["--rate", "100/s", "--ramp", "2s", "--for", "1s", "--json"];
    expect(figures(await start([server.url, ...args]).ended)).toMatchObject({ planned: 200 });
    expect(server.asked).toHaveLength(200);
  });

  test.concurrent("of what refuses is counted by status and reason, and none is hidden", async () => {
    await using server = await CountingServer.start();
    const args = ["--rate", "50/s", "--for", "1s", "--json"];
    const [broken, refused, nobody] = await Promise.all([
      start([`${server.url}/status/503`, ...args]).ended,
      start([`${server.url}/status/429`, ...args]).ended,
      start(["http://127.0.0.1:1/", ...args]).ended,
    ]);
    expect(figures(broken)).toMatchObject({ status: { 503: 50 }, errors: { status: 50 } });
    expect(figures(refused).outcomes).toMatchObject({ ok: 0, throttled: 50 });
    expect(figures(nobody)).toMatchObject({ status: {}, errors: { connect: 50 }, sent: 50 });
    expect(figures(nobody).response_ms).toMatchObject({ p50: null, n: 0 });
  });

  test.concurrent("sends its method, headers and body, and writes no header's value down", async () => {
    await using server = await CountingServer.start();
    const out = join(place.dir, "written");
    const header = ["--header", "X-Key: s3cr3t-of-mine", "--header", "X-Two: {{env.HOME}}"];
    const body = ["--method", "put", "--body", '{"n":{{seq}}}'];
    const rate = ["--rate", "20/s", "--for", "1s", "--out", out];
    await start([`${server.url}/a?b=c`, ...header, ...body, ...rate]).ended;
    expect(server.asked).toHaveLength(20);
    const [first] = server.asked;
    expect(first).toMatchObject({ method: "PUT", path: "/a?b=c" });
    expect(first?.headers).toMatchObject({
      "x-key": "s3cr3t-of-mine",
      "x-two": `${place.dir}/home`,
    });
    expect(server.asked.map((one) => JSON.parse(one.body).n).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => i),
    );
    for (const name of readdirSync(out, { recursive: true, encoding: "utf8" })) {
      if (!/\.\w+$/.test(name)) continue;
      expect(readFileSync(join(out, name), "latin1"), name).not.toContain("s3cr3t");
    }
    expect(existsSync(join(out, "body.txt"))).toBe(false);
  });
});

test.concurrent("a sender that was late is not believed, and says so", async () => {
  await using server = await CountingServer.start();
  const args = ["--rate", "100/s", "--for", "1s", "--lag-p99", "1us", "--json"];
  const ended = await start([server.url, ...args]).ended;
  expect(figures(ended).valid).toBe(false);
  expect(ended).toMatchObject({ code: 3, err: expect.stringContaining("the generator was late") });
});

describe("a closed loop", () => {
  test.concurrent("has so many connections, plans nothing and balances", async () => {
    await using server = await CountingServer.start();
    const args = ["--connections", "7", "--workers", "2", "--for", "1s", "--json"];
    const ended = await load(server.url, ...args);
    const found = figures(ended);
    expect(found).toMatchObject({ asked_per_s: null, dropped: 0, valid: true });
    expect([found.planned, found.outcomes.ok]).toEqual([found.sent, found.sent]);
    expect([server.asked.length, server.connectionsMax]).toEqual([found.sent, 7]);
    expect(ended.code).toBe(0);
  });
});

describe("what is expected of a load", () => {
  test.concurrent.each([
    ["that it holds", ["--rate", "60/s", "--expect", "p99 <= 5s"], 0, /^PASS +all 2/m],
    ["a count that is too small", ["--rate", "60/s", "--expect", "count >= 1000"], 1, /^FAIL/m],
    ["too few seconds", ["--connections", "1", "--for", "1s", "--expect", "p50 <= 9s"], 2, /^INC/m],
  ] as const)(
    "%s: exit code",
    async (_, args, code, says) => {
      await using server = await CountingServer.start();
      const ended = await load(server.url, ...args);
      expect(ended).toMatchObject({ code, out: expect.stringMatching(says) });
    },
    LONGEST_MS,
  );

  test.concurrent("is written down and judged again by report", async () => {
    await using server = await CountingServer.start();
    const out = join(place.dir, "kept");
    const args = ["--rate", "20/s", "--for", "1s", "--expect", "count == 20", "--out", out];
    await start([server.url, ...args]).ended;
    const again = await place.run("report", out);
    expect(again.out).toMatch(/count == 20/);
  });
});

describe("a load is refused, and nothing is sent, for", () => {
  const RATE = ["--rate", "10/s"];
  test.concurrent.each([
    ["a host that is not this machine", ["http://example.com/", ...RATE], /--allow-host example/],
    ["another host allowed", ["http://example.com/", ...RATE, "--allow-host", "a.b"], /not this/],
    ["a URL that is none", ["example.com", ...RATE], /not an http or https URL/],
    ["neither rate nor connections", ["URL"], /one of --rate and --connections/],
    ["both", ["URL", ...RATE, "--connections", "3"], /one of --rate and --connections/],
    ["a rate without unit", ["URL", "--rate", "10"], /has no unit/],
    ["a rate of nothing", ["URL", "--rate", "0/s"], /sends nothing/],
    ["no time", ["URL", ...RATE, "--for", "0s"], /no time at all/],
    ["a ramp of a closed loop", ["URL", "--connections", "3", "--ramp", "1s"], /--ramp is for/],
    ["a header without a colon", ["URL", ...RATE, "--header", "x"], /Name: value/],
    ["a variable that is not set", ["URL", ...RATE, "--header", "x: {{env.NO}}"], /NO is not set/],
    ["a body that is not there", ["URL", ...RATE, "--body", "@nowhere"], /nowhere/],
    ["an unknown measure", ["URL", ...RATE, "--expect", "p99x <= 1s"], /unknown measure/],
    ["an unknown name", ["URL", ...RATE, "--expect", "shop.p99 <= 1s"], /no `shop` here/],
    ["a function", ["URL", ...RATE, "--expect", "function(A).throttles == 0"], /a load alone/],
    ["an unknown window", ["URL", ...RATE, "--expect", "p99 <= 1s during x"], /no such window/],
    ["too few samples", ["URL", ...RATE, "--expect", "p999 <= 1s"], /no pass with less/],
    ["a slice that is none", ["URL", ...RATE, "--slice", "2/2"], /0\/4/],
    ["a slice without a directory", ["URL", ...RATE, "--slice", "0/2"], /--out/],
    ["a start that is no time", ["URL", ...RATE, "--start-at", "noon"], /2026-11-30T/],
  ] as const)("%s", async (_, args, says) => {
    await using server = await CountingServer.start();
    const ended = await start(args.map((arg) => (arg === "URL" ? server.url : arg))).ended;
    expect(ended).toMatchObject({ code: 64, out: "", err: expect.stringMatching(says) });
    expect(server.asked).toHaveLength(0);
  });
});

test("two slices that begin together are judged as one from their one directory", async () => {
  await using server = await CountingServer.start();
  const out = join(place.dir, "sliced");
  const soon = new Date(Date.now() + 6_000).toISOString();
  const args = ["--rate", "60/s", "--for", "2s", "--start-at", soon, "--out", out, "--json"];
  const slices = await Promise.all(
    ["0/2", "1/2"].map((slice) => start([server.url, ...args, "--slice", slice]).ended),
  );
  expect(slices.map(({ code }) => code)).toEqual([0, 0]);
  expect(slices.map(({ out: text }) => JSON.parse(text).rows)).toEqual([60, 60]);
  expect(server.asked).toHaveLength(120);
  const judged = JSON.parse((await place.run("report", out, "--json")).out);
  expect(judged.balance).toEqual({ holds: true, problems: [] });
  expect(judged.counts).toMatchObject({ planned: 120, sent: 120, ok: 120 });
});

test("a signal ends it with its code, and its figures are printed all the same", async () => {
  await using server = await CountingServer.start();
  const running = start([server.url, "--rate", "50/s", "--for", "60s", "--json"]);
  await running.until(() => server.asked.length > 20);
  running.kill("SIGINT");
  const ended = await running.ended;
  expect(ended.code).toBe(130);
  const found = figures(ended);
  expect(found.planned).toBe(3_000);
  expect(found.sent + found.dropped).toBe(3_000);
  expect(readdirSync(temporary)).toEqual([]);
});
