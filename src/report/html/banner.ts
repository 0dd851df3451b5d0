// The top of the report: what was asked, the verdict with its reason, and how to do it again.
import type { PlannedBase } from "../../core/base-facts.ts";
import { formatNumber } from "../../core/format.ts";
import { shownCommand } from "../../core/hiding.ts";
import { bannerTitle, changeText, isLoud } from "../base-words.ts";
import { secondsText } from "../criterion-view.ts";
import { sentence, whatWouldChange } from "../decisive.ts";
import { headWord, placeText, VERDICTS } from "../labels.ts";
import type { Report } from "../result.ts";
import { html, type Markup, type Part } from "./markup.ts";

export function banner(report: Report): Markup {
  const { verdict, plan } = report;
  const { word, mark } = VERDICTS[verdict];
  return html`<header>
${report.faults.map(({ notUndone }) => notUndone !== null && undoAlarm(notUndone))}
${plan.base !== undefined && isLoud(plan.base) && changed(plan.base)}
<p class="eyebrow">${eyebrow(report)}</p>
<h1>${plan.title}</h1>
<div class="verdict ${verdict}" role="region" aria-label="Verdict">
<p class="word"><span aria-hidden="true">${mark}</span> ${headWord(word, report.exitCode)}</p>
<div>
<p class="reason">${sentence(report.reason)}</p>
${report.invalid.slice(1).map((reason) => html`<p>Also: ${sentence(reason)}</p>`)}
${report.stopped !== null && html`<p>Stopped by ${sentence(report.stopped)}</p>`}
<p class="change">${whatWouldChange(report)}</p>
</div>
</div>
<p class="again"><span>Reproduce</span> <code>${commandText(plan.command)}</code>
${marks(report)}</p>
</header>
`;
}

function changed(base: PlannedBase): Markup {
  const lines = base.changes.map((change) => html`<li>${changeText(base, change)}</li>`);
  return html`<div class="alarm" role="alert"><p><strong>${bannerTitle(base)}</strong></p>
${lines.length > 0 && html`<ul>${lines}</ul>`}</div>
`;
}

function undoAlarm({ state, command }: { state: string; command: string }): Markup {
  return html`<div class="alarm" role="alert"><p><strong>NOT UNDONE</strong> ${state}.</p>
<p>Do now: <code>${command}</code></p></div>
`;
}

function eyebrow(report: Report): Part {
  const { plan, counts } = report;
  const began = new Date(plan.epoch_ms).toISOString();
  const when = `${began.slice(0, 10)} ${began.slice(11, 16)} UTC`;
  const load = `${formatNumber(counts.sent)} arrivals in ${secondsText(report.observedUs)}`;
  return [placeText(plan), when, load].map((part) => html`<span>${part}</span> `);
}

const MARKED_FUNCTIONS_MAX = 3;

/** `checkout v41` for what answered; more than a few stand in the appendix. */
function answeredMarks({ drawn, plan }: Report): string[] {
  const regions = Object.values(plan.functions).map((arn) => arn.split(":")[3] ?? "");
  const named = drawn.answeredBy.slice(0, MARKED_FUNCTIONS_MAX).map(({ name, versions }) => {
    const shown = versions.map(({ version }) => (/^\d/.test(version) ? `v${version}` : version));
    return `${name} ${shown.join(", ")}`;
  });
  const more = drawn.answeredBy.length - named.length;
  return [
    ...new Set(regions.filter((region) => region !== "")),
    ...named,
    ...(more > 0 ? [`and ${more} more functions`] : []),
  ];
}

function marks(report: Report): Part {
  const { plan } = report;
  const { blob, commit, dirty } = plan.scenario;
  const tree = dirty === true ? " with local changes" : "";
  const parts = [
    `seed ${plan.seed}`,
    `scenario ${blob.slice(0, 7)}`,
    ...(commit === null ? [] : [`commit ${commit.slice(0, 7)}${tree}`]),
    `gatecrash ${plan.version}`,
    `run ${plan.run}`,
    ...plan.loads.flatMap(({ capture }) =>
      capture === undefined ? [] : [`capture ${capture.sha256.slice(0, 7)}`],
    ),
    ...answeredMarks(report),
  ];
  return parts.map((part) => html`<span>${part}</span> `);
}

/** The command as it was typed; older runs kept values that are not to be repeated. */
function commandText(typed: readonly string[]): string {
  const command = typed[0] === "gatecrash" ? typed : ["gatecrash", ...typed];
  return shownCommand(command).map(quoted).join(" ");
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./…{}-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
