// Versions that criteria name, before a run: of a template, and of what local AWS has deployed.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { templateVersions, versionFindings, versionShares } from "../../src/cli/versions.ts";
import type { PlannedVersions } from "../../src/core/facts.ts";
import { type LocalAws, startLocalAws } from "../../src/local/start.ts";
import { readVersions } from "../../src/observe/versions.ts";
import { readScenario } from "../../src/scenario/read.ts";
import { gatecrash } from "../support/in-process.ts";
import { SkipClock } from "../support/skip-clock.ts";

const CANARY = fileURLToPath(new URL("../../scenarios/canary/", import.meta.url));
const SEARCH = { v1: 0.75, v2: 0.25 };

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gatecrash-versions-"));
  cpSync(CANARY, folder, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The scenario with other criteria by version. */
function withAccept(accept: string): string {
  const yaml = readFileSync(join(CANARY, "scenario.yaml"), "utf8");
  const head = yaml.slice(0, yaml.indexOf("accept:")).replace(/expect: \{[^}]*\}/, "expect: fail");
  writeFileSync(join(folder, "scenario.yaml"), `${head}accept: ${accept}\n`);
  return folder;
}

describe("lint", () => {
  test("knows what local AWS deploys, and how much the canary gets", async () => {
    const { code, out } = await gatecrash("lint", CANARY);
    expect(code).toBe(0);
    // 60 a second for 30 s, a quarter of them.
    expect(out).toMatch(/v2\.errors\.rate <= 1% during canary +437 +/);
  });

  test("refuses a version that nothing is sent to, and says what there is", async () => {
    const { code, out } = await gatecrash("lint", withAccept("[v3.errors.rate <= 1%]"));
    expect(code).toBe(64);
    expect(out).toContain(
      "`v3.errors.rate <= 1%`: nothing is sent to v3: Search:live sends 75 % to v1 and 25 % to v2",
    );
  });

  test("refuses versions while no REPORT line is read, and a bound on all errors is none", async () => {
    const file = join(withAccept("[v2.p95 <= 1s, errors.rate <= 5%]"), "scenario.yaml");
    const bound = await gatecrash("lint", file);
    expect(bound.code).toBe(64);
    expect(bound.out).toContain("add `v2.errors.rate <= 1%` over the whole run");
    const blind = readFileSync(file, "utf8").replace(/ {2}reports: .*\n/, "");
    writeFileSync(file, blind);
    const { code, out } = await gatecrash("lint", file);
    expect(code).toBe(64);
    expect(out).toContain("which version answered is read from REPORT lines");
  });

  test("takes no version in steady: and stop-when:, which look at the run while it goes on", async () => {
    const file = join(withAccept("[dropped == 0]"), "scenario.yaml");
    const yaml = readFileSync(file, "utf8");
    writeFileSync(file, `${yaml}stop-when: [v2.errors.rate > 50%]\n`);
    const { code, err } = await gatecrash("lint", file);
    expect(code).toBe(64);
    expect(err).toContain("which version answered is not known while the run goes on");
  });
});

describe("versions that are invoked", () => {
  let local: LocalAws;
  beforeAll(async () => {
    local = await startLocalAws({ template: join(CANARY, "naive.template.yaml") }, new SkipClock());
  }, 60_000);
  afterAll(() => local.stop());
  const control = () =>
    createControlPlane({
      ...{ endpoint: local.endpoint, region: "eu-west-1", account: null, runId: "versions" },
    });

  test("are read by alias, by qualifier, or as $LATEST", async () => {
    const { SearchArn: arn = "" } = local.outputs;
    const live = { function: "search", alias: "live", shares: SEARCH };
    const name = arn.split(":").at(-1)!;
    const named = (one: object) => ({ ...one, function: name });
    const read = (invoked: string[], observed: string[]) =>
      readVersions({ invoked, observed }, control());
    expect(await read([], [arn])).toEqual([named(live)]);
    expect(await read([`${arn}:live`], [arn])).toEqual([named(live)]);
    expect(await read([`${name}:2`], [])).toEqual([named({ alias: null, shares: { v2: 1 } })]);
    expect(await read([arn], [])).toEqual([named({ alias: null, shares: { vlatest: 1 } })]);
    expect(await read(["nobody"], [])).toBeNull();
  });

  test("are two, with the canary's own code and what was before", async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => fetch(`${local.outputs.ApiUrl}/search?q=oak`)),
    );
    const failed = answers.filter(({ status }) => status === 500).length;
    expect(failed).toBe(0); // each environment's first nine searches are answered
    const { names } = (await answers[0]!.json()) as { names: string[] };
    expect(names).toHaveLength(5);
  });
});

describe("findings", () => {
  const scenario = readScenario(CANARY, { variant: "naive", environment: "local" });
  const versions = templateVersions(scenario) as PlannedVersions[];

  test("none for what is invoked; trust where nothing can be read", () => {
    expect(versionFindings(scenario, versions)).toEqual([]);
    expect(versionFindings(scenario, null)).toMatchObject([{ severity: "warning" }]);
    expect(templateVersions({ ...scenario, environment: "stg" })).toBeNull();
  });

  test("a version of several functions has to be narrowed, and its share is at most", () => {
    const two = [...versions, { function: "Cart", alias: "live", shares: { v2: 1 } }];
    const messages = versionFindings(scenario, two).map(({ message }) => message);
    expect(messages[0]).toContain("v2 is a version of Search and Cart; narrow it by load or route");
    expect(versionShares(two)).toEqual({ shares: { v1: 0.75, v2: 1 }, exact: false });
    expect(versionShares(versions)).toEqual({ shares: SEARCH, exact: true });
  });
});
