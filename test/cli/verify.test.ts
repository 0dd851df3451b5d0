// `gatecrash verify` on runs that are what they say, and on runs that somebody has touched.
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { commitChecks } from "../../src/cli/commit-checks.ts";
import { writeDerived } from "../../src/cli/report.ts";
import type { PlanFile } from "../../src/core/facts.ts";
import { report } from "../../src/report/report.ts";
import { gitBlobHash } from "../../src/run/run-directory.ts";
import { encodeLine } from "../../src/run/undo-record.ts";
import { goldenRuns } from "../support/golden-runs.ts";
import { gatecrash } from "../support/in-process.ts";
import { EPOCH_MS, writeRun } from "../support/run-directory.ts";
import { checkoutRecord } from "../support/undo-records.ts";

let root = "";
let dir = "";
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "gatecrash-verify-"));
});
afterAll(() => rmSync(root, { recursive: true }));

/** A finished run with its scenario, its derived files and a settled undo record. */
beforeEach(async () => {
  dir = join(root, "run");
  const run = goldenRuns().hardened!();
  const yaml = `accept:\n${run.plan.criteria.accept.map((text) => `  - ${text}\n`).join("")}`;
  const scenario = { ...run.plan.scenario, blob: gitBlobHash(yaml) };
  writeRun(dir, { ...run, plan: { ...run.plan, scenario } });
  writeFileSync(join(dir, "scenario.yaml"), yaml);
  const record = checkoutRecord();
  writeFileSync(join(dir, "undo.jsonl"), encodeLine({ at: 1, state: "open", record }));
  mark("verified");
  mark("settled");
  await writeDerived(await report(dir), { err: () => {} });
});

const mark = (state: "verified" | "settled" | "failed", detail?: string): void => {
  const { id } = checkoutRecord();
  const more = detail === undefined ? {} : { detail };
  appendFileSync(join(dir, "undo.jsonl"), encodeLine({ at: 2, state, id, ...more }));
};

/** Names of what does not hold, with the exit code. */
async function failing(): Promise<{ code: number; failing: string[] }> {
  const { code, out } = await gatecrash("verify", dir, "--json");
  const { checks } = JSON.parse(out) as { checks: { what: string; state: string }[] };
  return { code, failing: checks.filter(({ state }) => state === "no").map(({ what }) => what) };
}

function edit(file: string, text: string, other: string): void {
  const path = join(dir, file);
  const before = readFileSync(path, "utf8");
  if (!before.includes(text)) throw new Error(`${file} has no ${text}`);
  writeFileSync(path, before.replace(text, other));
}

describe("gatecrash verify", () => {
  it("finds nothing wrong with a run that nobody touched", async () => {
    const { code, out, err } = await gatecrash("verify", dir);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^PASS {3}all 3 primary criteria hold\n/);
    expect(out).toMatch(/✓ {2}result\.json recomputed +equal, byte for byte/);
    expect(out).toMatch(/✓ {2}changes are undone +1 of 1 records verified and settled/);
    expect(out).toMatch(/· {2}committed before the start +the run was in no repository/);
    expect(out).toMatch(/Everything that could be checked holds\. 1 could not be checked\.\n$/);
  });

  it("finds it wherever the directory is named from", async () => {
    expect((await gatecrash("verify", `${dir}/../run/`)).code).toBe(0);
  });

  it("notices criteria that were changed afterwards", async () => {
    edit("scenario.yaml", "<= 300ms", "<= 900ms");
    expect(await failing()).toEqual({
      ...{ code: 3, failing: ["scenario is the planned one", "criteria are the scenario's"] },
    });
  });

  it("notices a plan with other criteria than its scenario", async () => {
    edit("plan.json", "shopper.dropped == 0", "shopper.dropped <= 9");
    const found = await failing();
    expect(found.code).toBe(3);
    expect(found.failing).toContain("criteria are the scenario's");
  });

  it("notices a verdict that was written by hand", async () => {
    edit("result.json", '"n": ', '"n":  ');
    expect(await failing()).toEqual({ code: 3, failing: ["result.json recomputed"] });
  });

  it("notices attempts that are gone", async () => {
    rmSync(join(dir, "attempts", "0-0-2.parquet"));
    const found = await failing();
    expect(found.failing).toContain("facts balance");
    expect(found.code).toBe(3);
  });

  it("notices a change that was not put back, and says how", async () => {
    mark("failed", "no answer");
    expect(await failing()).toEqual({ code: 0, failing: [] }); // a closed record stays closed
    const record = checkoutRecord();
    writeFileSync(join(dir, "undo.jsonl"), encodeLine({ at: 1, state: "open", record }));
    expect(await failing()).toEqual({ code: 3, failing: ["changes are undone"] });
    const { out } = await gatecrash("verify", dir);
    expect(out).toContain("do now: aws lambda");
  });

  it("notices a fault without any record", async () => {
    rmSync(join(dir, "undo.jsonl"));
    expect(await failing()).toEqual({ code: 3, failing: ["changes are undone"] });
  });

  it("ends with 64 where there is no run", async () => {
    expect(await gatecrash("verify", root)).toMatchObject({ code: 64, out: "" });
  });
});

describe("the commit of a run", () => {
  let repository = "";
  let [commit, blob] = ["", ""];
  beforeAll(() => {
    repository = mkdtempSync(join(tmpdir(), "gatecrash-commit-"));
    const who = ["-c", "user.name=A", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false"];
    const git = (...args: string[]): string =>
      execFileSync("git", [...who, ...args], { cwd: repository, encoding: "utf8" }).trim();
    git("init", "--quiet");
    writeFileSync(join(repository, "scenario.yaml"), "accept: [dropped == 0]\n");
    git("add", ".");
    git("commit", "--quiet", "--message", "criteria");
    [commit, blob] = [git("rev-parse", "HEAD"), git("rev-parse", "HEAD:scenario.yaml")];
  });
  afterAll(() => rmSync(repository, { recursive: true }));

  const states = (more: Partial<PlanFile["scenario"]>, epochMs: number) => {
    const scenario = { file: "", variant: null, environment: "local", commit, blob, dirty: false };
    const plan = { scenario: { ...scenario, ...more }, epoch_ms: epochMs } as PlanFile;
    return commitChecks(plan, repository).map(({ state }) => state);
  };

  it("must be older than the run, hold its scenario, and be clean", () => {
    const late = EPOCH_MS + 1e12;
    expect(states({}, late)).toEqual(["yes", "yes"]);
    expect(states({}, 0)).toEqual(["no", "yes"]);
    expect(states({ blob: "0".repeat(40) }, late)).toEqual(["no", "yes"]);
    expect(states({ dirty: true }, late)).toEqual(["yes", "no"]);
  });

  it("is not known without its repository", () => {
    expect(states({ commit: null, dirty: null }, 0)).toEqual(["unknown"]);
    expect(states({ commit: "0".repeat(40) }, 0)).toEqual(["unknown", "yes"]);
  });
});
