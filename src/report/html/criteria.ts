// The table of criteria: worst first, each with its figures and where they lie against the limit.
import { formatNumber } from "../../core/format.ts";
import {
  beyondText,
  bySeverity,
  estimateText,
  halfWidthText,
  intervalText,
  limitText,
  marginText,
  spareText,
  windowText,
} from "../criterion-view.ts";
import type { CriterionResult, Report } from "../result.ts";
import { bullet } from "./bullet.ts";
import { html, type Part } from "./markup.ts";
import { section, table, verdictMark } from "./parts.ts";

const COLUMNS = [
  { title: "Criterion" },
  { title: "Found", number: true },
  { title: "Limit", number: true },
  { title: "Margin", number: true },
  { title: "Against the limit" },
  { title: "Samples", number: true },
];

export function criteriaSection(report: Report): Part {
  const { criteria } = report;
  if (criteria.length === 0)
    return section("criteria", "Criteria", html`<p>This run was given no criteria.</p>`);
  const someSecondary = criteria.some((one) => !one.primary);
  const rows = bySeverity(criteria).map((one) => row(one, someSecondary && one.primary));
  return section(
    "criteria",
    "Criteria",
    table("Criteria, failures first", COLUMNS, rows, "criteria"),
    html`<p class="note">Brackets hold the 95 % interval. The margin is the limit minus the deciding
one-sided 95 % bound, so a sample passes only when chance alone does not explain it. The bar shows
the estimate and its interval; the shaded part lies beyond the limit.</p>`,
  );
}

function row(one: CriterionResult, markPrimary: boolean): Part[] {
  const interval = intervalText(one);
  const limit = limitText(one);
  return [
    html`<span class="what">${verdictMark(one.verdict)} <span><code>${one.text}</code>${
      markPrimary && html` <span class="chip">primary</span>`
    }${detail(one)}</span></span>`,
    [
      html`<b>${estimateText(one) === "" ? "–" : estimateText(one)}</b>`,
      interval !== "" && html`<small>[${interval}]</small>`,
    ],
    limit === "" ? "–" : limit,
    margin(one),
    bullet(one),
    samples(one),
  ];
}

function detail(one: CriterionResult): Part {
  const during = windowText(one);
  const parts = [
    ...(one.verdict === "pass" ? [beyondText(one)] : [one.reason]),
    during === "" ? "" : `judged ${during}`,
  ].filter((part) => part !== "");
  return parts.length > 0 && html`<small>${parts.join(" · ")}</small>`;
}

function margin(one: CriterionResult): Part {
  if (one.verdict === "invalid") return html`<span class="muted">not judged</span>`;
  if (one.verdict === "inconclusive") return html`<span class="muted">undecided</span>`;
  const shown = marginText(one);
  if (shown === "") return "–";
  return [
    shown,
    ...[spareText(one), halfWidthText(one)].map((text) => {
      return text !== "" && html`<small>${text}</small>`;
    }),
  ];
}

function samples(one: CriterionResult): Part {
  const effective = one.nEffective;
  const fewer = effective !== null && Math.round(effective) < one.n;
  return [
    formatNumber(one.n),
    fewer && html`<small>worth ${formatNumber(Math.round(effective))}</small>`,
    one.needs !== null && html`<small>needs ${formatNumber(one.needs)}</small>`,
  ];
}
