// `gatecrash lint` on scenarios that a person might write: what it says, and its exit code.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scenarioText } from "../scenario/support.ts";
import { gatecrash } from "../support/in-process.ts";

const SHOP = fileURLToPath(new URL("../../scenarios/zero-concurrency/", import.meta.url));
let dir = "";
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "gatecrash-lint-"));
});
afterAll(() => rmSync(dir, { recursive: true }));

/** 40/s for 10 s of `before`, then 10 s of `zero`, unless a line says otherwise. */
function lint(lines: string, ...flags: string[]) {
  const file = join(dir, "scenario.yaml");
  writeFileSync(file, scenarioText(lines));
  return gatecrash("lint", file, ...flags);
}
const BOUND = "shopper.errors.rate <= 5% during before";

describe("gatecrash lint", () => {
  it("is content with criteria that the plan can decide", async () => {
    const { code, out, err } = await lint("accept: [dropped == 0, errors.rate <= 10%]");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/✓ {2}errors\.rate <= 10% +800 +203 +100 % {2}primary/);
    expect(out).toMatch(/\n0 errors, 0 warnings\n$/);
  });

  it("refuses a primary criterion that can never pass, and names what it lacks", async () => {
    const { code, out } = await lint(`accept: [shopper.p999 <= 1s during before, ${BOUND}]`);
    expect(code).toBe(64);
    expect(out).toMatch(
      /error: .*scenario\.yaml:5: .*400 samples during before, no pass with less/,
    );
  });

  it("is heeded by run: nothing is sent, and no run is left behind", async () => {
    const file = join(dir, "scenario.yaml");
    writeFileSync(file, scenarioText(`accept: [shopper.p999 <= 1s during before, ${BOUND}]`));
    const out = join(dir, "run");
    const { code, err } = await gatecrash("run", file, "--out", out, "--quiet");
    expect([code, existsSync(out)]).toEqual([64, false]);
    expect(err).toMatch(/^error: .*400 samples during before, no pass with less than 2,995$/m);
  });

  it("warns of the same where another criterion is primary", async () => {
    const accept = `accept: [shopper.p999 <= 1s during before, "${BOUND} primary"]`;
    const { code, out } = await lint(accept);
    expect([code, out.match(/\d errors, \d warnings/)?.[0]]).toEqual([0, "0 errors, 2 warnings"]);
  });

  it("refuses a primary criterion over less than ten seconds", async () => {
    const short = "phases: [{ before: 9s }, { zero: 10s }]";
    const { code, out } = await lint(`${short}\naccept: ["${BOUND} primary"]`);
    expect([code, out]).toEqual([64, expect.stringContaining("samples in 9 s during before")]);
  });

  it("says everything as data", async () => {
    const { code, out } = await lint("accept: [shopper.p99 <= 1s]", "--json");
    const { errors, variants } = JSON.parse(out);
    expect([code, errors, variants.length]).toEqual([64, 1, 1]);
    expect(variants[0].findings.map(({ severity }: { severity: string }) => severity)).toEqual([
      ...["error", "warning"],
    ]);
    expect(variants[0].criteria[0]).toMatchObject({
      ...{ text: "shopper.p99 <= 1s", primary: true, samples: 800, needed: 2_185 },
      ...{ decidable: "unlikely", samples_at_most: false },
    });
  });

  it("looks at every variant of a scenario without starting anything", async () => {
    const { code, out } = await gatecrash("lint", SHOP, "--json");
    const { variants } = JSON.parse(out) as { variants: { variant: string }[] };
    expect([code, variants.map(({ variant }) => variant)]).toEqual([0, ["naive", "hardened"]]);
  });

  it("ends with 64 for a file that is none", async () => {
    expect(await gatecrash("lint", join(dir, "nowhere"))).toMatchObject({ code: 64, out: "" });
  });
});
