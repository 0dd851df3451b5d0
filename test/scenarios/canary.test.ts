// The scenario canary through the built command: the new version is judged by its own answers.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { Workplace } from "../support/command-line.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";

const CANARY = fileURLToPath(new URL("../../scenarios/canary/", import.meta.url));
const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

/** A test looks at the command, not at the machine: fewer a second, and none is too slow. */
function calm(): string {
  const folder = join(place.dir, "canary");
  cpSync(CANARY, folder, { recursive: true });
  const file = join(folder, "scenario.yaml");
  const yaml = readFileSync(file, "utf8");
  const kept = yaml
    .split("\n")
    .filter((line) => !/^ {2}- .*\.p\d\d/.test(line))
    .join("\n")
    .replace("lag-p99: 20ms", "lag-p99: 60s")
    .replace("cpu: 90%", "cpu: 100%")
    .replace("timeout: 3s", "timeout: 60s")
    .replace("at: 60/s", "at: 40/s")
    .replaceAll("v2.errors.rate <= 1%", "v2.errors.rate <= 2%")
    .replace("shopper.errors.rate <= 5%", "shopper.errors.rate <= 8%");
  writeFileSync(file, kept);
  return folder;
}

describe("a canary", () => {
  const folder = calm();

  test.each([
    ["naive", 1],
    ["hardened", 0],
  ])(
    "that is %s ends with %i, and its numbers add up",
    async (variant, code) => {
      const out = join(place.dir, variant);
      const ended = await place.run("run", folder, "--variant", variant, "--out", out);
      expect(ended).toMatchObject({ code });
      const result = RESULT_SCHEMA.parse(
        JSON.parse(readFileSync(join(out, "result.json"), "utf8")),
      );
      const judged = Object.fromEntries(result.criteria.map((one) => [one.text, one.verdict]));
      expect(judged).toMatchObject({
        "v2.errors.rate <= 2% during canary": code === 1 ? "fail" : "pass",
        "shopper.errors.rate <= 8% during canary": "pass",
      });
      const { versions = [], counts } = result;
      expect(versions.map(({ version }) => version)).toEqual(["v1", "v2"]);
      const sum = (of: (row: (typeof versions)[number]) => number) =>
        versions.reduce((total, row) => total + of(row), 0);
      expect(sum(({ n }) => n)).toBe(counts.sent);
      expect(sum(({ ok }) => ok)).toBe(counts.ok);
      expect(sum(({ errored }) => errored)).toBe(counts.errored);
      expect(versions[1]?.weight).toBe(0.25);
      expect(versions[1]?.share).toBeGreaterThan(0.15);
      expect(versions[1]?.share).toBeLessThan(0.35);
      expect(ended.out).toMatch(/by version/);
    },
    240_000,
  );
});
