// `gatecrash import`: brings traffic in, redacted, and prints how faithful it is.
import { Command, Option } from "commander";
import { seededRng } from "../core/rng.ts";
import { CAPTURE_FORMATS, type CaptureInput, importCapture } from "../import/capture.ts";
import { renderFidelity } from "../import/fidelity.ts";
import { parseBetween, parseWindow } from "../import/select.ts";
import { writeCapture } from "../import/write-capture.ts";
import type { CommandContext } from "./context.ts";

interface ImportOptions {
  readonly out: string;
  readonly format?: string;
  readonly between?: string;
  readonly window?: string;
  readonly seed: string;
  readonly redactionKeyEnv?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  gatecrash import access.log.gz --out traffic.ndjson.gz
  gatecrash import logs/ --format alb --window busiest:30m --out peak.ndjson.gz
  gatecrash import access.log --between 2026-09-01T10:00:00Z..2026-09-01T10:30:00Z --out ten.ndjson
`;

export function importCommand(context: CommandContext): Command {
  return new Command("import")
    .description("Bring captured traffic in: one canonical NDJSON file and its fidelity table.")
    .argument("<capture>", "a log or capture file, plain or gzip, or a folder of them")
    .requiredOption("--out <file>", "NDJSON to write; a name that ends in .gz is packed")
    .addOption(
      new Option("--format <name>", "found from the text when left out").choices(
        CAPTURE_FORMATS.map((format) => format.name),
      ),
    )
    .option("--between <A..B>", "only requests that started in this span (ISO times)")
    .option("--window <busiest:30m>", "only the busiest stretch of this length")
    .option("--seed <n>", "places requests within coarse time stamps", "1")
    .option("--redaction-key-env <NAME>", "environment variable with the secret for pseudonyms")
    .option("--json", "print the fidelity table as one JSON document")
    .addHelpText("after", EXAMPLES)
    .action(async (capture: string, options: ImportOptions) => {
      const { records, fidelity } = await importCapture(inputOf(capture, options));
      await writeCapture(records, options.out);
      context.out(
        options.json
          ? `${JSON.stringify({ out: options.out, fidelity }, null, 2)}\n`
          : `${renderFidelity(fidelity)}\nwritten to ${options.out}\n`,
      );
    });
}

function inputOf(file: string, options: ImportOptions): CaptureInput {
  const key = options.redactionKeyEnv && process.env[options.redactionKeyEnv];
  return {
    file,
    rng: seededRng(Number(options.seed), "import"),
    ...(options.format === undefined ? {} : { format: options.format }),
    ...(options.between === undefined ? {} : { between: parseBetween(options.between) }),
    ...(options.window === undefined ? {} : { busiestUs: parseWindow(options.window) }),
    ...(key ? { key } : {}),
  };
}
