// A run that passes, from every side: what is printed and written, and who agrees with it.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { OUTCOMES } from "../../src/core/outcome.ts";
import { type Ended, type LocalCommand, Workplace } from "../support/command-line.ts";

const SCHEMA = new URL("../../schema/result.schema.json", import.meta.url);
const place = new Workplace();
const dir = join(place.dir, "passing run"); // a space is a letter like any other
let local: LocalCommand;
let ended: Ended;

beforeAll(async () => {
  const scenario = place.scenario();
  local = await place.local(join(scenario, "template.yaml"));
  ended = await place.run("run", scenario, "--endpoint", local.endpoint, "--out", dir, "--json");
}, 120_000);
afterAll(() => place[Symbol.asyncDispose]());

const textOf = (...path: string[]): string => readFileSync(join(dir, ...path), "utf8");

describe("a run that passes, with --json", () => {
  test("ends with 0 and prints result.json and nothing else", () => {
    expect({ code: ended.code, err: ended.err }).toEqual({
      code: 0,
      err: expect.not.stringMatching(/^(?!warning: ).+/m),
    });
    expect(ended.out).toBe(textOf("result.json"));
  });

  test("prints what schema/result.schema.json says", () => {
    const schema = z.fromJSONSchema(JSON.parse(readFileSync(SCHEMA, "utf8")));
    expect(schema.parse(JSON.parse(ended.out))).toMatchObject({ verdict: "pass", exit_code: 0 });
    expect(schema.safeParse({ ...JSON.parse(ended.out), more: 1 }).success).toBe(false);
  });

  test("is judged again from its facts alone, byte for byte", async () => {
    const derived = readdirSync(dir).filter((name) => /^(result|report|junit)\./.test(name));
    const before = derived.map((name) => textOf(name));
    expect(derived).toEqual(expect.arrayContaining(["result.json", "report.txt"]));
    for (const name of derived) rmSync(join(dir, name));
    const again = await place.run("report", dir);
    expect(again).toMatchObject({ code: 0, err: "" });
    expect(derived.map((name) => textOf(name))).toEqual(before);
    expect(again.out).toBe(textOf("report.txt"));
  });

  test("is judged by other criteria without becoming another run", async () => {
    const criteria = join(place.dir, "stricter.yaml");
    writeFileSync(
      criteria,
      "accept:\n  - visitor.max <= 1us primary\n  - visitor.errors.rate <= 100%\n",
    );
    const before = textOf("result.json");
    const judged = await place.run("report", dir, "--criteria", criteria);
    expect(judged).toMatchObject({
      code: 1,
      err: "",
      out: expect.stringMatching(/^FAIL +visitor\.max <= 1us/m),
    });
    expect(textOf("result.json")).toBe(before);
  });

  test("refuses criteria about what was not in it, with their place", async () => {
    const criteria = join(place.dir, "wrong.yaml");
    writeFileSync(criteria, "accept:\n  - visitor.dropped == 0\n  - vistor.dropped == 0\n");
    const judged = await place.run("report", dir, "--criteria", criteria);
    expect(judged).toMatchObject({ code: 64, out: "" });
    expect(judged.err).toMatch(/^error: .*wrong\.yaml:3: .*`vistor.*\n.*visitor/);
  });

  test("has written a lease, the proof of its undo, the fault and its undo, and no more", async () => {
    const answer = await fetch(`${local.endpoint}/_local/audit`);
    const { writes } = (await answer.json()) as { writes: { action: string; resource: string }[] };
    const lease = expect.stringMatching(/:schedule\/gatecrash\/gc-[0-9a-f]{40}$/);
    expect(writes.map(({ action, resource }) => [action, resource])).toEqual([
      ["CreateScheduleGroup", expect.stringMatching(/:schedule-group\/gatecrash$/)],
      ["CreateSchedule", lease],
      // The prior is put over itself first: whoever cannot restore must not inject.
      ["DeleteFunctionConcurrency", local.outputs.OpenArn],
      ["PutFunctionConcurrency", local.outputs.OpenArn],
      ["DeleteFunctionConcurrency", local.outputs.OpenArn],
      ["DeleteSchedule", lease],
    ]);
  });
});

describe("an independent reader", () => {
  let duck: DuckDBConnection;
  beforeAll(async () => {
    duck = await (await DuckDBInstance.create()).connect();
  });
  const rows = async (sql: string) => (await duck.runAndReadAll(sql)).getRowObjects();
  const parquet = (folder: string): string => `'${join(dir, folder, "*.parquet")}'`;

  test("finds the same response times, cold and warm, to the microsecond", async () => {
    // API Gateway's id has 16 characters: the attempt's key is those.
    const found = await rows(`
      with attempt as (
        select decode(request_id) as front,
          ready_d + sent_d + case when first_d < 0 then done_d else first_d + done_d end as us
        from ${parquet("attempts")} where outcome = ${OUTCOMES.indexOf("ok")} and attempt = 1),
      line as (select front_request_id as front, request_id as id from ${parquet("platform")}
        where kind = 'access'),
      report as (select request_id as id, coalesce(init, restore) is not null as cold
        from ${parquet("platform")} where kind = 'report')
      select cold, count(*)::int as n, max(us)::int as max_us,
        list_sort(list(us))[ceil(0.99 * count(*))::int]::int as p99_us
      from attempt join line using (front) join report using (id) group by cold order by cold`);
    const said = JSON.parse(ended.out).latencies as { [key: string]: number & string }[];
    const mine = ["warm", "cold"].map((start) => {
      const one = said.find((row) => row.start === start);
      const us = (ms: number | undefined): number => Math.round((ms ?? 0) * 1_000);
      return {
        cold: start === "cold",
        n: one?.n,
        max_us: us(one?.max_ms),
        p99_us: us(one?.p99_ms),
      };
    });
    expect(found).toEqual(mine);
    expect(mine[0]?.n).toBeGreaterThan(50);
  });

  test("finds as many cold starts as there are log streams", async () => {
    const where = { endpoint: local.endpoint, region: "eu-west-1", account: null, runId: "test" };
    const { events } = await createControlPlane(where).call("logs", "FilterLogEvents", {
      logGroupName: "/aws/lambda/open",
    });
    const streams = new Set(
      (events as { logStreamName: string }[]).map((one) => one.logStreamName),
    );
    const [cold] = await rows(`select count(*)::int as n, count(distinct stream)::int as streams
      from ${parquet("platform")} where kind = 'report' and init is not null`);
    expect(cold).toEqual({ n: streams.size, streams: streams.size });
    expect(streams.size).toBeGreaterThan(0);
  });
});

describe("--dry-run", () => {
  test("names what would be sent, changed and put back, and does none of it", async () => {
    const audit = async (): Promise<string> =>
      (await fetch(`${local.endpoint}/_local/audit`)).text();
    const before = await audit();
    const out = join(place.dir, "dry");
    const args = ["--endpoint", local.endpoint, "--out", out, "--dry-run"];
    const dry = await place.run("run", place.scenario(), ...args);
    expect(dry).toMatchObject({ code: 0 });
    expect(dry.out).toMatch(/visitor: \d+ arrivals/);
    expect(dry.out).toMatch(
      /aws lambda put-function-concurrency --function-name \S*open .*--endpoint-url/,
    );
    expect(dry.out).toMatch(/aws lambda delete-function-concurrency --function-name \S*open/);
    expect([await audit(), existsSync(out)]).toEqual([before, false]);
  });
});

/**
 * Both have the time to bring their fault into force, on a busy machine too; in all it is less than
 * the ten seconds after which progress is told.
 */
const ROOMY = { "gone: 2500ms": "gone: 6s" };

test("two runs side by side, each with a local AWS of its own, do not disturb each other", {
  timeout: 90_000,
}, async () => {
  const before = place.processes();
  const both = await Promise.all(
    ["a", "b"].map((name) =>
      place.run("run", place.scenario(ROOMY), "--out", join(place.dir, name)),
    ),
  );
  for (const { code, out, err } of both) {
    const passed = expect.stringMatching(/1 of 1 undone and verified/);
    expect({ code, out }, err).toEqual({ code: 0, out: passed });
    // Nobody looks at a terminal: whole lines, no control characters.
    const said = err.split("\n").filter((line) => !line.startsWith("warning: "));
    const steps = said.filter((line) => !/^[\d.]+ % of [\d,]+ answers found/.test(line));
    expect(steps).toEqual([
      ...["starting local AWS", "planning", "reading REPORT and access-log lines"],
      ...["reading metrics", ""],
    ]);
    expect(out).not.toContain("\u001b");
  }
  expect(place.processes()).toEqual(before);
});
