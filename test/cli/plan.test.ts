// `gatecrash plan` against a local AWS that it starts and stops: figures, changes, nothing sent.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { gatecrash } from "../support/in-process.ts";

const SHORT = fileURLToPath(new URL("../fixtures/short/", import.meta.url));
const SHOP = fileURLToPath(new URL("../../scenarios/zero-concurrency/", import.meta.url));
let dir = "";
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "gatecrash-plan-"));
  cpSync(SHORT, dir, { recursive: true });
});
afterAll(() => rmSync(dir, { recursive: true }));

const YAML = readFileSync(join(SHORT, "scenario.yaml"), "utf8");

function scenario(edits: { readonly [text: string]: string }): string {
  let yaml = YAML;
  for (const [text, other] of Object.entries(edits)) yaml = yaml.replace(text, other);
  writeFileSync(join(dir, "scenario.yaml"), yaml);
  return dir;
}

/** 100/s for a second, then so many for ten. */
const burst = (perSecond: number) => ({
  "rate: { at: 60/s, arrivals: poisson }": `rate: { steps: [{ at: 100/s, for: 1s }, { at: ${perSecond}/s, for: 10s }] }`,
  "after: 1s": "after: 8s",
  "requests: 2000": "requests: 200000",
});

describe("gatecrash plan", () => {
  it("of the first scenario says who would be sent what, and how it would be undone", async () => {
    const { code, out, err } = await gatecrash("plan", SHOP, "--variant", "hardened");
    expect([code, err]).toEqual([0, ""]);
    const labels = [...out.matchAll(/^([A-Z]{3,})\b/gm)].map(([, label]) => label);
    expect([...new Set(labels)]).toEqual([
      ...["WHERE", "WHO", "SEND", "NEEDS", "SHARES", "JOIN", "DECIDES"],
      ...["STOPS", "EGRESS", "COST", "CHANGES", "DATA", "ASSUMED"],
    ]);
    const flat = out.replaceAll(/\s+/g, " ");
    expect(flat).toContain("STOPS at shopper.in-flight > 350");
    expect(flat).toContain("10,913 arrivals in 50 s: 218/s mean, 391/s worst second");
    expect(flat).toContain("× 42.6 ms recorded");
    expect(flat).toContain("prior: ReservedConcurrentExecutions unset");
    expect(flat).toContain(
      "undo: aws lambda delete-function-concurrency --function-name local-Checkout",
    );
    expect(out).toMatch(/0 errors, \d warnings\. Nothing was sent, nothing was changed\.\n$/);
    const prose = out.split("\n").filter((line) => !/^ +(inject|undo): aws /.test(line));
    for (const line of prose) expect([...line].length).toBeLessThanOrEqual(100);
  });

  test.each([
    [5_000, 1_000, { environments: 600, new_environments: 588, scaling_s: 0, too_many: 0 }],
    [15_000, 1_000, { environments: 1_800, new_environments: 988, scaling_s: 0, too_many: 800 }],
    [15_000, 3_000, { environments: 1_800, new_environments: 1_788, scaling_s: 7.88, too_many: 0 }],
  ])("at %i/s and a quota of %i needs what closed forms say", async (perSecond, quota, needs) => {
    const flags = ["--set", `quota=${quota}`, "--set", "service=120ms", "--json"];
    const { code, out } = await gatecrash("plan", scenario(burst(perSecond)), ...flags);
    const found = JSON.parse(out);
    expect(code).toBe(0);
    expect(found.needs).toMatchObject({ ...needs, service_ms: 120 });
    const refused = quota === 1_000 && perSecond === 15_000;
    expect(found.predicted.throttles > 0).toBe(refused || needs.scaling_s > 0);
    expect(found.predicted.in_flight).toBe(Math.min(quota, needs.environments));
    expect(found.changes[0].undo).toMatch(/^aws lambda delete-function-concurrency/);
  });

  it("says in words what will be refused", async () => {
    const flags = ["--set", "quota=1000", "--set", "service=120ms"];
    const { out } = await gatecrash("plan", scenario(burst(15_000)), ...flags);
    const flat = out.replaceAll(/\s+/g, " ");
    expect(flat).toContain(
      "about 1,800 execution environments in the worst second (15,000/s × 120 ms as given)",
    );
    expect(flat).toContain("800 TOO MANY: 44 % of it refused");
    expect(flat).toContain("10,000/s is all that this quota admits");
  });

  it("asks what if the rate were another", async () => {
    const flags = ["--set", "rate=30000/s", "--set", "service=20ms", "--json"];
    const { needs } = JSON.parse((await gatecrash("plan", scenario(burst(300)), ...flags)).out);
    expect(needs).toMatchObject({
      worst_per_s: 30_000,
      environments: 600,
      rate_ceiling_per_s: 10_000,
    });
  });

  it("cannot foresee needs without a service time, and says how to give one", async () => {
    const { out } = await gatecrash("plan", scenario({}));
    expect(out).toContain("no capture says how long a request takes; try --set service=120ms");
  });

  it("of a closed loop needs its connections, and counts nothing", async () => {
    const edits = {
      "rate: { at: 60/s, arrivals: poisson }": "saturate: { connections: 8 }",
      "visitor.dropped == 0 primary": "visitor.errors.rate <= 50% primary",
    };
    const { code, out } = await gatecrash("plan", scenario(edits), "--set", "service=20ms");
    expect([code, out]).toEqual([0, expect.stringContaining("8 execution environments at most")]);
    expect(out).toMatch(/^SEND +visitor: a closed loop of 8/m);
  });

  it("ends with 64 when a primary criterion cannot be decided", async () => {
    const edits = {
      "visitor.dropped == 0 primary": "visitor.errors.rate <= 1% during before primary",
    };
    const { code, out } = await gatecrash("plan", scenario(edits));
    expect([code, out]).toEqual([64, expect.stringMatching(/no pass with\s+less than 299/)]);
  });

  it.each([
    ["--set", "quta=5"],
    ["--set", "rate=5"],
    ["--set", "quota=many"],
    ["--env", "production"],
  ])("refuses %s %s", async (...flags) => {
    const { code, err } = await gatecrash("plan", scenario({}), ...flags);
    expect([code, err]).toEqual([64, expect.stringMatching(/^error: /)]);
  });

  it("is what run --dry-run prints", async () => {
    const [plan, dry] = [
      await gatecrash("plan", SHOP, "--variant", "naive", "--json"),
      await gatecrash("run", SHOP, "--variant", "naive", "--dry-run", "--json"),
    ];
    const [one, two] = [plan, dry].map(({ out }) =>
      JSON.parse(out.replaceAll(/127\.0\.0\.1:\d+/g, "")),
    );
    expect(two).toEqual(one);
  });
});
