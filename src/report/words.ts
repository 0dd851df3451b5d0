// What the text and the Markdown report say in the same words: figures of a criterion, the fault
// line.
import type { CleanUpEvent } from "../core/facts.ts";
import { formatMs, formatNumber, formatPercent } from "../core/format.ts";
import { showBeside, showLimit, showUsd, showValue } from "./criterion-text.ts";
import { briefChange, resourceName } from "./fault-result.ts";
import { armName } from "./labels.ts";
import { OLD_NEW_QUANTILES } from "./old-new.ts";
import type {
  CriterionResult,
  FaultResult,
  GeneratorResult,
  JoinCounts,
  Report,
} from "./result.ts";

/** The estimate, and its interval or how much lies beyond the limit. */
export function foundText(one: CriterionResult): string {
  if (one.estimate === null || Number.isNaN(one.estimate)) return "";
  const value = showBeside(one.estimate, one.limit, one.unit);
  if (one.beyond !== null) {
    const { count, share, allowed } = one.beyond;
    if (one.verdict === "inconclusive") return `${value}; ${formatNumber(count)} beyond limit`;
    return `${value}; ${showBeside(share, allowed, "ratio")} beyond`;
  }
  if (one.kind === "census" || one.low === null || one.high === null) return value;
  if (one.unit === "ratio") {
    const [low, high] = [one.low, one.high].map((x) => formatNumber(x * 100, 2));
    return `${value} (${low}–${high})`;
  }
  return `${value} (${showValue(one.low, one.unit)}–${showValue(one.high, one.unit)})`;
}

/** The limit; of a decided percentile the share that may lie beyond it. */
export function limitText(one: CriterionResult): string {
  if (one.limit === null) return "";
  if (one.beyond !== null && one.verdict !== "inconclusive")
    return showLimit(one.beyond.allowed, "ratio");
  return showLimit(one.limit, one.unit);
}

/** Answers that have a REPORT line. */
export const joinedOf = (joins: JoinCounts): number =>
  joins.access_log + joins.request_id + joins.echo + joins.trace;

/** `105 answered by the front alone`; "" for none. */
export const frontText = ({ front_alone: n }: JoinCounts): string =>
  n === 0 ? "" : `${formatNumber(n)} answered by the front alone`;

/** `1,188 by access log, 12 by request id`; only the name where there is one. */
export function joinText({ access_log, request_id, echo, trace }: JoinCounts): string {
  const parts = (
    [
      ["access log", access_log],
      ["request id", request_id],
      ["echoed request id", echo],
      ["trace id", trace],
    ] as const
  ).filter(([, count]) => count > 0);
  if (parts.length === 1) return parts[0]![0];
  return parts.map(([name, count]) => `${formatNumber(count)} by ${name}`).join(", ");
}

const ENDS = {
  joined: "every line was found",
  quiet: "read until nothing new came",
  waited: "the wait was over before all lines had come",
} as const;

/** How long the lines were waited for; "" where it was not recorded. */
export function collectedText({ collected }: Pick<Report, "collected">): string {
  if (collected === null) return "";
  const { end, malformed } = collected;
  const broken = malformed === 0 ? "" : `; ${formatNumber(malformed)} broken lines`;
  return `${ENDS[end]}${broken}`;
}

/** `checkout-errors: OK at 0.0 s, ALARM at 61.0 s`; states only, since reasons are long. */
export function alarmsText({ alarms }: Report): string {
  const names = [...new Set(alarms.map(({ name }) => name))];
  const states = (of: string): string =>
    alarms
      .filter(({ name }) => name === of)
      .map(({ state, atUs }) => `${state} at ${secondsOf(atUs)}`)
      .join(", ");
  return names.map((name) => `${name}: ${states(name)}`).join("; ");
}

export const CLEAN_UP_ENDS: { readonly [end in CleanUpEvent["end"]]: string } = {
  quiet: "",
  "at-most": "more may have come: at-most was over",
  full: "there may be more: no more are held at once",
  stopped: "more may have come: the run was stopped",
  failed: "FAILED",
  skipped: "SKIPPED",
  begun: "BEGUN, AND NEVER SEEN TO END: what is hidden shows itself again",
};

/** `pipeline-failed: 3 found, 2 ours and deleted, 1 given back (received once more)`. */
export function cleanUpsText({ cleanUps }: Pick<Report, "cleanUps">): string {
  const n = formatNumber;
  const texts = cleanUps.map(({ queue, found, ours, deleted, given_back: back, ...one }) => {
    const own = ours === deleted ? `${n(ours)} ours and deleted` : `${n(ours)} ours`;
    const parts = [`${n(found)} found`, own];
    if (ours !== deleted) parts.push(`ONLY ${n(deleted)} DELETED`);
    if (back > 0) parts.push(`${n(back)} given back (received once more)`);
    const hidden = found - deleted - back;
    if (hidden > 0) parts.push(`${n(hidden)} STILL HIDDEN until they show themselves`);
    const end = [CLEAN_UP_ENDS[one.end], one.detail].filter((text) => text !== "").join(": ");
    const counts = ["skipped", "begun"].includes(one.end) ? "" : parts.join(", ");
    return `${resourceName(queue)}: ${[counts, end].filter((text) => text !== "").join("; ")}`;
  });
  return texts.join("; ");
}

