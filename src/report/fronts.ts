// What API Gateway counted against what was sent through it: lost before it, or somebody else's.
import type { MeteredEvent, MetricPoint } from "../core/facts.ts";
import { formatNumber, formatPercent } from "../core/format.ts";
import type { PlannedFront } from "../core/front-facts.ts";
import { type FrontCount, minuteOf } from "./front-counts.ts";
import type { Story } from "./story.ts";
import type { Tables } from "./tables.ts";

/** One minute of the platform's, and between what our own requests in it must be. */
interface FrontMinute {
  readonly at_ms: number;
  readonly low: number;
  readonly high: number;
  /** null = no point: nothing was counted, or it is not published yet. */
  readonly counted: number | null;
}

export interface FrontResult {
  /** `HTTP API shop, stage $default`. */
  readonly name: string;
  readonly loads: readonly string[];
  /** Requests that left here, and those of them that were sent again. */
  readonly sent: number;
  readonly resent: number;
  /** Answered by the gateway or from behind it; turned away by what may stand before; no answer. */
  readonly answered: number;
  readonly turned_away: number;
  readonly unanswered: number;
  /** Our own requests of before the load, in its first minute. */
  readonly smoked: number;
  /** By `Count`; null = no points were read. */
  readonly counted: number | null;
  /** Counted beyond all that left here: somebody else's, and their share of what was counted. */
  readonly others: number;
  readonly others_share: number;
  /** Answered to us and not counted. */
  readonly missing: number;
  /** Answers of ours with 4xx and 5xx, and those that the platform counted (null = no points). */
  readonly client_errors: { readonly ours: number; readonly counted: number | null };
  readonly server_errors: { readonly ours: number; readonly counted: number | null };
  readonly minutes: readonly FrontMinute[];
  /** Minutes in which the two differ beyond what clocks explain. */
  readonly minutes_off: number;
  /** Why `missing` proves nothing; "" = the points are whole. */
  readonly unsound: string;
}

/** As for load that an edge turned away: more of it, and another load was measured. */
const MISSING_MAX = 0.01;

export function frontsOf(
  tables: Tables,
  { metered }: Pick<Story, "metered">,
  metrics: readonly MetricPoint[],
): FrontResult[] {
  return (tables.plan.fronts ?? []).map((front, at) =>
    frontResult(front, tables.fronts[at]!, metered, metrics),
  );
}

function frontResult(
  front: PlannedFront,
  count: FrontCount,
  metered: MeteredEvent | null,
  metrics: readonly MetricPoint[],
): FrontResult {
  const mine = metrics.filter(
    ({ namespace, dimensions }) =>
      namespace === "AWS/ApiGateway" && isSame(dimensions, front.dimensions),
  );
  const points = new Map(
    mine.filter(({ metric }) => metric === "Count").map(({ at, value }) => [at, value]),
  );
  const sum = (...names: string[]): number | null => {
    const values = mine.filter(({ metric }) => names.includes(metric));
    return values.length === 0 ? null : values.reduce((total, { value }) => total + value, 0);
  };
  const counted = sum("Count");
  const smoked = front.loads.reduce((total, load) => total + (metered?.smoked[load] ?? 0), 0);
  const minutes = minutesOf(count, points);
  const { sent, resent, sure } = count;
  const others = counted === null ? 0 : Math.max(0, counted - sent - smoked);
  return {
    ...{ name: front.name, loads: front.loads, sent, resent, answered: sure, smoked, counted },
    ...{ turned_away: count.refused, unanswered: count.unanswered, others },
    others_share: counted === null || counted === 0 ? 0 : others / counted,
    missing: counted === null ? 0 : Math.max(0, sure - counted),
    client_errors: { ours: count.clientErrors, counted: sum("4xx", "4XXError") },
    server_errors: { ours: count.serverErrors, counted: sum("5xx", "5XXError") },
    minutes,
    minutes_off: minutes.filter((minute) => isOff(minute, minutes)).length,
    unsound: unsoundOf(front, minutes, metered),
  };
}

function isSame(a: MetricPoint["dimensions"], b: MetricPoint["dimensions"]): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

