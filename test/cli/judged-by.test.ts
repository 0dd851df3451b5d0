// In a pull request: whose criteria judge and whose allow-lists hold, in real repositories.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { baseRefOf, readBase } from "../../src/cli/base-branch.ts";
import { baseChecks } from "../../src/cli/base-checks.ts";
import { baseWarning, readJudged } from "../../src/cli/judged-by.ts";
import type { PlanFile } from "../../src/core/facts.ts";
import { Repository } from "../support/repository.ts";

const root = mkdtempSync(join(tmpdir(), "gatecrash-base-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const SCENARIO = `gatecrash: 1
title: Does it hold?
environments: { stg: { account: "222222222222", aws-region: eu-west-1 } }
allow: { hosts: ["shop.example"] }
loads:
  shop:
    rate: { at: 50/s }
    http: { url: "http://shop.example/" }
phases: [{ before: 20s }]
accept:
  - shop.errors.rate <= 1%
  - shop.p99 <= 300ms
`;
const GITHUB = { GITHUB_EVENT_NAME: "pull_request", GITHUB_BASE_REF: "main" };
const READ = { variant: null, environment: "local" };
const OPTIONS = { criteriaFrom: "base" } as const;

let count = 0;
/** `main` with the scenario, and a branch in which it reads otherwise. */
function pullRequest(head: string, base = SCENARIO) {
  const repository = new Repository(join(root, `${++count}`));
  repository.write("gates/shop/scenario.yaml", base);
  const commit = repository.commit("base");
  repository.remoteIsAt(commit);
  repository.git("checkout", "--quiet", "-b", "feature");
  repository.write("gates/shop/scenario.yaml", head);
  repository.commit("feature");
  return { repository, commit, file: join(repository.dir, "gates/shop/scenario.yaml") };
}
const judge = (file: string, more: object = {}, env: object = GITHUB, read: object = {}) =>
  readJudged(file, { ...READ, ...read }, { ...OPTIONS, ...more }, env as typeof GITHUB);
const texts = ({ scenario }: ReturnType<typeof judge>) => scenario.accept.map(({ text }) => text);

const LOOSE = SCENARIO.replace("<= 300ms", "<= 900ms").replace("  - shop.errors.rate <= 1%\n", "");

describe("which branch it is", () => {
  test("outside a pull request there is none", () => {
    expect(baseRefOf(null, {})).toBeNull();
    expect(baseRefOf(null, { GITHUB_EVENT_NAME: "push", GITHUB_BASE_REF: "" })).toBeNull();
    const { file } = pullRequest(LOOSE);
    expect(judge(file, {}, {})).toMatchObject({ base: null, yaml: LOOSE });
  });

  test("is said by GitHub, by GitLab, or by --base", () => {
    const sha = "0123456789012345678901234567890123456789";
    const event = join(root, "event.json");
    writeFileSync(event, JSON.stringify({ pull_request: { base: { sha } } }));
    const origin = ["refs/remotes/origin/main", "refs/heads/main"];
    expect(baseRefOf(null, { ...GITHUB, GITHUB_EVENT_PATH: event })).toEqual({
      name: "origin/main",
      candidates: [...origin, sha],
    });
    const gitlab = {
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      CI_MERGE_REQUEST_DIFF_BASE_SHA: sha,
    };
    expect(baseRefOf(null, gitlab)?.candidates).toEqual([...origin, sha]);
    expect(baseRefOf("v1.2", GITHUB)).toEqual({ name: "v1.2", candidates: ["v1.2"] });
  });

  test.each(["--upload-pack=x", "-c", "a..b", "a b", "a;b", "$(id)", ""])(
    "%j is no branch, and never reaches git as an option",
    (name) => {
      expect(() => baseRefOf(name, {})).toThrow("is no branch or commit");
      const branch = { ...GITHUB, GITHUB_BASE_REF: name };
      if (name !== "") expect(baseRefOf(null, branch)?.candidates).toEqual([]);
    },
  );
});

describe("a pull request that loosens its criteria", () => {
  const { file, commit, repository } = pullRequest(LOOSE);

  test("is judged by those of the base branch, and the frozen text says so", () => {
    const judged = judge(file);
    expect(texts(judged)).toEqual(["shop.errors.rate <= 1%", "shop.p99 <= 300ms"]);
    expect(judged.yaml).toContain("# Criteria: of origin/main, and those that the pull request");
    expect(judged.base).toMatchObject({
      ...{ ref: "origin/main", commit, path: "gates/shop/scenario.yaml" },
      ...{ criteria_from: "base", safety_from: "head", not_compared: "" },
    });
    expect(baseWarning(judged.base)).toBe(
      [
        `CRITERIA CHANGED in this pull request, against origin/main ${commit.slice(0, 12)}: judged by those of origin/main`,
        "   removed accept: shop.errors.rate <= 1%",
        "   loosened accept: shop.p99 <= 300ms → shop.p99 <= 900ms",
        "",
      ].join("\n"),
    );
  });

  test("may be judged by its own, and the banner stays", () => {
    const judged = judge(file, { criteriaFrom: "head" });
    expect(texts(judged)).toEqual(["shop.p99 <= 900ms"]);
    expect(judged.yaml).toBe(LOOSE);
    expect(baseWarning(judged.base)).toContain("judged by ITS OWN, not by the base branch's");
  });

  test("is found out by verify, also when its plan was edited", () => {
    const plan = (more: object) =>
      ({ base: { ...judge(file, more).base! } }) as unknown as PlanFile;
    const states = (one: PlanFile) => baseChecks(one, repository.dir).map(({ state }) => state);
    expect(states(plan({}))).toEqual(["yes", "yes"]);
    expect(states(plan({ criteriaFrom: "head" }))).toEqual(["no", "yes"]);
    const silenced = { base: { ...plan({}).base!, changes: [] } } as unknown as PlanFile;
    expect(states(silenced)).toEqual(["yes", "no"]);
    expect(baseChecks(plan({}), root).map(({ state }) => state)).toEqual(["yes", "unknown"]);
  });

  test("nothing is said where nothing differs, whatever the files' order and comments", () => {
    const same = pullRequest(`# a comment\n${SCENARIO.replace("50/s", "60/s")}`);
    const judged = judge(same.file);
    expect(judged.base?.changes).toEqual([]);
    expect(judged.yaml).toContain("# a comment");
    expect(baseWarning(judged.base)).toBe("");
  });

  test("that was made before main was tightened is not blamed for it", () => {
    const { repository: it, file: own } = pullRequest(SCENARIO.replace("50/s", "60/s"));
    it.git("checkout", "--quiet", "main");
    it.write("gates/shop/scenario.yaml", SCENARIO.replace("300ms", "200ms"));
    it.remoteIsAt(it.commit("tighter"));
    it.git("checkout", "--quiet", "feature");
    expect(judge(own).base?.changes).toEqual([]);
  });

  test("that adds a criterion is judged by that one, too", () => {
    const more = pullRequest(`${SCENARIO}  - shop.dropped == 0\n`);
    expect(texts(judge(more.file))).toContain("shop.dropped == 0");
  });

  test("that takes away a name of the base's criteria is told, and how to go on", () => {
    const renamed = pullRequest(
      SCENARIO.replaceAll("shop:", "store:").replaceAll("- shop.", "- store."),
    );
    expect(() => judge(renamed.file)).toThrow(AggregateError);
    try {
      judge(renamed.file);
    } catch (error) {
      const [first] = (error as AggregateError).errors as { message: string; hint: string }[];
      expect(first?.message).toContain("with what origin/main says");
      expect(first?.hint).toContain("--criteria-from head");
    }
    expect(judge(renamed.file, { criteriaFrom: "head" }).base?.changes.length).toBeGreaterThan(0);
  });
});

