// The rules of this repository that a machine can check; each rule is shown a text that breaks it.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importArrows, importCycles, unusedFiles } from "./support/tidy/imports.ts";
import * as shape from "./support/tidy/shape.ts";
import { type Rule, type SourceFile, sourceFile } from "./support/tidy/source-file.ts";
import * as words from "./support/tidy/words.ts";

const ROOT = join(import.meta.dirname, "..");
const TEXTS = /\.(ts|mjs|js|json|ya?ml|md|sh)$|(^|\/)(Dockerfile|\.gitignore)$/;

function repositoryFiles(): SourceFile[] {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const paths = execFileSync("git", list, { cwd: ROOT, encoding: "utf8" }).split("\0");
  return [...new Set(paths)]
    .filter((path) => TEXTS.test(path) && path !== "package-lock.json")
    .filter((path) => existsSync(join(ROOT, path)) && statSync(join(ROOT, path)).isFile())
    .map((path) => sourceFile(path, readFileSync(join(ROOT, path), "utf8")));
}

const RULES: { readonly [name: string]: Rule } = {
  "imports follow the arrows": importArrows,
  "imports have no cycles": importCycles,
  "every file is used": unusedFiles,
  "calls are made where they may be": words.bannedCalls,
  "types are said": words.bannedTypes,
  "tasks have an issue": words.openPromises,
  "numbers have their unit in the name": words.unitSuffixes,
  "files and lines are short": shape.sizes,
  "functions are short": shape.functionSizes,
  "first lines say what a file is for": shape.firstLines,
  "documents have one title": shape.titles,
  "faults are under conformance": shape.faultsTested,
  "nothing names this machine": shape.foreignPaths,
};

/** `path:line: message`, as an editor opens it. */
function complaints(rule: Rule, files: readonly SourceFile[]): string[] {
  return rule(files).map(({ path, line, message }) => `${path}:${line}: ${message}`);
}

describe("in this repository", () => {
  const files = repositoryFiles();

  it("there are files to look at", () => expect(files.length).toBeGreaterThan(50));

  it.each(Object.entries(RULES))("%s", (_, rule) => expect(complaints(rule, files)).toEqual([]));
});

/** Files by path; the lines of each. */
function files(texts: { readonly [path: string]: string }): SourceFile[] {
  return Object.entries(texts).map(([path, text]) => sourceFile(path, text));
}
const filler = (count: number): string => Array.from({ length: count }, () => "  a();").join("\n");