function minutesOf({ minutes }: FrontCount, points: ReadonlyMap<number, number>): FrontMinute[] {
  const starts = [...new Set([...minutes.keys(), ...[...points.keys()].map(minuteOf)])];
  return starts
    .sort((a, b) => a - b)
    .map((at) => {
      const { low = 0, high = 0 } = minutes.get(at) ?? {};
      return { at_ms: at, low, high, counted: points.get(at) ?? null };
    })
    .filter(({ high, counted }) => high > 0 || (counted ?? 0) > 0);
}

/** The first and the last minute have others' requests from outside the run. */
function isOff({ at_ms, low, high, counted }: FrontMinute, all: readonly FrontMinute[]): boolean {
  const isEdge = at_ms === all[0]?.at_ms || at_ms === all.at(-1)?.at_ms;
  return (counted ?? 0) < low || (!isEdge && (counted ?? 0) > high);
}

/** Points come late on AWS, the last minute's last of all; and what is before may answer itself. */
function unsoundOf(
  { behind }: PlannedFront,
  minutes: readonly FrontMinute[],
  metered: MeteredEvent | null,
): string {
  if (metered === null) return "the metrics were not read to their end";
  if (metered.end !== "quiet") return "points were still coming when the wait was over";
  const last = minutes.findLast(({ low }) => low > 0);
  const later = minutes.some(({ at_ms, counted }) => {
    return last !== undefined && at_ms >= last.at_ms && counted !== null;
  });
  if (!later) return "its last minute has no point yet";
  return behind === undefined ? "" : `${behind} stands before it and may have answered`;
}

/** As sentences for `invalid`: what was answered and never counted came from somewhere else. */
export function uncounted(fronts: readonly FrontResult[]): string[] {
  return fronts
    .filter((front) => isLost(front))
    .map(({ name, loads, answered, missing }) => {
      const share = formatPercent(missing / answered);
      const many = `${formatNumber(missing)} of ${formatNumber(answered)} answers (${share})`;
      const who = `${name}, counted fewer requests than ${loads.join(" and ")} had answers`;
      return `${who}: ${many} came from something before it`;
    });
}

const isLost = ({ missing, answered, unsound }: FrontResult): boolean =>
  unsound === "" && missing > answered * MISSING_MAX;

/** `HTTP API shop, stage $default: counted 12,480, we sent 12,480 (480 of them again)`. */
export function countedText(front: FrontResult): string {
  const n = formatNumber;
  const { name, sent, resent, counted, missing, others, unsound } = front;
  const again = resent === 0 ? "" : ` (${n(resent)} of them again)`;
  const ours = `we sent ${n(sent)}${again}`;
  if (counted === null) return `${name}: no points of its Count were read, ${ours}`;
  const parts = [`${name}: counted ${n(counted)}, ${ours}`];
  const open = openText(front);
  if (open !== "") parts.push(open);
  if (others > 0) {
    const share = formatPercent(front.others_share);
    parts.push(`${n(others)} more (${share}) are somebody else's, or of before and after the load`);
  }
  if (missing > 0) {
    const why = unsound === "" ? "something before it answered them" : `no proof: ${unsound}`;
    parts.push(`${n(missing)} of our answers are not in it: ${why}`);
  }
  if (front.minutes_off > 0 && others + missing === 0)
    parts.push(`${n(front.minutes_off)} of ${n(front.minutes.length)} minutes differ`);
  return [...parts, ...errorsText(front)].join("; ");
}

/** What it may have counted or not. */
function openText({ turned_away, unanswered, smoked }: FrontResult): string {
  const open = [
    ...(turned_away > 0 ? [`${formatNumber(turned_away)} turned away at the edge`] : []),
    ...(unanswered > 0 ? [`${formatNumber(unanswered)} without an answer`] : []),
    ...(smoked > 0 ? [`${formatNumber(smoked)} of before the load`] : []),
  ];
  return open.length === 0 ? "" : `it may have counted ${open.join(" and ")} or not`;
}

function errorsText({ client_errors, server_errors, ...front }: FrontResult): string[] {
  const open = front.turned_away + front.unanswered + front.others + front.smoked;
  return [["4xx", client_errors] as const, ["5xx", server_errors] as const].flatMap(
    ([name, { ours, counted }]) => {
      if (counted === null || (counted === 0 && ours === 0)) return [];
      const many = `${name} ${formatNumber(counted)}, ours ${formatNumber(ours)}`;
      if (counted < ours) return [`${many}: the others were given before it`];
      return [counted > ours + open ? `${many}: the others went to somebody else` : many];
    },
  );
}
