// `gatecrash import`: brings traffic in, redacted, and prints how faithful it is.
import { Command, Option } from "commander";
import { GatecrashError } from "../core/error.ts";
import { seededRng } from "../core/rng.ts";
import { CAPTURE_FORMATS, type CaptureInput, importCapture } from "../import/capture.ts";
import { type Fidelity, renderFidelity } from "../import/fidelity.ts";
import { parseBetween, parseWindow } from "../import/select.ts";
import { writeCapture } from "../import/write-capture.ts";
import type { CommandContext } from "./context.ts";
import { numberOption } from "./options.ts";

interface ImportOptions {
  readonly out: string;
  readonly format?: string;
  readonly between?: string;
  readonly window?: string;
  readonly seed: number;
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
  const whole = numberOption({ least: 0, whole: true });
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
    .option("--seed <n>", "places requests within coarse time stamps", whole, 1)
    .option("--redaction-key-env <NAME>", "environment variable with the secret for pseudonyms")
    .option("--json", "print the fidelity table as one JSON document")
    .addHelpText("after", EXAMPLES)
    .action(async (capture: string, options: ImportOptions) => {
      const { records, fidelity } = await importCapture(inputOf(capture, options));
      if (records.length === 0) throw nothingLeft(capture, fidelity);
      await writeCapture(records, options.out);
      context.out(
        options.json
          ? `${JSON.stringify({ out: options.out, fidelity }, null, 2)}\n`
          : `${renderFidelity(fidelity)}\nwritten to ${options.out}\n`,
      );
    });
}

/** An empty file would only be found out by the run that replays it. */
function nothingLeft(file: string, { format, read, unit, skipped }: Fidelity): GatecrashError {
  const why = skipped.map(({ reason, count, first }) => `${count} ${reason}, first at ${first}`);
  return new GatecrashError(
    "input",
    `nothing of this capture can be replayed (read as ${format})`,
    {
      hint: `of ${read} ${unit}: ${why.join("; ") || "none"}; nothing was written`,
      place: { file },
    },
  );
}

function redactionKey(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const key = process.env[name];
  if (key !== undefined && key !== "") return key;
  throw new GatecrashError("usage", `--redaction-key-env ${name}: that variable is not set`, {
    hint: "without the option the key comes from the seed, and anybody can compute the pseudonyms",
  });
}

function inputOf(file: string, options: ImportOptions): CaptureInput {
  const key = redactionKey(options.redactionKeyEnv);
  return {
    file,
    rng: seededRng(options.seed, "import"),
    ...(options.format === undefined ? {} : { format: options.format }),
    ...(options.between === undefined ? {} : { between: parseBetween(options.between) }),
    ...(options.window === undefined ? {} : { busiestUs: parseWindow(options.window) }),
    ...(key === undefined ? {} : { key }),
  };
}
