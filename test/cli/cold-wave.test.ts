// Execution environments that undo replaces: their cold starts are marked, end to end.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Ended, Workplace } from "../support/command-line.ts";

const FIXTURE = fileURLToPath(new URL("../fixtures/cold-wave/", import.meta.url));

interface Wave {
  readonly window: string;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly cold_starts: number;
  readonly end: string;
}
interface Result {
  readonly faults: readonly { readonly restore_asked_ms: number; readonly cold_wave: Wave }[];
  readonly criteria: readonly {
    readonly text: string;
    readonly n: number;
    readonly reason: string;
    readonly window: { readonly start_ms: number } | null;
  }[];
}

describe("a run that recycles the environments of a function without alias", () => {
  const place = new Workplace();
  const scenario = join(place.dir, "wave");
  const run = join(place.dir, "run");
  let ended: Ended;
  let result: Result;
  beforeAll(async () => {
    cpSync(FIXTURE, scenario, { recursive: true });
    ended = await place.run("run", scenario, "--out", run);
    result = JSON.parse(readFileSync(join(run, "result.json"), "utf8"));
  }, 300_000);
  afterAll(() => place[Symbol.asyncDispose]());
  const criterion = (text: string) => result.criteria.find((one) => one.text.startsWith(text));

  test("marks the cold starts of its undo as a wave with a beginning and an end", () => {
    expect(ended.code, ended.out + ended.err).toBe(0);
    const [fault] = result.faults;
    expect(fault?.cold_wave).toMatchObject({ window: "recycle-cold-wave" });
    expect(["calm", "bound", "run"]).toContain(fault?.cold_wave.end); // a busy machine starts more
    expect(fault?.cold_wave.start_ms).toBe(fault?.restore_asked_ms);
    expect(fault?.cold_wave.cold_starts).toBeGreaterThan(0);
    expect(ended.out.replaceAll(/\s+/g, " ")).toMatch(
      /cold wave of recycle for [\d.]+ s: \d+ cold/,
    );
  });

  test("begins the next phase after it, and says whose cold starts another window holds", () => {
    const wave = result.faults[0]!.cold_wave;
    expect(criterion("order.cold.rate <= 100% during recycle-cold-wave")?.n).toBeGreaterThan(0);
    expect(
      criterion("order.cold.rate <= 100% during after")?.window?.start_ms,
    ).toBeGreaterThanOrEqual(wave.end_ms);
    expect(result.criteria.find(({ text }) => text === "order.cold.rate <= 100%")?.reason).toMatch(
      /of its cold starts (is|are) of the cold wave that the undo of recycle caused/,
    );
  });

  test("shows it in the HTML report", () => {
    expect(readFileSync(join(run, "report.html"), "utf8")).toContain("Cold wave of recycle for");
  });

  test("a criterion about the wave of a fault without one is an error before anything", async () => {
    const file = join(scenario, "scenario.yaml");
    const yaml = readFileSync(file, "utf8");
    writeFileSync(file, yaml.replace("during recycle-cold-wave", "during other-cold-wave"));
    const linted = await place.run("lint", scenario);
    expect(linted.code).toBe(64);
    expect(linted.err).toContain("unknown window `other-cold-wave`");
    expect(linted.err).toContain("recycle-cold-wave");
  });
});
