// What is sent, and when: the same for the same seed, and as a real recording had it.
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CaptureRecord } from "../../src/core/capture.ts";
import { Workplace } from "../support/command-line.ts";
import { readAttempts } from "../support/read-attempts.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";

const place = new Workplace();
// API Gateway's request ids have 16 characters, and so has every path: the facts then hold it.
const server = createServer((asked, answer) => {
  answer.writeHead(200, { "apigw-requestid": asked.url ?? "" }).end();
});
let origin = "";
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});
afterAll(async () => {
  server.close();
  await place[Symbol.asyncDispose]();
});

const LENIENT = "generator: { lag-p99: 10s, dropped: 0, cpu: 100% }";

function scenarioFile(name: string, text: string): string {
  const folder = join(place.dir, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "scenario.yaml"), text);
  return folder;
}

/** Forty pages a second for eight seconds, with stamps that know seconds only. */
function pagesLog(): string {
  const lines = Array.from({ length: 320 }, (_, i) => {
    const second = String(10 + Math.floor(i / 40)).padStart(2, "0");
    const path = `/page-${String(i).padStart(10, "0")}`;
    return `10.0.0.${i % 7} - - [17/May/2015:10:05:${second} +0000] "GET ${path} HTTP/1.1" 200 20 "-" "-"\n`;
  });
  return lines.join("");
}

type Sent = readonly (readonly [load: number, index: number, dueUs: number, path: string])[];

async function sentWith(name: string, ...flags: string[]): Promise<Sent> {
  const folder = scenarioFile(
    name,
    `gatecrash: 1
title: The same again
${LENIENT}
phases: [{ all: 2500ms }]
loads:
  reader: { replay: { file: pages.log, speed: 4 }, http: { url: "${origin}" } }
  caller:
    rate: { at: 40/s, arrivals: poisson }
    http: { url: "${origin}/call-0000000000" }
accept: [reader.dropped == 0 primary, caller.dropped == 0 primary]
`,
  );
  writeFileSync(join(folder, "pages.log"), pagesLog());
  const out = join(folder, "run");
  const { code, err } = await place.run("run", folder, "--out", out, ...flags);
  expect(code, err).toBe(0);
  const attempts = await readAttempts(out);
  return attempts.map(({ load, index, dueUs, requestId }) => {
    return [load, index, dueUs, Buffer.from(requestId ?? "", "hex").toString("utf8")];
  });
}

describe("the same seed", () => {
  let sent: Sent;
  let again: Sent;
  let other: Sent;
  beforeAll(async () => {
    [sent, again, other] = await Promise.all([
      sentWith("first", "--seed", "7"),
      sentWith("again", "--seed", "7", "--workers", "2"),
      sentWith("other", "--seed", "8"),
    ]);
  }, 90_000);

  test("gives the same arrivals in every process: load, index, due, path", () => {
    expect(sent.filter(([load]) => load === 0).length).toBe(320);
    expect(again).toEqual(sent);
  });

  test("and another one differs where chance decides, and only there", () => {
    const replayed = (of: Sent) => of.filter(([load]) => load === 0);
    const dues = (of: Sent): number[] => of.map(([, , dueUs]) => dueUs);
    const paths = (of: Sent): string[] => replayed(of).map(([, , , path]) => path);
    expect(paths(other)).toEqual(paths(sent));
    expect(dues(replayed(other))).not.toEqual(dues(replayed(sent)));
    const called = (of: Sent) => of.filter(([load]) => load === 1);
    expect(dues(called(other))).not.toEqual(dues(called(sent)));
    // Seconds of the recording stay seconds of the recording.
    const quarter = (of: Sent) => dues(replayed(of)).filter((us) => us < 1_000_000).length;
    expect(Math.abs(quarter(other) - quarter(sent))).toBeLessThanOrEqual(40);
  });
});

const LOG = join(process.env.GATECRASH_TRAFFIC ?? "", "apache-combined-2015-10k.log");
const missing = process.env.GATECRASH_TRAFFIC === undefined || !existsSync(LOG);
const WHY = "GATECRASH_TRAFFIC names no folder with apache-combined-2015-10k.log";

/** The busiest hour in eight seconds. */
const SPEED = 450;

