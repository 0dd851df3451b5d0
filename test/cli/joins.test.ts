// Answers behind a gateway without access log, joined by the id that the handler echoes.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { Workplace } from "../support/command-line.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";

const ECHO = fileURLToPath(new URL("../fixtures/echo/", import.meta.url));
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
