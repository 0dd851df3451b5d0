// Whole reports of small runs, compared byte for byte. UPDATE_GOLDEN=1 rewrites them.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { junitReport } from "../../src/report/junit.ts";
import { markdownReport } from "../../src/report/markdown.ts";
import { report } from "../../src/report/report.ts";
import { jsonReport } from "../../src/report/result-json.ts";
import { textReport } from "../../src/report/text.ts";
import { goldenRuns } from "../support/golden-runs.ts";
import { writeRun } from "../support/run-directory.ts";

const GOLDEN = join(import.meta.dirname, "..", "golden");
const update = process.env.UPDATE_GOLDEN === "1";

describe("the golden report", () => {
  for (const [name, run] of Object.entries(goldenRuns()))
    test(`of ${name} has not changed`, async () => {
      const dir = join(GOLDEN, name);
      if (update || !existsSync(dir)) {
        mkdirSync(dir, { recursive: true });
        writeRun(dir, run());
      }
      const judged = { ...(await report(dir)), dir: `runs/${name}` };
      for (const [file, text] of [
        ["report.txt", textReport(judged)],
        ["result.json", jsonReport(judged)],
        ["report.md", markdownReport(judged)],
        ["junit.xml", junitReport(judged)],
      ] as const) {
        if (update) writeFileSync(join(dir, file), text);
        expect(text).toBe(readFileSync(join(dir, file), "utf8"));
      }
    });
});
