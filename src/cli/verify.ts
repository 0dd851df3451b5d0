// `gatecrash verify`: whether a run is what it says: criteria, facts, verdict and undo.
import { Command } from "commander";
import { EXIT } from "../core/exit.ts";
import { headWord, VERDICTS } from "../report/labels.ts";
import { report } from "../report/report.ts";
import { columns } from "../report/text-layout.ts";
import type { Check } from "./check.ts";
import type { CommandContext } from "./context.ts";
import { verifyRun } from "./verify-run.ts";

const EXAMPLES = `
Examples:
  gatecrash verify runs/2026-11-30T19-02Z-k4
  gatecrash verify runs/2026-11-30T19-02Z-k4 --json | jq .holds

Exit codes: 0 everything that could be checked holds, 3 something does not, 64 no run there
`;

export function verifyCommand(context: CommandContext): Command {
  return new Command("verify")
    .description("Check a run: criteria unchanged, verdict recomputed, balance, undo complete.")
    .argument("<run>", "run directory")
    .option("--json", "print one JSON document")
    .addHelpText("after", EXAMPLES)
    .action(async (run: string, options: { readonly json?: boolean }) => {
      const judged = await report(run);
      const checks = await verifyRun(run, judged);
      const holds = checks.every(({ state }) => state !== "no");
      const { verdict, reason, plan } = judged;
      const document = { run: plan.run, verdict, reason, holds, checks };
      context.out(
        options.json
          ? `${JSON.stringify(document, null, 2)}\n`
          : asText(`${headWord(VERDICTS[verdict].word, judged.exitCode)}   ${reason}`, checks),
      );
      context.exit(holds ? EXIT.pass : EXIT.invalid);
    });
}

const SIGNS: { readonly [state in Check["state"]]: string } = { yes: "✓", no: "✗", unknown: "·" };

function asText(head: string, checks: readonly Check[]): string {
  const rows = checks.map(({ state, what, detail }) => [SIGNS[state], what, detail]);
  const failed = checks.filter(({ state }) => state === "no").length;
  const open = checks.filter(({ state }) => state === "unknown").length;
  const last = [
    failed === 0 ? "Everything that could be checked holds." : `${failed} of these do not hold.`,
    ...(open === 0 ? [] : [`${open} could not be checked.`]),
  ].join(" ");
  const lines = [head, "", ...columns(rows, "lll"), "", last];
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}
