// report.html: one file that needs no network, for a person who has to decide.
import { createHash } from "node:crypto";
import type { Report, Reporter } from "../result.ts";
import { appendixSection } from "./appendix.ts";
import { type Assets, readAssets } from "./assets.ts";
import { banner } from "./banner.ts";
import { chartData } from "./chart-data.ts";
import { costSection } from "./cost.ts";
import { criteriaSection } from "./criteria.ts";
import { errorsSection } from "./errors.ts";
import { latencySection } from "./latency.ts";
import { ledgerSection } from "./ledger.ts";
import { html, jsonScript, Markup, type Part } from "./markup.ts";
import { VERDICTS } from "./parts.ts";
import { reconciliationSection } from "./reconciliation.ts";
import { scorecardSection } from "./scorecard.ts";
import { STYLE } from "./style.ts";
import { timelineSection } from "./timeline.ts";
import { validitySection } from "./validity.ts";

export const htmlReport: Reporter = (report) => pageOf(report, readAssets());

const CONTENTS = [
  ["criteria", "Criteria"],
  ["validity", "Trust"],
  ["timeline", "Timeline"],
  ["latency", "Response times"],
  ["faults", "Faults"],
  ["ledger", "Arrivals"],
  ["reconciliation", "Reconciliation"],
  ["errors", "Errors"],
  ["cost", "Cost"],
  ["appendix", "Appendix"],
] as const;

function contents({ reconciliation, cost }: Report): Part {
  const absent = [reconciliation.length > 0 ? "" : "reconciliation", cost === null ? "cost" : ""];
  const there = ([id]: readonly [string, string]) => !absent.includes(id);
  return CONTENTS.filter(there).map(([id, title]) => html`<a href="#${id}">${title}</a> `);
}

/** Only these very scripts and styles may run, and nothing may be fetched. */
function policyOf(scripts: readonly string[], style: string): string {
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return [
    "default-src 'none'",
    `script-src ${scripts.map(hash).join(" ")}`,
    `style-src ${hash(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

function pageOf(report: Report, assets: Assets): string {
  const style = `${assets.chartStyle}\n${STYLE}`;
  const raw = (tag: string, text: string) => new Markup(`<${tag}>${text}</${tag.split(" ")[0]}>`);
  const { word } = VERDICTS[report.verdict];
  const policy = policyOf([assets.chartLibrary, assets.pageScript], style);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${word} · ${report.plan.title}</title>
${raw("style", style)}
</head>
<body>
<a class="skip" href="#criteria">Skip to the criteria</a>
<main>
${banner(report)}
<nav aria-label="Contents">${contents(report)}</nav>
${criteriaSection(report)}
${validitySection(report)}
${timelineSection(report)}
${latencySection(report)}
${scorecardSection(report)}
${ledgerSection(report)}
${reconciliationSection(report)}
${errorsSection(report)}
${costSection(report)}
${appendixSection(report)}
</main>
${jsonScript("chart-data", chartData(report))}
${raw("script", assets.chartLibrary)}
${raw('script type="module"', assets.pageScript)}
</body>
</html>
`;
  return page.text;
}