const TEMPLATE = `AWSTemplateFormatVersion: "2010-09-09"
Transform: AWS::Serverless-2016-10-31
Resources:
  Api: { Type: AWS::Serverless::HttpApi }
  Site:
    Type: AWS::Serverless::Function
    Properties:
      Runtime: nodejs22.x
      Handler: site.handler
      Events:
        Any: { Type: HttpApi, Properties: { ApiId: !Ref Api, Method: ANY, Path: $default } }
Outputs:
  Url: { Value: !Sub "https://\${Api}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}" }
`;

describe("the busiest hour of a real recording", () => {
  let hour: CaptureRecord[] = [];
  let dir = "";

  beforeAll(async () => {
    if (missing) return;
    const folder = scenarioFile(
      "real",
      `gatecrash: 1
title: The busiest hour again, ${SPEED} times as fast
template: template.yaml
${LENIENT}
loads:
  site:
    replay: { file: hour.ndjson, speed: ${SPEED} }
    http: { url: "{{outputs.Url}}" }
accept: [site.dropped == 0 primary, site.errors.rate <= 1%]
`,
    );
    writeFileSync(join(folder, "template.yaml"), TEMPLATE);
    writeFileSync(
      join(folder, "site.mjs"),
      "export const handler = async ({ rawPath }) => ({ statusCode: 200, body: rawPath });\n",
    );
    const file = join(folder, "hour.ndjson");
    const flags = ["--window", "busiest:60m", "--out", file];
    const imported = await place.run("import", LOG, ...flags);
    expect(imported).toMatchObject({ code: 0, err: "" });
    hour = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    dir = join(folder, "run");
    const ended = await place.run("run", folder, "--out", dir);
    expect(ended, ended.err).toMatchObject({ code: 0 });
  }, 120_000);

  /** Seconds since 1970 of every line of the log, by the log's own words alone. */
  function stampsOf(): number[] {
    const lines = readFileSync(LOG, "utf8").trimEnd().split("\n");
    return lines.map((line) => {
      const [, day, month, year, time, zone] =
        /\[(\d+)\/(\w+)\/(\d+):([\d:]+) ([+-]\d+)\]/.exec(line) ?? [];
      return Date.parse(`${day} ${month} ${year} ${time} ${zone}`) / 1_000;
    });
  }

  test("is an hour of the log, whole, and none is busier", ({ skip }) => {
    if (missing) skip(WHY);
    const stamps = stampsOf();
    const seconds = hour.map((one) => Math.floor(one.t_start_us / 1e6));
    expect(seconds).toEqual(hour.map(({ source }) => stamps[source.line - 1]));
    const first = seconds[0] ?? 0;
    const inside = (at: number): boolean => at > first && at < first + 3_600;
    expect(seconds.filter(inside).length).toBe(stamps.filter(inside).length);
    const sorted = stamps.toSorted((a, b) => a - b);
    const most = sorted.map(
      (from) => sorted.filter((at) => at >= from && at < from + 3_600).length,
    );
    // Whole seconds decide an hour's edges only up to the second they lie in.
    expect(hour.length).toBeGreaterThan(Math.max(...most) - 20);
  });

  test("is replayed with its own count in every second, and a balance that is exact", async ({
    skip,
  }) => {
    if (missing) skip(WHY);
    const start = hour[0]?.t_start_us ?? 0;
    const recorded: number[] = [];
    for (const { t_start_us: at, method } of hour) {
      if (!["GET", "HEAD", "OPTIONS"].includes(method)) continue;
      const second = Math.floor((at - start) / SPEED / 1e6);
      recorded[second] = (recorded[second] ?? 0) + 1;
    }
    const replayed: number[] = [];
    const attempts = await readAttempts(dir);
    for (const { dueUs, attempt } of attempts) {
      expect(attempt).toBe(1);
      const second = Math.floor(dueUs / 1e6);
      replayed[second] = (replayed[second] ?? 0) + 1;
    }
    expect(Array.from(replayed)).toEqual(Array.from(recorded));

    const result = RESULT_SCHEMA.parse(JSON.parse(readFileSync(join(dir, "result.json"), "utf8")));
    const { planned, sent, dropped, ok, throttled, errored, unknown } = result.counts;
    expect(result.balance).toEqual({ holds: true, problems: [] });
    expect([planned, sent, dropped]).toEqual([attempts.length, attempts.length, 0]);
    expect([ok, throttled, errored, unknown]).toEqual([sent, 0, 0, 0]);
  });
});
