// `gatecrash compare`: its exit codes, on runs with planted differences.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { goldenRuns } from "../support/golden-runs.ts";
import { gatecrash } from "../support/in-process.ts";
import { planFor, quietEvents, type RunSpec, writeRun } from "../support/run-directory.ts";

let dir = "";
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "gatecrash-compare-"));
  for (const [name, run] of Object.entries(goldenRuns())) writeRun(join(dir, name), run());
  const few = goldenRuns()["too-few"]!();
  const attempts = few.attempts.slice(0, 40);
  const events = quietEvents(10, attempts.length);
  writeRun(join(dir, "tiny"), { plan: planFor(few.plan, attempts), events, attempts });
  const good = goldenRuns().hardened!();
  writeRun(join(dir, "slow"), slower(good));
  const loads = good.plan.loads.map((load) => ({ ...load, name: "buyer" }));
  writeRun(join(dir, "other"), { ...good, plan: { ...good.plan, loads } });
});
afterAll(() => rmSync(dir, { recursive: true }));

/** Every service takes a fifth longer. */
function slower(run: RunSpec): RunSpec {
  const attempts = run.attempts.map((one) => {
    return { ...one, serviceUs: Math.round((one.serviceUs ?? 20_000) * 1.2) };
  });
  return { ...run, attempts };
}

const compare = (a: string, b: string, ...flags: string[]) =>
  gatecrash("compare", join(dir, a), join(dir, b), ...flags);

describe("gatecrash compare", () => {
  test.each([
    ["a run with itself", "hardened", "hardened", 0],
    ["what was with what is slower", "hardened", "slow", 1],
    ["what was with what is faster", "slow", "hardened", 0],
    ["what fails with what does not", "naive", "hardened", 0],
    ["what does not fail with what does", "hardened", "naive", 1],
    ["runs with too few seconds", "tiny", "tiny", 2],
    ["a run with an invalid one", "late-generator", "hardened", 3],
    ["runs of different loads", "hardened", "other", 64],
    ["a run with nothing", "hardened", "nowhere", 64],
  ])("of %s ends with its code", async (_, a, b, code) => {
    const found = await compare(a, b);
    expect(found.code).toBe(code);
    expect(found.out === "").toBe(code === 64);
  });

  test("prints one JSON document, or Markdown", async () => {
    const { out } = await compare("hardened", "slow", "--json");
    const { rows, a } = JSON.parse(out);
    expect(a.scenario.variant).toBe("hardened");
    expect(rows[0]).toMatchObject({
      load: "shopper",
      start: "all",
      measure: "p50",
      word: "slower",
    });
    const { out: table } = await compare("hardened", "slow", "--format", "markdown");
    expect(table).toMatch(/^\| shopper \| all \| p50 \| /m);
  });

  test("looks at one phase, and says so", async () => {
    const { out } = await compare("naive", "hardened", "--during", "before");
    expect(out).toMatch(/^during before$/m);
    expect(await compare("naive", "hardened", "--during", "lunch")).toMatchObject({ code: 64 });
  });
});
