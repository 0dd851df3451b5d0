// Who refused and what failed: as the client saw it, and as the platform counted it.
import { formatNumber, formatPercent } from "../../core/format.ts";
import { LAYERS } from "../layers.ts";
import type { Report } from "../result.ts";
import { retryAfterText } from "../retry-after.ts";
import { unloggedText } from "../words.ts";
import { html, type Markup, type Part } from "./markup.ts";
import { section, table } from "./parts.ts";

/** Layer and meaning of each reason of core/outcome.ts. */
const REASONS: { readonly [reason: string]: readonly [string, string] } = {
  status: ["answer", "a status that the load does not call ok"],
  function: ["function", "ran and failed: X-Amz-Function-Error"],
  service: ["AWS API", "an error that is no throttle"],
  connect: ["connection", "refused or not made in time; nothing was sent"],
  dns: ["connection", "the name did not resolve; nothing was sent"],
  tls: ["connection", "the handshake failed; nothing was sent"],
  stale: ["connection", "a reused connection was closed before the answer; may have run"],
  timeout: ["client", "no complete answer in time; may have run"],
  reset: ["connection", "broke in mid-answer; may have run"],
  parse: ["answer", "bytes that are no HTTP answer; may have run"],
  unfinished: ["client", "still open when the load had ended; may have run"],
  credentials: ["client", "our own credentials had ended; not sent, or refused as expired"],
};

/** Why an arrival was never sent. */
const UNSENT: { readonly [reason: string]: string } = {
  "in-flight": "the in-flight limit was reached",
  stopped: "due after the run was stopped",
};

const COUNT = { title: "Attempts", number: true };

export function errorsSection(report: Report): Markup {
  const { client, platform, retry_after: asked } = report.throttles;
  const unlogged = unloggedText(report);
  const nothing =
    Object.keys(client).length === 0 &&
    Object.keys(report.errors).length === 0 &&
    Object.keys(report.droppedBy).length === 0 &&
    Object.values(platform).every((count) => count === 0);
  return section(
    "errors",
    "Refused and failed",
    nothing && html`<p>Nothing was refused and nothing failed.</p>`,
    html`<div class="columns">${[
      refusals(report),
      failures(report),
      unsent(report),
      platformTable(report),
      statuses(report),
    ]}</div>`,
    asked !== undefined && html`<p class="note">${retryAfterText(asked)}.</p>`,
    unlogged !== "" && html`<p class="note">${unlogged}.</p>`,
  );
}

function shareOf(report: Report): (count: number) => string {
  const { attempts } = report.counts;
  return (count) => (attempts === 0 ? "–" : formatPercent(count / attempts));
}

function refusals(report: Report): Part {
  const entries = Object.entries(report.throttles.client);
  if (entries.length === 0) return null;
  const share = shareOf(report);
  const rows = entries
    .sort(([, a], [, b]) => b - a)
    .map(([by, n]) => [
      [html`<code>${by}</code>`, html`<small>${LAYERS[by as keyof typeof LAYERS] ?? ""}</small>`],
      formatNumber(n),
      share(n),
    ]);
  const columns = [{ title: "By" }, COUNT, { title: "Share", number: true }];
  return table("Throttled attempts, by who refused them", columns, rows);
}

function failures(report: Report): Part {
  const entries = Object.entries(report.errors);
  if (entries.length === 0) return null;
  const rows = entries
    .sort(([, a], [, b]) => b - a)
    .map(([reason, n]) => {
      const [layer, meaning] = REASONS[reason] ?? ["", ""];
      return [
        [html`<code>${reason}</code>`, html`<small>${meaning}</small>`],
        layer,
        formatNumber(n),
      ];
    });
  const columns = [{ title: "Reason" }, { title: "Layer" }, COUNT];
  return table("Attempts without a good answer, by reason", columns, rows);
}

function unsent({ droppedBy }: Report): Part {
  const entries = Object.entries(droppedBy);
  if (entries.length === 0) return null;
  const rows = entries.map(([reason, n]) => [
    [html`<code>${reason}</code>`, html`<small>${UNSENT[reason] ?? ""}</small>`],
    formatNumber(n),
  ]);
  const columns = [{ title: "Reason" }, { title: "Arrivals", number: true }];
  return table("Arrivals that were never sent, by reason", columns, rows);
}

function platformTable({ throttles }: Report): Part {
  const entries = Object.entries(throttles.platform);
  if (entries.length === 0) return null;
  const rows = entries.map(([name, n]) => [
    name,
    formatNumber(n),
    formatNumber(throttles.probes[name] ?? 0),
  ]);
  const columns = [
    { title: "Function" },
    { title: "Throttles", number: true },
    { title: "Our probes, taken off", number: true },
  ];
  const { difference } = throttles;
  return [
    table("Throttles that the platform counted", columns, rows),
    difference !== "" && html`<p class="note">The platform counted ${difference}.</p>`,
  ];
}

function statuses(report: Report): Part {
  const entries = Object.entries(report.drawn.statuses);
  if (entries.length === 0) return null;
  const share = shareOf(report);
  const rows = entries.map(([status, n]) => [
    status === "0" ? "no answer" : html`<code>${status}</code>`,
    formatNumber(n),
    share(n),
  ]);
  const columns = [{ title: "Status" }, COUNT, { title: "Share", number: true }];
  return table("Attempts by HTTP status", columns, rows);
}
