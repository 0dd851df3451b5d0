// How the verdict was reached, what was assumed, and which files hold the facts.
import { formatNumber } from "../../core/format.ts";
import { secondsText } from "../criterion-view.ts";
import type { Report } from "../result.ts";
import { html, type Markup, type Part } from "./markup.ts";
import { section, table } from "./parts.ts";

export function appendixSection(report: Report): Markup {
  return section(
    "appendix",
    "Appendix",
    fold("Criteria as written", criteriaText(report)),
    fold("How it was judged", METHOD),
    fold("The load", loadTable(report)),
    ...report.plan.loads.map(captureFold),
    report.drawn.answeredBy.length > 0 && fold("What answered", answeredTable(report)),
    report.plan.notes.length > 0 &&
      fold("Assumed", html`<ul>${report.plan.notes.map((note) => html`<li>${note}</li>`)}</ul>`),
    fold("Files of this run", FILES),
  );
}

function fold(title: string, body: Part): Markup {
  return html`<details><summary>${title}</summary>
${body}
</details>
`;
}

function criteriaText({ criteria, plan }: Report): Part {
  const list = (title: string, texts: readonly string[]) =>
    texts.length > 0 && html`<h3>${title}</h3><pre><code>${texts.join("\n")}</code></pre>`;
  const judged = criteria.map(({ text }) => text);
  return [
    list("Judged", judged),
    list("Steady before and after a fault", plan.criteria.steady),
    list("Stops the run", plan.criteria.stop_when),
  ];
}

const METHOD = html`<ul>
<li><b>Response time</b> runs from the moment an arrival was due to the end of its last attempt.
A sender that is late, or a system that makes callers wait, cannot hide it.</li>
<li><b>Percentiles</b> are nearest rank, exact, without buckets. An answer of unknown outcome
counts as never answered.</li>
<li><b>Rates and percentiles are samples.</b> A percentile is judged by the share beyond its limit.
Pass: the one-sided 95 % upper bound of that share (Clopper–Pearson, exact) is allowed. Fail: the
lower bound is not. Anything between is undecided, and the samples that are missing are named.</li>
<li><b>Bursts</b> are worth less than as many independent samples: the share is compared between
blocks of time, and the number of samples is reduced by the design effect (“worth”).</li>
<li><b>Many criteria at once</b> would fail by chance now and then; Holm’s correction is applied to
failures, never to passes.</li>
<li><b>Counts, maxima, recovery and cost</b> are compared as they are.</li>
<li><b>A criterion without data</b> is undecided, never passed. Where the run itself is in doubt
(late generator, arrivals missing, a fault that was never seen to act) it is invalid: nothing is
said about the system.</li>
</ul>`;

const LOAD_COLUMNS = [
  { title: "Load" },
  ...["Planned", "From", "To", "In flight at most", "Timeout", "Attempts at most"].map((title) => ({
    title,
    number: true,
  })),
];

function loadTable({ plan }: Report): Markup {
  const rows = plan.loads.map((load) => [
    load.name,
    formatNumber(load.planned),
    secondsText(load.start_us),
    secondsText(load.end_us),
    formatNumber(load.in_flight_max),
    secondsText(load.timeout_us),
    formatNumber(load.resend_attempts),
  ]);
  return table("What was asked of the generator", LOAD_COLUMNS, rows);
}

/** What a replay rests on, and what of it is not known; nothing for other loads. */
function captureFold({ name, capture }: Report["plan"]["loads"][number]): Part {
  if (capture === undefined) return null;
  const n = formatNumber;
  const { precision_us: precision, spread } = capture;
  const stamp = (ms: number | null): string => (ms === null ? "–" : new Date(ms).toISOString());
  const finest = precision >= 1e6 ? `${n(precision / 1e6)} s` : `${n(precision / 1e3, 3)} ms`;
  const rows: [string, Part][] = [
    ["Files", `${capture.files.join(", ")} (${capture.format})`],
    ["Requests, sha256 of time, method and path", html`<code>${capture.sha256}</code>`],
    [`Read, ${capture.unit}`, n(capture.read)],
    ["Replayable", n(capture.replayable)],
    ...capture.unreadable.map(({ reason, count }): [string, Part] => [`– ${reason}`, n(count)]),
    ...Object.entries(capture.methods).map(([method, count]): [string, Part] => [method, n(count)]),
    ["Recorded", `${stamp(capture.from_ms)} to ${stamp(capture.to_ms)}`],
    ["Stamps", `the ${capture.stamps} of a request, to ${finest}`],
    ["Within the second", spread ? "drawn from the seed: not recorded burstiness" : "as recorded"],
    ["Out of order, sorted", n(capture.out_of_order)],
    ["With a recorded status", n(capture.with_status)],
    ["With a recorded time", n(capture.with_time)],
    ["Bodies missing", `${n(capture.bodies_missing)} of ${n(capture.bodies_expected)}`],
    ...Object.entries(capture.redactions).map(([place, count]): [string, Part] => {
      return [`Redacted ${place}`, n(count)];
    }),
    ...capture.notes.map((note): [string, Part] => ["Note", note]),
  ];
  const caption = `How good the capture of ${name} is`;
  return fold(`Capture of ${name}`, table(caption, [{ title: "What" }, { title: "" }], rows));
}

/** A function that answers with several versions was changed, or is called by several names. */
function answeredTable({ drawn }: Report): Markup {
  const rows = drawn.answeredBy.flatMap(({ name, versions }) =>
    versions.map(({ version, invocations }) => [name, version, formatNumber(invocations)]),
  );
  const columns = [
    { title: "Function" },
    { title: "Version" },
    { title: "Invocations", number: true },
  ];
  return table("Functions and versions, by their REPORT lines", columns, rows);
}

const FILES = html`<p>Everything above is derived from these facts; <code>gatecrash report</code>
makes it again from them, with other criteria if asked, and without traffic.</p>
<dl class="files">
<div><dt>plan.json, scenario.yaml</dt><dd>what was frozen before the first byte</dd></div>
<div><dt>events/*.jsonl</dt><dd>phases, fault calls, the generator’s health once a second</dd></div>
<div><dt>attempts/*.parquet</dt><dd>a row for each attempt, as DuckDB and pandas read it</dd></div>
<div><dt>recorded/*.parquet</dt><dd>what the capture says was answered then, by index</dd></div>
<div><dt>platform/*.parquet, metrics.jsonl</dt><dd>REPORT lines, access log, metrics</dd></div>
<div><dt>undo.jsonl</dt><dd>what was changed, and how it is put back</dd></div>
<div><dt>result.json, report.*, junit.xml</dt><dd>derived; may be deleted and made again</dd></div>
</dl>`;
