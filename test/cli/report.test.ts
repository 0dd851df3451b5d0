// `gatecrash report` on run directories that others made: older ones, poorer ones, in every format.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { Workplace } from "../support/command-line.ts";

const GOLDEN = fileURLToPath(new URL("../golden/", import.meta.url));
const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

/** A copy of a golden run, without these files. */
function copyOf(name: string, without: readonly string[] = []): string {
  const dir = mkdtempSync(join(place.dir, `${name}-`));
  cpSync(join(GOLDEN, name), dir, { recursive: true });
  for (const file of without) rmSync(join(dir, file), { recursive: true, force: true });
  return dir;
}

const DERIVED = ["result.json", "report.txt", "report.md", "junit.xml"];
const OPTIONAL = [...DERIVED, "metrics.jsonl", "platform", "undo.jsonl", "scenario.yaml"];
const FORMATS = ["text", "json", "html", "junit", "markdown", "github", "hlog"];

describe("a run directory with nothing but its plan, events and attempts", () => {
  const dir = copyOf("naive", OPTIONAL);

  test.concurrent.each(FORMATS)("is judged as %s", async (format) => {
    const { code, out, err } = await place.run("report", dir, "--format", format);
    expect({ code, err }).toEqual({ code: 1, err: "" });
    expect(out.length).toBeGreaterThan(100);
  });

  test("says what it cannot know, and invents nothing", async () => {
    const { out } = await place.run("report", dir, "--json");
    const result = JSON.parse(out);
    expect(result.starts).toMatchObject({ cold: 0, warm: 0, unjoined: 2_257 });
    expect(result.joins).toEqual({
      ...{ access_log: 0, request_id: 0, echo: 0, trace: 0, front_alone: 0, unjoined: 2_257 },
    });
    expect(result.throttles).toEqual({
      ...{ client: {}, platform: {}, probes: {}, difference: "", logged: null },
    });
    const throttles = result.criteria.find((one: { text: string }) => /throttles/.test(one.text));
    expect(throttles).toMatchObject({
      ...{ verdict: "inconclusive", estimate: null },
      reason: "no metric points were read",
    });
  });
});

describe("an older run", () => {
  test("without the fields that came later is read as it was meant", async () => {
    const dir = copyOf("hardened");
    const file = join(dir, "plan.json");
    const { sinks: _, predicted: __, ...plan } = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify(plan));
    const { code, out } = await place.run("report", dir);
    expect(code).toBe(0);
    // Its last line names the directory, and breaks by its length.
    const judged = (text: string) => text.slice(0, text.lastIndexOf("\n  again "));
    expect(judged(out)).toBe(judged(readFileSync(join(GOLDEN, "hardened", "report.txt"), "utf8")));
  });

  test("is made again byte for byte, from whatever was deleted", async () => {
    const dir = copyOf("naive", DERIVED);
    await place.run("report", dir);
    const first = DERIVED.map((name) => readFileSync(join(dir, name), "utf8"));
    for (const name of DERIVED) rmSync(join(dir, name));
    await place.run("report", dir);
    expect(DERIVED.map((name) => readFileSync(join(dir, name), "utf8"))).toEqual(first);
  });

  test("keeps its own result when other criteria are asked", async () => {
    const dir = copyOf("naive", DERIVED);
    const criteria = join(place.dir, "other.yaml");
    writeFileSync(criteria, "accept: [shopper.dropped == 0]\n");
    const { code, out } = await place.run("report", dir, "--criteria", criteria);
    expect([code, out]).toEqual([0, expect.stringMatching(/^PASS +its one criterion holds/m)]);
    expect(existsSync(join(dir, "result.json"))).toBe(false);
  });
});

test("in a step of GitHub Actions: annotations are printed, the summary goes into its file", async () => {
  const dir = copyOf("naive");
  const summary = join(place.dir, "summary.md");
  writeFileSync(summary, "before\n");
  const env = { GITHUB_STEP_SUMMARY: summary };
  const { code, out } = await place.start(["report", dir, "--format", "github"], env).ended;
  expect(code).toBe(1);
  const lines = out.trimEnd().split("\n");
  expect(lines.filter((line) => !/^::(error|warning|notice) /.test(line))).toEqual([]);
  expect(lines.length).toBeLessThanOrEqual(10);
  const text = readFileSync(summary, "utf8");
  expect(text.startsWith("before\n")).toBe(true);
  expect(text).toContain("🔴 FAIL");
  expect(text).not.toMatch(/^::/m);
});
