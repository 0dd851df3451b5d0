// The SHARES line of a plan: the pool, who is in it, who is busy, and what this plan takes of it.
import { formatNumber, formatPercent } from "../core/format.ts";
import type { Pool, PoolMember } from "../observe/pool.ts";
import type { PlanView } from "./plan-view.ts";

const n = formatNumber;
const NAMES_MAX = 4;

export function sharesText({ account, pool, place, forecast }: PlanView): string {
  const { unreserved } = account;
  if (unreserved === null) return "not known: the account's settings could not be read";
  const here = place.local ? "of this run's own account" : "of this account";
  const sharing = pool.members.filter(({ reserved }) => reserved === null);
  const many = pool.more > 0 ? `${n(sharing.length)} or more` : n(sharing.length);
  const functions = sharing.length === 1 && pool.more === 0 ? "function" : "functions";
  const takes = forecast.needs?.needed ?? forecast.predicted.in_flight;
  return [
    `the pool of ${n(unreserved)} unreserved environments with ${many} ${functions} ${here}` +
      listed(sharing.map(({ name }) => name)),
    ...busyText(sharing),
    ...reservedText(pool),
    ...(takes === null ? [] : [takesText(takes, unreserved)]),
  ].join(" · ");
}

function takesText(takes: number, unreserved: number): string {
  const share = unreserved === 0 ? "" : `, ${formatPercent(takes / unreserved, 1)} of it`;
  return `this plan takes about ${n(Math.ceil(takes))}${share}, where nothing is reserved for it`;
}

const listed = (names: readonly string[]): string =>
  names.length === 0 ? "" : ` (${some(names)})`;

const some = (names: readonly string[]): string =>
  [...names.slice(0, NAMES_MAX), ...(names.length > NAMES_MAX ? ["…"] : [])].join(", ");

function busyText(members: readonly PoolMember[]): string[] {
  const busy = members
    .filter(({ busiest }) => (busiest ?? 0) > 0)
    .sort((a, b) => (b.busiest ?? 0) - (a.busiest ?? 0))
    .slice(0, NAMES_MAX);
  if (busy.length === 0) return [];
  const each = busy.map(({ name, busiest }) => `${name} ${n(busiest ?? 0)}`);
  return [`busiest in the last hour: ${each.join(", ")}`];
}

function reservedText({ members }: Pool): string[] {
  const apart = members.filter(({ reserved }) => reserved !== null);
  if (apart.length === 0) return [];
  const each = apart.map(({ name, reserved }) => `${name} ${n(reserved ?? 0)}`);
  return [`reserved apart: ${some(each)}`];
}