describe("in an account", () => {
  const STG = { environment: "stg" };

  test("allow-lists, accounts and identities are the base branch's", () => {
    const evil = pullRequest(
      SCENARIO.replace('["shop.example"]', '["shop.example", "evil.example"]')
        .replace('"222222222222"', '"333333333333"')
        .replace("aws-region: eu-west-1", "aws-region: us-east-1, production: false"),
    );
    const { scenario, base } = judge(evil.file, { criteriaFrom: "head" }, GITHUB, STG);
    expect(scenario.account).toMatchObject({ account: "222222222222", awsRegion: "eu-west-1" });
    expect(scenario.allow.hosts).toEqual(["shop.example"]);
    expect(base?.safety_from).toBe("base");
    expect(baseWarning(base)).toContain("added allow.hosts: evil.example (not in force)");
  });

  test("those that hold now, not those of an old commit that somebody branched from", () => {
    const { repository, file } = pullRequest(SCENARIO.replace("50/s", "60/s"));
    repository.git("checkout", "--quiet", "main");
    repository.write("gates/shop/scenario.yaml", SCENARIO.replace('["shop.example"]', "[]"));
    repository.remoteIsAt(repository.commit("shop.example is nobody's any more"));
    repository.git("checkout", "--quiet", "feature");
    expect(judge(file, {}, GITHUB, STG).scenario.allow.hosts).toEqual([]);
  });

  test("a load that begins to write is refused", () => {
    const writes = pullRequest(
      SCENARIO.replace("http: {", "body: { template: b.json, why: new }\n    http: {"),
    );
    writes.repository.write("gates/shop/b.json", "{}");
    expect(() => judge(writes.file, {}, GITHUB, STG)).toThrow("`shop` writes, and in origin/main");
    expect(judge(writes.file).scenario.loads[0]?.body?.why).toBe("new"); // local AWS is its own
  });

  test("a base that cannot be read is refused; on local AWS it is said", () => {
    const { repository, file } = pullRequest(LOOSE);
    repository.git("update-ref", "-d", "refs/remotes/origin/main");
    repository.git("branch", "--quiet", "-D", "main");
    expect(() => judge(file, {}, GITHUB, STG)).toThrow("this clone does not have origin/main");
    const local = judge(file);
    expect(texts(local)).toEqual(["shop.p99 <= 900ms"]);
    expect(baseWarning(local.base)).toBe(
      "CRITERIA NOT COMPARED with origin/main: this clone does not have origin/main\n",
    );
  });
});

