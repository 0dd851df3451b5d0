// Each fault step by step: asked, seen to act, asked back, read back, seen to be over, recovered.
import { formatMs, formatNumber, formatPercent } from "../../core/format.ts";
import { secondsText } from "../criterion-view.ts";
import { resourceName } from "../fault-result.ts";
import type { FaultResult, Report } from "../result.ts";
import type { RunSeries, SeriesGroup } from "../series.ts";
import { coldWaveText } from "../words.ts";
import { faultBar } from "./fault-bar.ts";
import { html, type Markup, type Part } from "./markup.ts";
import { section, table } from "./parts.ts";

interface Step {
  readonly name: string;
  readonly at: string;
  readonly detail: string;
  readonly done: boolean;
}

export function scorecardSection(report: Report): Part {
  if (report.faults.length === 0)
    return section("faults", "Faults", html`<p>None in this scenario; nothing was changed.</p>`);
  const cards = report.faults.map((fault) => card(fault, report));
  return section("faults", "Faults", html`<div class="cards">${cards}</div>`);
}

function card(fault: FaultResult, report: Report): Markup {
  const where = fault.resources.map(resourceName).join(", ");
  return html`<article class="card" aria-label="Fault ${fault.name}">
<h3>${fault.name} <small>${fault.kind} on ${where}</small></h3>
<p><code>${fault.change === "" ? "nothing was changed" : fault.change}</code></p>
<ol class="steps">${stepsOf(fault, report).map(
    ({ name, at, detail, done }) => html`<li class="${done ? "done" : "missing"}"><span
 class="name">${name}</span> <span class="at">${at}</span> <small>${detail}</small></li>
`,
  )}</ol>
${fault.coldWave !== null && html`<p>${sentence(coldWaveText(fault))}.</p>`}
${fault.residue !== null && html`<p>Undo leaves: ${fault.residue}</p>`}
${faultBar(fault, report)}
${effect(fault, report)}
${spentText(fault, report)}
${sharesTable(fault, report)}
</article>
`;
}

function stepsOf(fault: FaultResult, report: Report): Step[] {
  const { askedUs, onsetUs, restoreAskedUs, clearedUs } = fault;
  const step = (name: string, us: number | null, detail: string): Step => ({
    name,
    at: us === null ? "not seen" : secondsText(us),
    detail: us === null ? "" : detail,
    done: us !== null,
  });
  const after = (us: number | null, from: number | null, what: string) =>
    us === null || from === null ? "" : `${formatNumber((us - from) / 1e6, 1)} s after ${what}`;
  const acted = (from: number | null, to: number | null) =>
    from === null || to === null ? "" : `after acting for ${formatNumber((to - from) / 1e6, 1)} s`;
  const verified = fault.injected && fault.verified;
  return [
    step("Asked", askedUs, ""),
    step("Seen to act", onsetUs, after(onsetUs, askedUs, "it was asked")),
    detectedStep(fault, report),
    step("Asked back", restoreAskedUs, acted(onsetUs, restoreAskedUs)),
    {
      name: "Read back",
      at: verified ? "verified" : fault.injected ? "NOT verified" : "nothing to undo",
      detail: verified ? "as it was captured before" : "",
      done: verified || !fault.injected,
    },
    step("Seen to clear", clearedUs, after(clearedUs, restoreAskedUs, "it was asked back")),
    recoveryStep(fault, report),
  ];
}

/** When the steady state, or else an alarm, first said that something is wrong. */
function detectedStep({ name: of, askedUs }: FaultResult, { drawn, plan }: Report): Step {
  const { detected, alarm } = drawn.faultEffects[of]!;
  const name = "Noticed";
  const after = (us: number) => `${formatNumber((us - (askedUs ?? us)) / 1e6, 1)} s after asking`;
  const rang = alarm === null ? "" : `; alarm ${alarm.name} at ${secondsText(alarm.us)}`;
  if (detected !== null)
    return {
      ...{ name, at: secondsText(detected.us), done: true },
      detail: `${after(detected.us)}, by ${detected.by}${rang}`,
    };
  if (alarm !== null)
    return { name, at: secondsText(alarm.us), detail: `by alarm ${alarm.name}`, done: true };
  const none = plan.criteria.steady.length === 0;
  const detail = none ? "no steady state is declared" : "every steady criterion held throughout";
  return { name, at: none ? "not known" : "not at all", detail, done: false };
}

