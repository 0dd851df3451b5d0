// Double entry: what was planned against what became of it, by load; nothing may be left over.
import { formatNumber, formatPercent } from "../../core/format.ts";
import { armName } from "../labels.ts";
import type { OutcomeCounts, Report } from "../result.ts";
import { html, type Markup, type Part } from "./markup.ts";
import { section, table } from "./parts.ts";

const COLUMNS = [
  { title: "Load" },
  ...["Planned", "Dropped", "Sent", "Ok", "Throttled", "Errored", "Unknown", "Left over"].map(
    (title) => ({ title, number: true }),
  ),
  { title: "Attempts", number: true },
];

export function ledgerSection({ loads, counts, balance }: Report): Markup {
  const rows = loads.map((load) => row(armName(load), load));
  if (loads.length > 1) rows.push(row("all", counts));
  return section(
    "ledger",
    "Where every arrival went",
    table("Arrivals by their last outcome", COLUMNS, rows),
    html`<p class="note">Planned = dropped + sent; sent = ok + throttled + errored + unknown.
What is left over must be 0, in every second and in all. Attempts beyond what was sent are
resends.</p>`,
    balance.problems.length > 0 &&
      html`<ul class="problems">${balance.problems.map((text) => html`<li>${text}</li>`)}</ul>`,
  );
}

function row(name: string, counts: OutcomeCounts): Part[] {
  const { planned, dropped, sent, ok, throttled, errored, unknown, degraded, attempts } = counts;
  const over = planned - dropped - sent + (sent - ok - throttled - errored - unknown);
  const share = (n: number) =>
    n > 0 && sent > 0 ? html`<small>${formatPercent(n / sent)}</small>` : null;
  const n = formatNumber;
  const second = degraded > 0 && html`<small>${n(degraded)} degraded</small>`;
  return [
    name,
    n(planned),
    n(dropped),
    n(sent),
    [n(ok), second],
    [n(throttled), share(throttled)],
    [n(errored), share(errored)],
    [n(unknown), share(unknown)],
    over === 0 ? "0" : html`<b class="bad">${n(over)}</b>`,
    [n(attempts), sent > 0 && attempts > sent && html`<small>× ${n(attempts / sent, 2)}</small>`],
  ];
}