const CLOCK_BY = { access_log: "access-log lines", report: "REPORT lines" } as const;

/** `the system's clock 3.2 ms ahead, within 1.1 ms (1,188 access-log lines)`; "" = not known. */
export function clockText({ clockOffset }: Pick<GeneratorResult, "clockOffset">): string {
  if (clockOffset === null) return "";
  const { offsetUs, withinUs, n, by } = clockOffset;
  const far = Math.abs(offsetUs) <= withinUs ? "the same" : offsetText(offsetUs);
  const from = `${formatNumber(n)} ${CLOCK_BY[by]}`;
  return `the system's clock ${far}, within ${formatMs(withinUs)} ms (${from})`;
}

const offsetText = (us: number): string =>
  `${formatMs(Math.abs(us))} ms ${us > 0 ? "ahead" : "behind"}`;

/** Where the load came from, and how its clock stands to the system's; "" = neither is known. */
export const machineText = ({ generator }: Pick<Report, "generator">): string =>
  [generator.machines.join(" and "), clockText(generator)]
    .filter((part) => part !== "")
    .join(" · ");

/** Fewer lines than this share of the answers, and most likely not all came from the gateway. */
const LOGGED_MIN = 0.95;

/** What the gateway's own log does not know of; "" where it knows of (nearly) all. */
export function unloggedText({ throttles, collected }: Report): string {
  const { logged } = throttles;
  if (logged === null || collected?.end === "waited") return "";
  if (logged.lines >= logged.answered * LOGGED_MIN) return "";
  const [lines, answered] = [logged.lines, logged.answered].map((n) => formatNumber(n));
  const where = "the others were answered before it (a cache, a firewall), or their lines are lost";
  return `the gateway logged ${lines} of ${answered} answered requests: ${where}`;
}

const secondsOf = (us: number): string => `${formatNumber(us / 1e6, 1)} s`;

const LISTED_MAX = 4;

/** `shopper p50 46.7 → 32.7 · … ms, 99.00 % same status`; "" where no capture was replayed. */
export function oldNewText({ oldNew }: Pick<Report, "oldNew">): string {
  const loads = (oldNew?.rows ?? []).filter(({ route }) => route === "");
  const texts = loads.slice(0, LISTED_MAX).map(({ load, oldUs, newUs, pairs, ...status }) => {
    const times = OLD_NEW_QUANTILES.map(
      (q, i) => `p${q * 100} ${formatMs(oldUs[i]!)} → ${formatMs(newUs[i]!)}`,
    );
    const { agreed, compared } = status;
    const same = compared === 0 ? "" : `${formatPercent(agreed / compared)} have the old status`;
    const parts = [pairs === 0 ? "no request was ok on both sides" : `${times.join(" · ")} ms`];
    return `${load} ${[...parts, ...(same === "" ? [] : [same])].join(", ")}`;
  });
  return texts.join("; ");
}

/** `shopper $0.36 a million arrivals, for functions alone`; "" where nothing was priced. */
export function costText({ cost }: Pick<Report, "cost">): string {
  const priced = (cost?.loads ?? []).flatMap(({ usdPerMillion: usd, ...of }) =>
    usd === null ? [] : [`${armName(of)} ${showUsd(usd)}`],
  );
  if (priced.length === 0) return "";
  return `${priced.slice(0, LISTED_MAX).join(", ")} a million arrivals, for functions alone`;
}

/** `2 of 2 undone and verified (checkout: reserved unset → 0 → unset, clear after 1.8 s)`. */
export function faultsText({ faults }: Report): string {
  if (faults.length === 0) return "none in this scenario; nothing was changed";
  const injected = faults.filter((fault) => fault.injected);
  if (injected.length === 0) return `0 of ${faults.length} injected; nothing was changed`;
  const done = injected.filter((fault) => fault.undone && fault.verified).length;
  const each = injected.map((fault) => {
    const { clearedUs, restoreAskedUs } = fault;
    const seen = clearedUs !== null && restoreAskedUs !== null;
    const after = seen
      ? `, clear after ${formatNumber((clearedUs - restoreAskedUs) / 1e6, 1)} s`
      : "";
    const left = fault.residue === null ? "" : `; undo leaves: ${fault.residue}`;
    const wave = coldWaveText(fault);
    const where = resourceName(fault.resources[0] ?? fault.name);
    return `${where}: ${briefChange(fault)}${after}${wave === "" ? "" : `, ${wave}`}${left}`;
  });
  return `${done} of ${injected.length} undone and verified (${each.join("; ")})`;
}

/** `cold wave of recycle for 3.0 s: 12 cold starts of 240`; "" where undo replaces nothing. */
export function coldWaveText({ coldWave }: FaultResult): string {
  if (coldWave === null) return "";
  const { name, startUs, endUs, coldStarts, invocations, end } = coldWave;
  const of = `cold wave of ${name}`;
  if (end === "none") return `no ${of}`;
  if (end === "unseen") return `${of} not seen: no REPORT line of ${coldWave.function} was read`;
  const counts = `${formatNumber(coldStarts)} cold starts of ${formatNumber(invocations)}`;
  return `${of} for ${secondsOf(endUs - startUs)}: ${counts}${WAVE_ENDS[end]}`;
}

const WAVE_ENDS = {
  calm: "",
  bound: ", and no end seen within a minute",
  run: ", and the run ended in it",
} as const;
