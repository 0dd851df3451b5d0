// `gatecrash compare`: two runs side by side, and whether the second is worse beyond chance.
import { writeFile } from "node:fs/promises";
import { Command, Option } from "commander";
import { GatecrashError, messageOf } from "../core/error.ts";
import { EXIT } from "../core/exit.ts";
import { type Comparison, compareRuns, outcomeOf } from "../report/compare.ts";
import { compareJson, compareMarkdown, compareText } from "../report/compare-text.ts";
import { comparePage } from "../report/html/compare-page.ts";
import { report } from "../report/report.ts";
import type { Report } from "../report/result.ts";
import type { CommandContext } from "./context.ts";

type Format = (comparison: Comparison, runs: readonly [Report, Report]) => string;

const FORMATS: { readonly [format: string]: Format } = {
  text: compareText,
  markdown: compareMarkdown,
  json: compareJson,
  html: comparePage,
};

interface CompareOptions {
  readonly during?: string;
  readonly format: string;
  readonly json?: boolean;
  readonly out?: string;
}

const EXAMPLES = `
Examples:
  gatecrash compare runs/monday runs/tuesday
  gatecrash compare runs/monday runs/tuesday --during before --format markdown
  gatecrash compare runs/monday runs/tuesday --format html --out overlay.html

Exit codes: 0 nothing is worse beyond chance, 1 B is slower, has more errors or more unknown,
  2 too few samples to tell, 3 one of the runs is invalid, 64 the two have no load in common
`;

export function compareCommand(context: CommandContext): Command {
  return new Command("compare")
    .description("Compare two runs from their facts: percentiles, rates, and how sure that is.")
    .argument("<A>", "run directory: what was")
    .argument("<B>", "run directory: what is")
    .option("--during <name>", "one phase or fault of both, in place of the whole runs")
    .addOption(
      new Option("--format <name>", "what to print").choices(Object.keys(FORMATS)).default("text"),
    )
    .option("--out <file>", "write it there, and print the table")
    .option("--json", "the same as --format json")
    .addHelpText("after", EXAMPLES)
    .action(async (a: string, b: string, options: CompareOptions) => {
      const compared = await compareRuns([a, b], options.during ?? null);
      if (compared.rows.length === 0) throw nothingInCommon(compared);
      const runs = [await report(a), await report(b)] as const;
      const invalid = runs.flatMap((judged, i) => {
        const [why] = judged.invalid;
        return why === undefined ? [] : [`${i === 0 ? "A" : "B"} is INVALID: ${why}`];
      });
      const doubted = { ...compared, doubts: [...invalid, ...compared.doubts] };
      const format = options.json ? "json" : options.format;
      const text = (FORMATS[format] ?? compareText)(doubted, runs);
      if (options.out === undefined) context.out(text);
      else {
        await writeOut(options.out, text);
        context.out(compareText(doubted));
      }
      context.exit(invalid.length > 0 ? EXIT.invalid : EXITS[outcomeOf(compared)]);
    });
}

const EXITS = { worse: EXIT.fail, "not worse": EXIT.pass, unclear: EXIT.inconclusive } as const;

async function writeOut(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (cause) {
    throw new GatecrashError("usage", `${file} cannot be written: ${messageOf(cause)}`, { cause });
  }
}

function nothingInCommon({ a, b }: Comparison): GatecrashError {
  const names = [a, b].map(({ loads }) => loads.map(({ name }) => name).join(", "));
  return new GatecrashError("input", "the two runs have no load in common", {
    hint: `A has ${names[0]}; B has ${names[1]}`,
  });
}
