// What a plan needs of the platform, in words: environments, cold starts, refusals, scaling.
import { formatMs, formatNumber, formatPercent } from "../core/format.ts";
import type { PlanView } from "./plan-view.ts";

const n = formatNumber;

/** One line for this scale, and one for full size where everything was scaled down. */
export function needsText(view: PlanView): string[] {
  const { forecast, account, scale } = view;
  const { worstPerSecond, serviceMs, needs, predicted } = forecast;
  if (worstPerSecond === null) {
    const { in_flight: closed } = predicted;
    if (closed === null) return ["not foreseen: no load invokes a function by itself"];
    return [`${n(closed)} execution environments at most: the connections of a closed loop`];
  }
  if (serviceMs === null)
    return ["not foreseen: no capture says how long a request takes; try --set service=120ms"];
  const source = predicted.service === "recorded" ? "recorded" : "as given";
  const load = `${n(worstPerSecond)}/s × ${trimmed(formatMs(serviceMs * 1_000))} ms ${source}`;
  if (needs === null)
    return [`about ${n(predicted.in_flight ?? 0)} execution environments (${load})`];
  const quota = forecastQuota(view);
  const parts = [
    `about ${n(Math.ceil(needs.needed))} execution environments in the worst second (${load})`,
    `${formatPercent(needs.needed / quota, 1)} of the quota of ${n(quota)}`,
    ...troubles(needs, worstPerSecond),
    ...twinText(view),
  ];
  const lines = [parts.join(" · ")];
  if (scale !== 1) lines.push(fullSize(view));
  if (account.quota !== null && account.quota !== quota)
    lines.push(`the account's own quota is ${n(account.quota)}`);
  return lines;
}

type Needs = NonNullable<PlanView["forecast"]["needs"]>;

/** The request rate's ceiling is ten times the quota. */
const forecastQuota = ({ forecast }: PlanView): number => (forecast.needs?.rateCeiling ?? 0) / 10;

function troubles(needs: Needs, perSecond: number): string[] {
  const found: string[] = [];
  if (needs.gap > 0)
    found.push(`${n(needs.gap)} TOO MANY: ${formatPercent(needs.gapShare, 0)} of it refused`);
  if (needs.scalingS > 0) found.push(`${formatNumber(needs.scalingS, 1)} s to scale`);
  if (perSecond > needs.rateCeiling)
    found.push(`${n(needs.rateCeiling)}/s is all that this quota admits`);
  return found;
}

function twinText({ forecast: { twin, needs }, plan }: PlanView): string[] {
  if (twin === null) return [`up to ${n(needs?.cold ?? 0)} new environments (closed form)`];
  const calm = plan.faults.length > 0 ? " without the fault" : "";
  return [
    `expect ${n(twin.cold)} cold starts if none is warm, ${n(twin.refusedTotal)} throttles${calm}`,
    `${n(twin.inFlightMax)} in service at once`,
  ];
}

/** Shares stay equal under `scale`, so full size is a division. */
function fullSize({ forecast: { needs, twin }, scale }: PlanView): string {
  const full = (count: number): string => n(Math.round(count / scale));
  const cold = twin?.cold ?? needs?.cold ?? 0;
  const parts = [
    `at full size (here × ${scale}): ${full(needs?.needed ?? 0)} environments`,
    `${full(cold)} new`,
    `${full(needs?.gap ?? 0)} too many`,
  ];
  return parts.join(" · ");
}

const trimmed = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