const BROKEN: readonly (readonly [string, { readonly [path: string]: string }, string[]])[] = [
  [
    "imports follow the arrows",
    {
      "src/report/a.ts": 'import { b } from "../run/b.ts";\nimport { c } from "../core/c.ts";',
      "src/run/b.ts": 'import type { w } from "../report/windows.ts";',
      "bin/x.ts": 'import { r } from "../src/run/b.ts";',
      "src/local/l.ts": '// import "../wire/w.ts"\nawait import("../scenario/s.ts");',
    },
    [
      "src/report/a.ts:1: may not import src/run/b.ts",
      "bin/x.ts:1: may not import src/run/b.ts",
      "src/local/l.ts:2: may not import src/scenario/s.ts",
    ],
  ],
  [
    "imports have no cycles",
    {
      "src/core/a.ts": 'import "./b.ts";',
      "src/core/b.ts": '\nexport { a } from "./c.ts";',
      "src/core/c.ts": 'import type { A } from "./a.ts";',
    },
    ["src/core/c.ts:1: cycle: src/core/a.ts → src/core/b.ts → src/core/c.ts → src/core/a.ts"],
  ],
  [
    "every file is used",
    {
      "src/run/entry.ts": "",
      "src/run/used.ts": 'builtFile("./entry.js", import.meta.url)',
      "src/run/lonely.ts": 'import "./used.ts";',
      "test/a.test.ts": 'import "../src/run/lonely.ts";',
    },
    ["src/run/lonely.ts:1: is imported by nothing of the product"],
  ],
  [
    "calls are made where they may be",
    {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text to be scanned
      "src/report/a.ts": "// Date.now()\nDate.now();\nconst t = `Date.now() ${performance.now()}`;",
      "src/run/clock.ts": "process.hrtime();\nprocess.exit(1);",
      "src/run/x-thread.ts": "process.exit(1);",
      "src/cli/a.ts": "console.log(Math.random());",
      "src/aws/a.ts": "console.error(1);\nconst f = new Function(s);\nsetTimeout(f, 1);",
      "test/a.test.ts": 'setTimeout(f, 1);\nconst s = "setTimeout(";\neval(s);',
    },
    [
      "src/report/a.ts:2: the clock is passed in (core/time.ts)",
      "src/report/a.ts:3: the clock is passed in (core/time.ts)",
      "src/run/clock.ts:2: throw, or set process.exitCode",
      "src/cli/a.ts:1: a seeded Rng (core/rng.ts)",
      "src/aws/a.ts:2: no text becomes code",
      "src/aws/a.ts:1: only cli, bin and bench print",
      "test/a.test.ts:1: a test waits for an event, or advances its clock",
      "test/a.test.ts:3: no text becomes code",
    ],
  ],
  [
    "types are said",
    {
      "src/core/a.ts":
        "let a: any;\nconst b = c as any;\n// any: any\nexport default 5;\nenum E {}",
      "src/core/b.ts": "const any = 1; f(1, any);\nlet l: Map<string, any>;\nconst r = /x: any/;",
      "vitest.config.ts": "export default {};",
    },
    [
      "src/core/a.ts:1: `any`: say what it is",
      "src/core/a.ts:2: `any`: say what it is",
      "src/core/a.ts:5: `enum`: use a list of names",
      "src/core/a.ts:4: default export: name it",
      "src/core/b.ts:2: `any`: say what it is",
    ],
  ],
  [
    "tasks have an issue",
    { "src/core/a.ts": `// ${"TO"}DO later\n// ${"TO"}DO(#12): later\n// ${"FIX"}ME` },
    [
      "src/core/a.ts:1: a task without issue number: write (#123) behind it",
      "src/core/a.ts:3: a task without issue number: write (#123) behind it",
    ],
  ],
  [
    "numbers have their unit in the name",
    {
      "src/core/a.ts": `interface A { timeout: number; timeoutMs: number; maxSize?: number }
const delay = 50;
const LINGER = 1_000;
const flag: boolean = true, sizeBytes = 50, interval = f(), size = 10;`,
    },
    [
      "src/core/a.ts:1: a number without its unit in the name",
      "src/core/a.ts:1: a number without its unit in the name",
      "src/core/a.ts:2: a number without its unit in the name",
      "src/core/a.ts:3: a number without its unit in the name",
    ],
  ],
  [
    "files and lines are short",
    {
      "src/core/a.ts": filler(251),
      "src/core/b.ts": `// ${"x".repeat(98)}`,
      "src/core/c.ts": `const s = "${"x".repeat(100)}";\n  /${"x".repeat(100)}/g,`,
      "test/a.test.ts": `const s = "${"x".repeat(100)}";\n// ${"x".repeat(99)}`,
      "test/b.test.ts": `${"x".repeat(101)}\n${filler(400)}`,
    },
    [
      "src/core/a.ts:251: 251 lines, at most 250",
      "src/core/b.ts:1: 101 columns, at most 100",
      "src/core/c.ts:1: 113 columns, at most 100",
      "test/a.test.ts:2: 102 columns, at most 100",
      "test/b.test.ts:401: 401 lines, at most 400",
      "test/b.test.ts:1: 101 columns, at most 100",
    ],
  ],
  [
    "functions are short",
    {
      "src/core/a.ts": `function f() {\n${filler(58)}\n}\nfunction g() {\n${filler(59)}\n}`,
      "src/core/b.ts": `const f = async (\n  a: A,\n): Promise<void> => {\n${filler(60)}\n};`,
      "src/core/c.ts": `class C {\n  m(a: A): B {\n${filler(60)}\n  }\n}`,
      "src/core/d.ts": `{\nif (a) {\n${filler(90)}\n}\nconst t = [\n${filler(90)}\n];\n}`,
    },
    [
      "src/core/a.ts:61: function of 61 lines, at most 60",
      "src/core/b.ts:3: function of 62 lines, at most 60",
      "src/core/c.ts:2: function of 62 lines, at most 60",
    ],
  ],
  [
    "first lines say what a file is for",
    {
      "src/core/a.ts": 'import "x";',
      "src/core/b.ts": "// What it is for.",
      "bin/c.ts": "#!/usr/bin/env node\n// The entry.",
      "bin/d.ts": "#!/usr/bin/env node\n",
    },
    [
      "src/core/a.ts:1: the first line is no comment that says what the file is for",
      "bin/d.ts:1: the first line is no comment that says what the file is for",
    ],
  ],
  [
    "documents have one title",
    {
      "docs/a.md": "# One\n\n# Two\n",
      "docs/b.md": "no title",
      "docs/c.md": "# One\n\n```sh\n# a comment\n```\n\n## Part\n",
    },
    ["docs/a.md:3: 2 titles, one is needed", "docs/b.md:1: 0 titles, one is needed"],
  ],
  [
    "faults are under conformance",
    {
      "src/scenario/fault-shapes.ts": '{\n  "slow-thing": {},\n  "good-thing": {},\n}',
      "src/faults/good-thing.ts": "",
      "test/faults/good.test.ts": 'import "../conformance/fault.ts"; faultSuite("good-thing");',
    },
    [
      "src/scenario/fault-shapes.ts:1: fault slow-thing has no src/faults/slow-thing.ts",
      "src/scenario/fault-shapes.ts:1: fault slow-thing is in no conformance test",
    ],
  ],
  [
    "nothing names this machine",
    {
      "docs/a.md": `see ${"/wo"}rk/main\nnot /${"wo"}rker, a/${"wo"}rk, ../${"shar"}ed-x`,
      "docs/b.md": `in ${"shar"}ed/x and ${"/wo"}rk.`,
    },
    [
      `docs/a.md:1: names a place outside the repository: ${"/wo"}rk`,
      `docs/b.md:1: names a place outside the repository: ${"shar"}ed/`,
      `docs/b.md:1: names a place outside the repository: ${"/wo"}rk`,
    ],
  ],
];

describe("a rule complains about what breaks it, and about nothing else", () => {
  it.each(BROKEN)("%s", (name, texts, expected) => {
    expect(complaints(RULES[name]!, files(texts))).toEqual(expected);
  });

  it("so that there is one for each", () => {
    expect(BROKEN.map(([name]) => name)).toEqual(Object.keys(RULES));
  });
});

describe("the code of a file", () => {
  it.each([
    ["a = 'x' + b; // c", "a =     + b;     "],
    ["a = `x§{b}y§{`z§{c}`}`;", "a =     b        c    ;"],
    ["if (/a'b/.test(c)) d / e / f;", "if (     .test(c)) d / e / f;"],
    ["/* a\n b */ c", "    \n      c"],
    ['x = "\\"";y', "x =     ;y"],
    ["a = { b: `§{ { c: 1 }.c }` }", "a = { b:     { c: 1 }.c    }"],
  ])("of %j has neither comments nor literals", (text, code) => {
    const { code: found } = sourceFile("a.ts", text.replaceAll("§", "$"));
    expect(found.trimEnd()).toBe(code.trimEnd());
    expect(found).toHaveLength(text.length);
  });
});