describe("what can be had of the base", () => {
  const main = { name: "origin/main", candidates: ["refs/remotes/origin/main"] };

  test("a shallow clone shares no commit, and says so", () => {
    const { repository } = pullRequest(LOOSE);
    repository.git("checkout", "--quiet", "main");
    repository.remoteIsAt(repository.commit("ahead"));
    const clone = join(root, "shallow");
    const from = `file://${repository.dir}`;
    execFileSync("git", ["clone", "--quiet", "--depth=1", "--branch=feature", from, clone]);
    const fetch = ["fetch", "--quiet", "--depth=1", "origin", "main:refs/remotes/origin/main"];
    execFileSync("git", ["-C", clone, ...fetch]);
    expect(readBase(join(clone, "gates/shop/scenario.yaml"), main)).toMatch(
      /no commit that origin\/main and this branch share/,
    );
  });

  test("no repository, a scenario that is new, and one that is no YAML", () => {
    const bare = join(root, "bare.yaml");
    writeFileSync(bare, SCENARIO);
    expect(readBase(bare, main)).toContain("no git repository holds the scenario");
    const { repository } = pullRequest(LOOSE);
    repository.write("gates/new/scenario.yaml", SCENARIO);
    repository.commit("new");
    const added = join(repository.dir, "gates/new/scenario.yaml");
    expect(readBase(added, main)).toContain("gates/new/scenario.yaml is not in origin/main");
    const broken = pullRequest(SCENARIO, "a: [");
    expect(judge(broken.file).base?.not_compared).toBe("the scenario of origin/main is no YAML");
  });

  test("a file whose name looks like an option is a file", () => {
    const { repository } = pullRequest(LOOSE);
    repository.git("checkout", "--quiet", "main");
    repository.write("--output=x.yaml", SCENARIO);
    repository.remoteIsAt(repository.commit("odd"));
    const found = readBase(join(repository.dir, "--output=x.yaml"), main);
    expect(found).toMatchObject({ path: "--output=x.yaml", text: SCENARIO, tip: SCENARIO });
  });
});
