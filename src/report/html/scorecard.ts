// Each fault step by step: asked, seen to act, asked back, read back, seen to be over, recovered.
import { formatMs, formatNumber, formatPercent } from "../../core/format.ts";
import { secondsText } from "../criterion-view.ts";
import { resourceName } from "../fault-result.ts";
import type { FaultResult, Report } from "../result.ts";
import type { SeriesGroup } from "../series.ts";
import { html, type Markup, type Part } from "./markup.ts";
import { section } from "./parts.ts";

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
${fault.residue !== null && html`<p>Undo leaves: ${fault.residue}</p>`}
${effect(fault, report)}
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

function recoveryStep(fault: FaultResult, { drawn, plan }: Report): Step {
  const found = drawn.recoveries[fault.name] ?? null;
  const name = "Steady again";
  if (found === null) {
    const none = plan.criteria.steady.length === 0;
    return { name, at: none ? "not declared" : "not seen", detail: "", done: false };
  }
  if (found.us !== null)
    return {
      name,
      at: `${formatNumber(found.us / 1e6, 0)} s`,
      detail: "after clearing",
      done: true,
    };
  const watched = formatNumber(found.observedUs / 1e6, 0);
  return { name, at: "not seen", detail: `watched for ${watched} s`, done: false };
}

/** What callers met while it acted, from whole seconds that lie inside. */
function effect(fault: FaultResult, { drawn }: Report): Part {
  const { onsetUs, restoreAskedUs } = fault;
  const group = drawn.series.groups[0];
  if (onsetUs === null || restoreAskedUs === null || group === undefined) return null;
  const { bucketUs } = drawn.series;
  const first = Math.ceil(onsetUs / bucketUs);
  const last = Math.floor(restoreAskedUs / bucketUs);
  const { sent, ok, degraded, attempts, worstUs } = sums(group, first, last);
  if (sent === 0)
    return html`<p class="effect">Nothing was sent in whole seconds while it acted.</p>`;
  const good = ok + degraded;
  const parts = [
    `${formatNumber(sent)} sent`,
    `${formatPercent((sent - good) / sent)} not ok`,
    ...(degraded > 0 ? [`${formatPercent(degraded / sent)} degraded`] : []),
    ...(attempts > sent ? [`${formatNumber(attempts / sent, 2)} attempts each`] : []),
    ...(worstUs === null ? [] : [`slowest second p99 ${worstText(worstUs)}`]),
  ];
  return html`<p class="effect">While it acted: ${parts.join(" · ")}.</p>`;
}

const worstText = (us: number): string =>
  Number.isFinite(us) ? `${formatMs(us)} ms` : "never answered";

/** Sums over the buckets [first, last). */
export function sums(group: SeriesGroup, first: number, last: number) {
  const { outcomes } = group;
  const over = (values: readonly number[]) =>
    values.slice(first, Math.max(first, last)).reduce((sum, value) => sum + value, 0);
  const p99 = group.p99Us.slice(first, last).filter((us) => !Number.isNaN(us));
  const counts = {
    ok: over(outcomes.ok),
    degraded: over(outcomes.degraded),
    throttled: over(outcomes.throttled),
    errored: over(outcomes.errored),
    unknown: over(outcomes.unknown),
    dropped: over(outcomes.dropped),
  };
  const { ok, degraded, throttled, errored, unknown } = counts;
  return {
    ...counts,
    sent: ok + degraded + throttled + errored + unknown,
    attempts: over(group.attempts),
    worstUs: p99.length === 0 ? null : p99.reduce((most, us) => Math.max(most, us), 0),
  };
}
