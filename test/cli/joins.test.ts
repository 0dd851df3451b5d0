// Answers behind a gateway without access log, joined by the id that the handler echoes.
import { readFileSync } from "node:fs";
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
    ...{ access_log: 0, request_id: 0, trace: 0, unjoined: 0 },
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
