// The examples of the documents are read by the code they document.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { KNOWN_MEASURES, measureInfo, quantileOf, refuserOf } from "../../src/core/measures.ts";
import { parseCriterion } from "../../src/core/parse-criterion.ts";
import { scenarioSchema } from "../../src/scenario/schema.ts";
import { complaintsOf, readText } from "./support.ts";

const read = (name: string): string =>
  readFileSync(join(import.meta.dirname, "../../docs", name), "utf8");

/** Contents of the fences of a document, by language. */
function fences(text: string, language: string): string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm");
  return [...text.matchAll(pattern)].map(([, content = ""]) => content);
}

describe("docs/scenario.md", () => {
  const text = read("scenario.md");
  const [, whole = "", short = ""] = fences(text, "yaml");

  it("has a whole example of which only the files are missing", () => {
    const complaints = complaintsOf(() =>
      readText(whole, { variant: "naive", environment: "local" }),
    );
    expect(complaints.filter((line) => !line.includes("no such file"))).toEqual([]);
    expect(complaints).toHaveLength(4);
  });

  it("has a short example that can be run as it is", () => {
    expect(readText(short).accept).toHaveLength(2);
  });

  it("names every key of the top level", () => {
    for (const key of Object.keys(scenarioSchema.shape)) expect(text).toContain(`| \`${key}\` |`);
  });
});

describe("docs/criteria.md", () => {
  const text = read("criteria.md");

  it("has examples that parse", () => {
    const examples = fences(text, "")[0]!.trim().split("\n");
    expect(examples.map((example) => parseCriterion(example).op)).toHaveLength(7);
  });

  it("names every measure, with its unit and kind", () => {
    const plain = KNOWN_MEASURES.filter((m) => quantileOf(m) === null && refuserOf(m) === null);
    const rows = text.split("\n").filter((line) => line.startsWith("| `"));
    const kindOf = new Map(
      rows.flatMap((row) => {
        const [, names = "", , , kinds = ""] = row.split("|");
        const kind = kinds.trim().split(", ");
        return [...names.matchAll(/`([^`]+)`/g)].map(
          ([, name = ""], i) => [name.replace("(w)", ""), kind[i] ?? kind[0]!] as const,
        );
      }),
    );
    for (const measure of plain)
      expect(`${measure} ${kindOf.get(measure)}`).toBe(`${measure} ${measureInfo(measure)?.basis}`);
  });
});