function recoveryStep(fault: FaultResult, { drawn, plan }: Report): Step {
  const found = drawn.faultEffects[fault.name]!.recovery;
  const name = "Steady again";
  if (found === null) {
    const none = plan.criteria.steady.length === 0;
    return { name, at: none ? "not declared" : "not seen", detail: "", done: false };
  }
  if (found.us !== null)
    return {
      name,
      at: secondsText((fault.clearedUs ?? 0) + found.us),
      detail: `${formatNumber(found.us / 1e6, 0)} s after clearing`,
      done: true,
    };
  const watched = formatNumber(found.observedUs / 1e6, 0);
  return { name, at: "not seen", detail: `watched for ${watched} s`, done: false };
}

/** What callers met while it acted, over the arrivals that were due then. */
function effect(fault: FaultResult, { drawn }: Report): Part {
  const { onsetUs, restoreAskedUs } = fault;
  const group = drawn.series.groups[0];
  if (onsetUs === null || restoreAskedUs === null || group === undefined) return null;
  const { shares, worst } = drawn.faultEffects[fault.name]!;
  const sum = (of: "sent" | "ok" | "degraded" | "attempts"): number =>
    shares.reduce((total, share) => total + share[of], 0);
  const [sent, ok, degraded, attempts] = [sum("sent"), sum("ok"), sum("degraded"), sum("attempts")];
  if (sent === 0) return html`<p class="effect">Nothing was due while it acted.</p>`;
  const slowestUs = worstP99Us(group, drawn.series, onsetUs, restoreAskedUs);
  const parts = [
    `${formatNumber(sent)} sent`,
    `${formatPercent((sent - ok) / sent)} not ok`,
    ...(worst === null
      ? []
      : [
          `worst second ${secondsText(worst.us)}: ${formatPercent(worst.share, 0)} of ` +
            `${formatNumber(worst.n)} not ok`,
        ]),
    ...(degraded > 0 ? [`${formatPercent(degraded / sent)} degraded`] : []),
    ...(attempts > sent ? [`${formatNumber(attempts / sent, 2)} attempts each`] : []),
    ...(slowestUs === null
      ? []
      : [`slowest ${bucketText(drawn.series)} p99 ${worstText(slowestUs)}`]),
  ];
  return html`<p class="effect">While it acted: ${parts.join(" · ")}.</p>`;
}

/** 1 = all that the limit allows in the whole run. */
function spentText(fault: FaultResult, { drawn }: Report): Part {
  const { spent } = drawn.faultEffects[fault.name]!;
  if (spent.length === 0 || !fault.injected) return null;
  const each = spent.map(({ text, share }) => `${formatPercent(share, 0)} of ${text}`);
  return html`<p class="effect">Of what may go wrong in the whole run, it spent ${each.join(
    ", ",
  )}.</p>`;
}

const SHARES_MAX = 12;
const SHARES = [
  { title: "Load and route" },
  ...["Sent", "Ok", "Degraded", "Attempts each"].map((title) => ({ title, number: true })),
];

/** What kept working: where there is more than one thing that could. */
function sharesTable(fault: FaultResult, { drawn }: Report): Part {
  const { shares } = drawn.faultEffects[fault.name]!;
  if (shares.length < 2) return null;
  const worstFirst = [...shares].sort((a, b) => a.ok / a.sent - b.ok / b.sent);
  const rows = worstFirst
    .slice(0, SHARES_MAX)
    .map(({ name, sent, ok, degraded, attempts }) => [
      name,
      formatNumber(sent),
      html`<b>${formatPercent(ok / sent)}</b>`,
      degraded === 0 ? "–" : formatPercent(degraded / sent),
      formatNumber(attempts / sent, 2),
    ]);
  const more = shares.length > SHARES_MAX ? `, the worst ${SHARES_MAX} of ${shares.length}` : "";
  return table(`What kept working while ${fault.name} acted${more}`, SHARES, rows);
}

const worstText = (us: number): string =>
  Number.isFinite(us) ? `${formatMs(us)} ms` : "never answered";

/** The slowest p99 of the buckets that lie inside [fromUs, toUs); null = none has answers. */
export function worstP99Us(
  { p99Us }: SeriesGroup,
  { bucketUs }: RunSeries,
  fromUs: number,
  toUs: number,
): number | null {
  const inside = p99Us.slice(Math.ceil(fromUs / bucketUs), Math.floor(toUs / bucketUs));
  const known = inside.filter((us) => !Number.isNaN(us));
  return known.length === 0 ? null : known.reduce((most, us) => Math.max(most, us), 0);
}

/** `second`, `4 seconds`: what a bucket of the timeline is. */
export function bucketText({ bucketUs }: RunSeries): string {
  const width = bucketUs / 1e6;
  return width === 1 ? "second" : `${width} seconds`;
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
