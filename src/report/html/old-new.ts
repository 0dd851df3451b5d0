// Old against new: a replay's answers beside those that its capture recorded.
import { formatNumber, formatPercent } from "../../core/format.ts";
import { msText } from "../labels.ts";
import { OLD_NEW_QUANTILES, type OldNew, type OldNewRow, shownChanges } from "../old-new.ts";
import type { Report } from "../result.ts";
import { html, type Markup, type Part } from "./markup.ts";
import { section, table } from "./parts.ts";
import { ratioBar } from "./ratio-bar.ts";

const number = (title: string) => ({ title, number: true });
const NAMES = OLD_NEW_QUANTILES.map((q) => `p${q * 100}`);
const COLUMNS = [
  { title: "Load" },
  ...NAMES.flatMap((name) => [number(`${name} old`), number("new")]),
  ...["Faster now", "Same status"].map(number),
];

/** Nothing where no capture was replayed. */
export function oldNewSection(report: Report): Markup | null {
  const { oldNew } = report;
  if (oldNew === null) return null;
  const left = oldNew.rows.some(({ route, compared, pairs }) => route === "" && pairs < compared);
  return section(
    "old-new",
    "Old against new",
    table("Response time in ms, of the same requests then and now", COLUMNS, oldNew.rows.map(row)),
    html`<p class="note">Old is what the capture recorded of the system that answered then, under
its own load and from where it was recorded; new is what this run measured from here. Times are of
requests that were ok on both sides${
      left && "; those that were not, on either, are left out of them"
    }. A recorded 304 and a 200 now count as the same status: validators are not sent again.</p>`,
    html`<div class="columns">${[ratioTable(report), changeTable(oldNew)]}</div>`,
  );
}

function row({ load, route, compared, agreed, pairs, faster, ...times }: OldNewRow): Part[] {
  const ms = (us: number): string => (Number.isNaN(us) ? "–" : msText(us));
  const share = (part: number, of: number): Part =>
    of === 0 ? "–" : [formatPercent(part / of), html`<small>of ${formatNumber(of)}</small>`];
  return [
    route === "" ? load : html`<span class="muted">${load}.</span>${route}`,
    ...NAMES.flatMap((_, i) => [ms(times.oldUs[i]!), html`<b>${ms(times.newUs[i]!)}</b>`]),
    share(faster, pairs),
    share(agreed, compared),
  ];
}

function ratioTable({ drawn }: Report): Part {
  const rows = Object.entries(drawn.oldNewRatios).flatMap(([load, ratios]) =>
    ratios.map((ratio, i): Part[] => [
      `${load} ${NAMES[i]}`,
      html`<b>${formatNumber(ratio.estimate, 2)}</b>`,
      ...(Number.isNaN(ratio.low)
        ? ["too few to have one", ""]
        : [
            `${formatNumber(ratio.low, 2)} – ${formatNumber(ratio.high, 2)}`,
            ratioBar(ratio, ratio.low > 1 ? "fail" : ratio.high < 1 ? "pass" : "muted"),
          ]),
    ]),
  );
  if (rows.length === 0) return null;
  const columns = [{ title: "" }, number("New ÷ old"), number("95 % interval"), { title: "" }];
  return table("How many times as long as before", columns, rows);
}

function changeTable(oldNew: OldNew): Part {
  const shown = shownChanges(oldNew);
  if (shown.length === 0) return null;
  const status = (code: number): Part => (code === 0 ? "no answer" : html`<code>${code}</code>`);
  const rows = shown.map(({ was, is, n }) => [status(was), status(is), formatNumber(n)]);
  const more = oldNew.changes.length - shown.length;
  return [
    table(
      "Another status than then",
      [{ title: "Then" }, { title: "Now" }, number("Arrivals")],
      rows,
    ),
    more > 0 && html`<p class="note">And ${more} more kinds of change.</p>`,
  ];
}
