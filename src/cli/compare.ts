// `gatecrash compare`: two runs side by side, and whether the second is worse beyond chance.
import { Command, Option } from "commander";
import { GatecrashError } from "../core/error.ts";
import { EXIT, type ExitCode } from "../core/exit.ts";
import { type Comparison, compareRuns } from "../report/compare.ts";
import { compareJson, compareMarkdown, compareText } from "../report/compare-text.ts";
import { report } from "../report/report.ts";
import type { CommandContext } from "./context.ts";

const FORMATS: { readonly [format: string]: (comparison: Comparison) => string } = {
  text: compareText,
  markdown: compareMarkdown,
  json: compareJson,
};

interface CompareOptions {
  readonly during?: string;
  readonly format: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  gatecrash compare runs/monday runs/tuesday
  gatecrash compare runs/monday runs/tuesday --during before --format markdown

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
    .option("--json", "the same as --format json")
    .addHelpText("after", EXAMPLES)
    .action(async (a: string, b: string, options: CompareOptions) => {
      const compared = await compareRuns([a, b], options.during ?? null);
      if (compared.rows.length === 0) throw nothingInCommon(compared);
      const invalid: string[] = [];
      for (const [side, dir] of [["A", a] as const, ["B", b] as const]) {
        const judged = await report(dir);
        if (judged.invalid.length > 0) invalid.push(`${side} is INVALID: ${judged.invalid[0]}`);
      }
      const doubted = { ...compared, doubts: [...invalid, ...compared.doubts] };
      const format = options.json ? "json" : options.format;
      context.out((FORMATS[format] ?? compareText)(doubted));
      context.exit(invalid.length > 0 ? EXIT.invalid : exitOf(compared));
    });
}

/** More degraded answers or cold starts may be what a change is for: shown, not condemned. */
const WORSE_IF_MORE = ["errors.rate", "unknown.rate"];

function exitOf({ rows }: Comparison): ExitCode {
  const worse = rows.some(({ word, standsOut, measure }) => {
    const bad = word === "slower" || (word === "more" && WORSE_IF_MORE.includes(measure));
    return standsOut && bad;
  });
  if (worse) return EXIT.fail;
  return rows.every(({ word }) => word === "too few") ? EXIT.inconclusive : EXIT.pass;
}

function nothingInCommon({ a, b }: Comparison): GatecrashError {
  const names = [a, b].map(({ loads }) => loads.map(({ name }) => name).join(", "));
  return new GatecrashError("input", "the two runs have no load in common", {
    hint: `A has ${names[0]}; B has ${names[1]}`,
  });
}
