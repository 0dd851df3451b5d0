// `gatecrash lint`: what a scenario cannot decide, from its text and its captures alone.
import { Command } from "commander";
import { EXIT } from "../core/exit.ts";
import type { Scenario } from "../core/scenario.ts";
import type { Prospect } from "../report/prospects.ts";
import { lintScenario } from "../scenario/lint.ts";
import type { LintFinding } from "../scenario/lint-types.ts";
import { listVariants, readScenario } from "../scenario/read.ts";
import type { CommandContext } from "./context.ts";
import { countLoads } from "./count-loads.ts";
import { forecast } from "./forecast.ts";
import { acceptProspects, prospectFindings, shownPath } from "./lint-plan.ts";
import { declaredQuota } from "./make-plan.ts";
import { prospectJson, prospectLines } from "./prospect-text.ts";
import { templateVersions, versionFindings } from "./versions.ts";

interface LintOptions {
  readonly variant?: string;
  readonly env: string;
  readonly json?: boolean;
}

interface Linted {
  readonly variant: string | null;
  readonly findings: readonly LintFinding[];
  readonly prospects: readonly Prospect[];
}

const EXAMPLES = `
Examples:
  gatecrash lint scenarios/zero-concurrency
  gatecrash lint scenarios/zero-concurrency --env staging --json

Exit codes: 0 nothing worse than a warning, 64 an error: its verdict would mean nothing
`;

export function lintCommand(context: CommandContext): Command {
  return new Command("lint")
    .description("Find what a scenario cannot decide. Starts nothing, sends nothing.")
    .argument("<scenario>", "scenario file, or its folder")
    .option("--variant <name>", "one variant only (default: all)")
    .option("--env <name>", "where it would run", "local")
    .option("--json", "print one JSON document")
    .addHelpText("after", EXAMPLES)
    .action(async (path: string, options: LintOptions) => {
      const listed = options.variant === undefined ? listVariants(path) : [options.variant];
      const linted: Linted[] = [];
      let file = path;
      for (const variant of listed.length === 0 ? [null] : listed) {
        const scenario = readScenario(path, { variant, environment: options.env });
        file = scenario.file;
        linted.push({ variant: scenario.variant, ...(await lint(scenario)) });
      }
      const wrong = linted.some(({ findings }) => findings.some(isError));
      context.out(options.json ? asJson(file, linted) : asText(file, linted));
      context.exit(wrong ? EXIT.usage : EXIT.pass);
    });
}

/** Findings in the order of their lines, and every criterion's prospect. */
async function lint(scenario: Scenario): Promise<Omit<Linted, "variant">> {
  // Only `{{now}}` in bodies depends on the moment, and nothing that is counted.
  const counted = await countLoads(scenario, 0);
  const quota = declaredQuota(scenario);
  const { predicted } = forecast(scenario, counted, { quota, serviceMs: null, initMs: 0 });
  const versions = templateVersions(scenario);
  const prospects = acceptProspects(scenario, counted, predicted.cold_starts, versions);
  const findings = [
    ...lintScenario(scenario),
    ...prospectFindings(scenario, prospects),
    ...(versions === null ? [] : versionFindings(scenario, versions)),
  ];
  return { findings: findings.toSorted((a, b) => a.line - b.line), prospects };
}

const isError = ({ severity }: LintFinding): boolean => severity === "error";

/** Variants share their criteria: what is said of all of them is said once. */
function asText(file: string, linted: readonly Linted[]): string {
  const seen = new Map<string, string[]>();
  for (const { variant, findings } of linted)
    for (const { line, severity, message } of findings) {
      const text = `${severity}: ${shownPath(file)}:${line}: ${message}`;
      seen.set(text, [...(seen.get(text) ?? []), variant ?? ""]);
    }
  const lines = [...seen].map(([text, variants]) => {
    return variants.length === linted.length ? text : `${text} (${variants.join(", ")})`;
  });
  const errors = lines.filter((line) => line.startsWith("error")).length;
  const counts = `${errors} errors, ${lines.length - errors} warnings`;
  const [first] = linted;
  return `${[...prospectLines(first?.prospects ?? []), "", ...lines, counts].join("\n")}\n`;
}

function asJson(file: string, linted: readonly Linted[]): string {
  const variants = linted.map(({ variant, findings, prospects }) => {
    return { variant, findings, criteria: prospects.map(prospectJson) };
  });
  const errors = linted.flatMap(({ findings }) => findings.filter(isError)).length;
  return `${JSON.stringify({ scenario: file, errors, variants }, null, 2)}\n`;
}
