// Answers behind a gateway without access log, joined by an id that is echoed, or by their traces.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { Workplace } from "../support/command-line.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";

const ECHO = fileURLToPath(new URL("../fixtures/echo/", import.meta.url));
const TRACED = fileURLToPath(new URL("../fixtures/traced/", import.meta.url));
const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

test("the rung is recorded, every answer is waited for, costs and queues are judged", async () => {
  const out = join(place.dir, "run");
  const ended = await place.run("run", ECHO, "--out", out);
  expect(ended).toMatchObject({ code: 0 });
  const result = RESULT_SCHEMA.parse(JSON.parse(readFileSync(join(out, "result.json"), "utf8")));
  const answered = result.loads.find(({ load }) => load === "visitor")?.ok ?? 0;
  expect(answered).toBeGreaterThan(150);
  expect(result.joins).toEqual({
    ...{ access_log: 0, request_id: 0, trace: 0, front_alone: 0, unjoined: 0 },
    echo: answered,
  });
  expect(result.collected).toEqual({
    ...{ expected: answered, joined: answered, end: "joined", malformed: 0 },
  });
  expect(ended.err).toContain(`100.00 % of ${answered} answers found`);
  expect(result.cost?.functions).toMatchObject([{ name: "page", invocations: answered }]);
  const judged = Object.fromEntries(result.criteria.map((one) => [one.text, one]));
  const cost = judged["visitor.cost.per-million <= $50"]?.estimate ?? 0;
  expect(cost).toBeCloseTo(result.cost?.functions[0]?.usd_per_million ?? 0, 9);
  expect(judged["backlog.depth <= 60"]).toMatchObject({ verdict: "pass", kind: "census" });
}, 120_000);

test("a budget ends the waiting for lines that do not come, and says so", async () => {
  const folder = join(place.dir, "idle");
  cpSync(ECHO, folder, { recursive: true });
  const file = join(folder, "scenario.yaml");
  const yaml = readFileSync(file, "utf8").replace("wait: 20s", "wait: 10m");
  const start = yaml
    .slice(0, yaml.indexOf("accept:"))
    .replaceAll("outputs.PageArn", "outputs.IdleArn");
  writeFileSync(file, `${start}accept: [visitor.dropped == 0]\nbudget: 6s\n`);
  const out = join(place.dir, "idle-run");
  const began = Date.now();
  const ended = await place.run("run", folder, "--out", out);
  expect(ended).toMatchObject({ code: 0 });
  expect(Date.now() - began).toBeLessThan(60_000);
  expect(ended.err).toContain("warning: `budget:` is used up");
  const { collected, joins } = JSON.parse(readFileSync(join(out, "result.json"), "utf8"));
  expect(collected).toMatchObject({ joined: 0, end: "waited" });
  expect(joins.unjoined).toBeGreaterThan(150);
}, 120_000);

test("plan --probe says which rung works, by a few requests; without it nothing is sent", async () => {
  const plain = await place.run("plan", ECHO);
  expect(plain.out).not.toContain("PROBED");
  expect(plain.out).toContain("Nothing was sent, nothing was changed.");
  const probed = await place.run("plan", ECHO, "--probe");
  expect([probed.code, probed.err]).toEqual([0, ""]);
  const text = probed.out.replaceAll(/\s+/g, " ");
  expect(text).toMatch(
    /PROBED visitor: 3 probes: trace id no · request id yes · access log no · REPORT found 3\/3 after \d+ s → cold and warm will be told apart PROBED orders: a record is not joined/,
  );
  expect(text).toContain("3 probes sent, nothing was changed.");
  const json = await place.run("plan", ECHO, "--probe", "--json");
  expect(JSON.parse(json.out).probed).toMatchObject([
    { load: "visitor", sent: 3 },
    { load: "orders", sent: 0 },
  ]);
}, 120_000);

test("plan --probe invokes a function, and says where nothing leads to its lines", async () => {
  const wave = fileURLToPath(new URL("../fixtures/cold-wave/", import.meta.url));
  const invoked = (await place.run("plan", wave, "--probe")).out.replaceAll(/\s+/g, " ");
  expect(invoked).toMatch(/PROBED order: 3 probes: trace id no · request id yes · access log no/);
  const folder = join(place.dir, "unjoined");
  cpSync(ECHO, folder, { recursive: true });
  const file = join(folder, "scenario.yaml");
  const echoed = "    request-id: { header: X-Request-Id }\n";
  const yaml = readFileSync(file, "utf8");
  expect(yaml).toContain(echoed);
  writeFileSync(file, yaml.replace(echoed, ""));
  const unjoined = (await place.run("plan", folder, "--probe")).out.replaceAll(/\s+/g, " ");
  expect(unjoined).toMatch(/REPORT found 0\/3 after \d+ s → cold and warm will NOT be told apart/);
  const writes = yaml.replace('url: "{{outputs.ApiUrl}}/page"', "$&, method: POST");
  writeFileSync(
    file,
    writes.replace(
      "    rate: { at: 60/s }\n",
      "$&    body: { template: order.json, why: a test }\n",
    ),
  );
  const post = (await place.run("plan", folder, "--probe")).out.replaceAll(/\s+/g, " ");
  expect(post).toContain("PROBED visitor: not probed: every request of it writes");
}, 120_000);

test("behind a REST API that traces, every sampled answer is joined by its trace", async () => {
  const out = join(place.dir, "traced-run");
  const ended = await place.run("run", TRACED, "--out", out);
  expect(ended).toMatchObject({ code: 0 });
  const result = RESULT_SCHEMA.parse(JSON.parse(readFileSync(join(out, "result.json"), "utf8")));
  const answered = result.loads.find(({ load }) => load === "visitor")?.ok ?? 0;
  expect(answered).toBeGreaterThan(100);
  expect(result.joins).toEqual({
    ...{ access_log: 0, request_id: 0, echo: 0, front_alone: 0, unjoined: 0 },
    trace: answered,
  });
  expect(result.collected).toMatchObject({ expected: answered, joined: answered, end: "joined" });
}, 120_000);
