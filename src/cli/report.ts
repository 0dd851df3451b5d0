// `gatecrash report`: judges a run directory again, without a network and without traffic.
import { appendFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Command, Option } from "commander";
import { messageOf } from "../core/error.ts";
import { annotationLines, githubReport } from "../report/github.ts";
import { hlogOf } from "../report/hlog.ts";
import { htmlReport } from "../report/html/page.ts";
import { junitReport } from "../report/junit.ts";
import { lastGoodOf } from "../report/last-good.ts";
import { markdownReport } from "../report/markdown.ts";
import { report } from "../report/report.ts";
import type { Report, Reporter } from "../report/result.ts";
import { jsonReport } from "../report/result-json.ts";
import { colourReport, textReport } from "../report/text.ts";
import { writeDifferences } from "../report/write-differences.ts";
import type { CommandContext } from "./context.ts";
import { hasColours } from "./terminal.ts";

/** By name of `--format`; every one is a pure function of the report. */
const REPORTERS: { readonly [format: string]: Reporter } = {
  text: textReport,
  json: jsonReport,
  html: htmlReport,
  junit: junitReport,
  markdown: markdownReport,
  github: githubReport,
};
/** Not a report but an export: made from the facts, with every response time in it. */
const HLOG = "hlog";

/** The files that lie beside the facts. */
export const DERIVED: readonly (readonly [string, Reporter])[] = [
  ["result.json", jsonReport],
  ["report.txt", textReport],
  ["report.html", htmlReport],
  ["report.md", markdownReport],
  ["junit.xml", junitReport],
];

interface ReportOptions {
  readonly criteria?: string;
  readonly lastGood?: string;
  readonly format: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  gatecrash report runs/2026-11-30T19-02Z-k4
  gatecrash report runs/2026-11-30T19-02Z-k4 --criteria stricter.yaml
  gatecrash report runs/2026-11-30T19-02Z-k4 --format json | jq .verdict
`;

export function reportCommand(context: CommandContext): Command {
  return new Command("report")
    .description("Judge a run again from its facts. Exit code: the verdict's.")
    .argument("<run>", "run directory")
    .option("--criteria <file>", "YAML with `accept:`, in place of the run's own criteria")
    .option("--last-good <run>", "its figures beside this run's, in markdown and github")
    .addOption(
      new Option("--format <name>", "what to print")
        .choices([...Object.keys(REPORTERS), HLOG])
        .default("text"),
    )
    .option("--json", "the same as --format json")
    .addHelpText("after", EXAMPLES)
    .action(async (run: string, options: ReportOptions) => {
      const { criteria } = options;
      const judged = await report(run, criteria === undefined ? {} : { criteriaFile: criteria });
      // Other criteria are a question asked of the run; its own result stays what it was.
      if (criteria === undefined) await writeDerived(judged, context);
      const format = options.json ? "json" : options.format;
      const { lastGood } = options;
      const beside = lastGood === undefined ? {} : { lastGood: await lastGoodOf(lastGood, judged) };
      context.out(await output(withLastGood(judged, beside), format));
      context.exit(judged.exitCode);
    });
}

/** The drawn part is made when it is looked at, so it is handed on and not copied. */
const withLastGood = (judged: Report, beside: Pick<Report, "lastGood">): Report =>
  Object.create(judged, Object.getOwnPropertyDescriptors(beside)) as Report;

/** Writes what is derived from the facts: it may be deleted and made again, byte for byte. */
export async function writeDerived(
  judged: Report,
  context: Pick<CommandContext, "err">,
): Promise<void> {
  try {
    for (const [file, reporter] of DERIVED)
      await writeWhole(join(judged.dir, file), reporter(judged));
    await writeDifferences(judged.dir, judged.reconciliation);
  } catch (error) {
    // A full disk or one for reading only must not hide the report itself.
    context.err(`warning: the reports could not all be written: ${messageOf(error)}\n`);
  }
}

/** Half a file would be read as a whole one. */
async function writeWhole(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    await rm(file, { force: true }).catch(() => {});
    throw error;
  }
}

async function output(judged: Report, format: string): Promise<string> {
  if (format === HLOG) return await hlogOf(judged.dir);
  const summary = process.env.GITHUB_STEP_SUMMARY ?? "";
  if (format !== "github" || summary === "") return printed(judged, format);
  // A runner reads annotations from what is printed, and the summary from the file it names.
  await appendFile(summary, markdownReport(judged));
  return annotationLines(judged);
}

/** The text in colour only where a person looks at it. */
export function printed(judged: Report, format: string): string {
  const colour = format === "text" && hasColours(process.stdout, process.env);
  return (colour ? colourReport : (REPORTERS[format] ?? textReport))(judged);
}
