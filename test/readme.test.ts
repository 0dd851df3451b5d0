// The README is kept by the product: its commands exist, its scenario reads, its links lead
// somewhere.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { lintScenario } from "../src/scenario/lint.ts";
import { readScenario } from "../src/scenario/read.ts";

const root = join(import.meta.dirname, "..");
const text = readFileSync(join(root, "README.md"), "utf8");
const blocks = (language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, body = ""]) => body,
  );

/** What a report says apart from its figures, so that it can be held against another run's. */
const labels = (report: string): string[] =>
  report
    .split("\n")
    .map((line) => /^([A-Z]+ {3}|[✓✗?] .*| {2}[a-z]+(?= {2}))/.exec(line)?.[0].trim() ?? "")
    .filter((label) => label !== "");

describe("the README", () => {
  it("begins with the two commands that CI executes", () => {
    const commands = blocks("sh").map((block) => block.trim());
    expect(commands).toEqual([
      "npm ci && npm start -- run scenarios/zero-concurrency --variant hardened",
      "npm ci && npm test",
    ]);
    const ci = readFileSync(join(root, ".ci/run"), "utf8");
    for (const part of commands.flatMap((command) => command.split(" && "))) {
      expect(ci).toContain(part.replace("--variant hardened", '--variant "$1"'));
    }
  });

  it("shows a report with the parts that a report has today", () => {
    const shown = /<!-- report:start -->\n```\n([\s\S]*?)```/.exec(text)?.[1] ?? "";
    const golden = readFileSync(join(root, "test/golden/hardened/report.txt"), "utf8");
    const common = ["generator", "balance", "faults", "again", "refused", "ms"];
    expect(labels(shown)).toEqual(expect.arrayContaining(common));
    expect(labels(golden)).toEqual(expect.arrayContaining(common));
    const accept = readFileSync(join(root, "scenarios/zero-concurrency/scenario.yaml"), "utf8");
    const criteria = labels(shown).filter((label) => label.startsWith("✓"));
    expect(criteria.length).toBeGreaterThan(0);
    for (const line of criteria) {
      expect(accept).toContain(line.replace(/^✓ /, "").replace(/ +primary$/, ""));
    }
  });

  it("holds a scenario that reads and has nothing to lint but its missing template", () => {
    const folder = mkdtempSync(join(tmpdir(), "readme-"));
    const file = join(folder, "scenario.yaml");
    writeFileSync(file, blocks("yaml")[0] ?? "");
    writeFileSync(join(folder, "template.yaml"), "Resources: {}\n");
    const scenario = readScenario(file, { variant: null, environment: "local" });
    expect(lintScenario(scenario).filter(({ severity }) => severity === "error")).toEqual([]);
  });

  it("links to files that are there", () => {
    const links = [...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, target = ""]) => target);
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((target) => !existsSync(join(root, target)))).toEqual([]);
  });

  it("names commands that the program has", () => {
    const program = join(root, "dist/bin/gatecrash.js");
    const help = execFileSync(process.execPath, [program, "--help"], { encoding: "utf8" });
    const named = [...text.matchAll(/`gatecrash ([a-z]+)/g)].map(([, name = ""]) => name);
    for (const name of new Set(named)) expect(help).toContain(`  ${name} `);
    expect(existsSync(dirname(program))).toBe(true);
  });
});
