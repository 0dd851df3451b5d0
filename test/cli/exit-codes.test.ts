// Every way a run can end, by its exit code: the built command and its own local AWS.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Workplace } from "../support/command-line.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

const PRIMARY = "function(OpenArn).throttles > 0 primary";

interface Way {
  readonly name: string;
  readonly edits: { readonly [text: string]: string };
  readonly exit: number;
  readonly verdict: string;
  readonly says: RegExp;
}

const WAYS: readonly Way[] = [
  {
    name: "a criterion that does not hold",
    edits: { [PRIMARY]: "function(OpenArn).throttles == 0 primary" },
    exit: 1,
    verdict: "fail",
    says: /^FAIL +function\(OpenArn\)\.throttles == 0/m,
  },
  {
    name: "a criterion without a single sample",
    edits: { [PRIMARY]: "function(OpenArn).init.p50 <= 1s during after primary" },
    exit: 2,
    verdict: "inconclusive",
    says: /^INCONCLUSIVE +function\(OpenArn\)\.init\.p50/m,
  },
  {
    name: "a generator beyond its limits",
    edits: { "lag-p99: 5s": "lag-p99: 1us" },
    exit: 3,
    verdict: "invalid",
    says: /^INVALID +the generator was late/m,
  },
  {
    name: "a system that was not steady",
    edits: { "accept:\n": "steady:\n  - visitor.errors.rate > 50%\naccept:\n" },
    exit: 3,
    verdict: "invalid",
    says: /^INVALID +not steady before the fault, so nothing was injected/m,
  },
  {
    name: "a stop condition",
    edits: { "accept:\n": "stop-when:\n  - visitor.errors.rate > 20%\naccept:\n" },
    exit: 5,
    verdict: "",
    says: /stopped/i,
  },
];

/** Nine runs share the machine with whatever else runs there. */
const PATIENT = { timeout: 120_000 };

describe("the exit code of", PATIENT, () => {
  test.concurrent.each(WAYS)("$name is $exit", async ({ name, edits, exit, verdict, says }) => {
    const out = join(place.dir, name.replaceAll(" ", "-"));
    const ended = await place.run("run", place.scenario(edits), "--out", out);
    expect(ended).toMatchObject({ code: exit, out: expect.stringMatching(says) });
    const result = RESULT_SCHEMA.parse(JSON.parse(readFileSync(join(out, "result.json"), "utf8")));
    if (verdict !== "") expect(result.verdict).toBe(verdict);
    expect(result.balance).toEqual({ holds: true, problems: [] });
    expect(result.faults.map(({ undone }) => undone)).toEqual(
      result.faults.map(({ asked_ms }) => asked_ms !== null),
    );
  });

  test.concurrent.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s is %i, and the fault is put back first", async (signal, exit) => {
    const out = join(place.dir, `run-${signal}`);
    const running = place.start(["run", place.scenario(), "--out", out]);
    await running.until(() => eventsOf(out).includes('"onset"'));
    running.kill(signal);
    const ended = await running.ended;
    expect(ended.code).toBe(exit);
    const result = RESULT_SCHEMA.parse(JSON.parse(readFileSync(join(out, "result.json"), "utf8")));
    expect(result.faults[0]).toMatchObject({ injected: true, undone: true, verified: true });
    expect(result.balance.holds).toBe(true);
    expect(ended.out).toMatch(/1 of 1 undone and verified/);
  });

  test.concurrent.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s before anything was sent is %i, without a report", async (signal, exit) => {
    const out = join(place.dir, `early-${signal}`);
    const running = place.start(["run", place.scenario(), "--out", out]);
    await running.until(() => running.err.includes("starting local AWS"));
    running.kill(signal);
    const ended = await running.ended;
    expect([ended.code, ended.out, existsSync(out)]).toEqual([exit, "", false]);
  });
});

test("no process is left behind by any of them", () => place.quiet());

function eventsOf(run: string): string {
  const file = join(run, "events", "0.jsonl");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
