// What the invocations of the run were billed, at list price; what is not in it stands below.
import { formatNumber, formatPercent } from "../../core/format.ts";
import type { CostResult } from "../cost-result.ts";
import { showUsd } from "../criterion-text.ts";
import { armName } from "../labels.ts";
import type { Report } from "../result.ts";
import { html, type Markup, type Part } from "./markup.ts";
import { section, table } from "./parts.ts";

const number = (title: string) => ({ title, number: true });
const FUNCTIONS = [
  { title: "Function" },
  ...["Invocations", "GB-s", "Init", "This run", "A million invocations"].map(number),
];
const MONTHS = [
  { title: "Invocations a month" },
  ...["List price", "Beyond the free tier"].map(number),
  { title: "" },
];
const LOADS = [{ title: "Load" }, number("A million arrivals"), { title: "" }];

/** Nothing where no REPORT line says what was billed. */
export function costSection({ cost }: Report): Markup | null {
  if (cost === null) return null;
  const { prices, notPriced } = cost;
  return section(
    "cost",
    "Cost",
    functionTable(cost),
    html`<div class="columns">${[loadTable(cost), monthTable(cost)]}</div>`,
    html`<p class="note">From the billed durations of REPORT lines, at the list prices of ${
      prices.aws_region
    } (${prices.date}): ${showUsd(prices.lambda_request * 1e6)} a million requests and ${showUsd(
      prices.lambda_gb_second * 1e6,
    )} a million GB-s (x86). Not priced: ${notPriced.join(", ")}.</p>`,
  );
}

function functionTable({ functions }: CostResult): Part {
  const rows = functions.map((one) => [
    one.name,
    [
      formatNumber(one.invocations),
      one.unpriced > 0 && html` <small>${formatNumber(one.unpriced)} not priced</small>`,
    ],
    formatNumber(one.gbSeconds, one.gbSeconds < 10 ? 2 : 0),
    one.initShare === null ? "–" : formatPercent(one.initShare, 1),
    showUsd(one.usd),
    one.usdPerMillion === null ? "–" : showUsd(one.usdPerMillion),
  ]);
  return table("Functions, by what they were billed", FUNCTIONS, rows);
}

function loadTable({ loads }: CostResult): Part {
  const priced = loads.filter(({ usdPerMillion }) => usdPerMillion !== null);
  if (priced.length === 0) return null;
  const rows = priced.map((one) => [
    armName(one),
    showUsd(one.usdPerMillion!),
    html`<small>${one.note}</small>`,
  ]);
  return table("Loads, by the functions that answered them", LOADS, rows);
}

function monthTable({ months }: CostResult): Part {
  if (months.length === 0) return null;
  const most = Math.max(...months.map(({ usd }) => usd));
  const rows = months.map(({ invocations, usd, usdBeyondFree }) => [
    formatNumber(invocations),
    html`<b>${showUsd(usd)}</b>`,
    showUsd(usdBeyondFree),
    shareBar(usd / most),
  ]);
  return table("A month in the mix of this run, for functions alone", MONTHS, rows);
}

/** 0–1 of its width. */
function shareBar(share: number): Markup {
  const width = Math.max(1, Math.round(share * 1_000) / 10);
  return html`<svg class="bullet" viewBox="0 0 100 8" width="64" height="8"
 preserveAspectRatio="none" aria-hidden="true"><rect
 class="track" x="0" y="1" width="100" height="6" rx="3"/><rect class="amount" x="0" y="1"
 width="${width}" height="6" rx="3"/></svg>`;
}
