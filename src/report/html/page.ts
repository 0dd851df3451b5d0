// report.html: one file that needs no network, for a person who has to decide.
import { headWord, VERDICTS } from "../labels.ts";
import type { Report, Reporter } from "../result.ts";
import { appendixSection } from "./appendix.ts";
import { readAssets } from "./assets.ts";
import { banner } from "./banner.ts";
import { chartData } from "./chart-data.ts";
import { cleanUpSection } from "./clean-up.ts";
import { costSection } from "./cost.ts";
import { criteriaSection } from "./criteria.ts";
import { documentOf } from "./document.ts";
import { errorsSection } from "./errors.ts";
import { latencySection } from "./latency.ts";
import { ledgerSection } from "./ledger.ts";
import { html, type Part } from "./markup.ts";
import { oldNewSection } from "./old-new.ts";
import { reconciliationSection } from "./reconciliation.ts";
import { scorecardSection } from "./scorecard.ts";
import { timelineSection } from "./timeline.ts";
import { validitySection } from "./validity.ts";
import { versionsSection } from "./versions.ts";

export const htmlReport: Reporter = (report) => pageOf(report);

const CONTENTS = [
  ["criteria", "Criteria"],
  ["validity", "Trust"],
  ["timeline", "Timeline"],
  ["latency", "Response times"],
  ["versions", "Versions"],
  ["faults", "Faults"],
  ["ledger", "Arrivals"],
  ["reconciliation", "Reconciliation"],
  ["clean-up", "Clean-up"],
  ["errors", "Errors"],
  ["old-new", "Old and new"],
  ["cost", "Cost"],
  ["appendix", "Appendix"],
] as const;

function contents({ reconciliation, cleanUps, cost, oldNew, versions }: Report): Part {
  const absent = [
    ...(reconciliation.length > 0 ? [] : ["reconciliation"]),
    ...(cleanUps.length > 0 ? [] : ["clean-up"]),
    ...(cost === null ? ["cost"] : []),
    ...(versions.length === 0 ? ["versions"] : []),
    ...(oldNew === null ? ["old-new"] : []),
  ];
  const there = ([id]: readonly [string, string]) => !absent.includes(id);
  return CONTENTS.filter(there).map(([id, title]) => html`<a href="#${id}">${title}</a> `);
}

function pageOf(report: Report): string {
  return documentOf({
    title: `${headWord(VERDICTS[report.verdict].word, report.exitCode)} · ${report.plan.title}`,
    skip: ["criteria", "Skip to the criteria"],
    data: chartData(report),
    assets: readAssets("report"),
    body: html`${banner(report)}
<nav aria-label="Contents">${contents(report)}</nav>
${criteriaSection(report)}
${validitySection(report)}
${timelineSection(report)}
${latencySection(report)}
${versionsSection(report)}
${scorecardSection(report)}
${ledgerSection(report)}
${reconciliationSection(report)}
${cleanUpSection(report)}
${errorsSection(report)}
${oldNewSection(report)}
${costSection(report)}
${appendixSection(report)}`,
  });
}
