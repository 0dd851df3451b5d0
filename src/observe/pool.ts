// Who shares an account's unreserved concurrency, who has a reservation, and who is busiest.
import type { ControlPlane } from "../core/change.ts";
import { metricValues, type RateQuery } from "./event-rates.ts";
import { noting } from "./noting.ts";

export interface PoolMember {
  readonly name: string;
  /** Reserved for it alone; null = it shares the pool. */
  readonly reserved: number | null;
  /** Most environments at once in the last hour; null = it could not be read. */
  readonly busiest: number | null;
}

export interface Pool {
  readonly members: readonly PoolMember[];
  /** Functions that were not looked at: the account has more than so many. */
  readonly more: number;
  /** What could not be read, and why. */
  readonly unread: readonly string[];
}

/** A control plane takes 15 calls a second, from all who use the account. */
const FUNCTIONS_MAX = 100;
const AT_ONCE = 5;

/** Never rejects because of AWS: see `unread`. */
export async function readPool(control: ControlPlane, nowMs: number): Promise<Pool> {
  const unread: string[] = [];
  const ask = noting(control, unread);
  const listed = (await ask("lambda", "ListFunctions", {}))?.Functions ?? [];
  const all = (listed as { readonly FunctionName: string }[]).map((one) => one.FunctionName);
  const names = all.slice(0, FUNCTIONS_MAX);
  const reserved: (number | null)[] = [];
  for (let from = 0; from < names.length; from += AT_ONCE) {
    const some = names.slice(from, from + AT_ONCE).map(async (name) => {
      const output = await ask("lambda", "GetFunctionConcurrency", { FunctionName: name });
      const value = output?.ReservedConcurrentExecutions;
      return typeof value === "number" ? value : null;
    });
    reserved.push(...(await Promise.all(some)));
  }
  const queries = names.map((name): RateQuery => {
    return ["AWS/Lambda", "ConcurrentExecutions", "FunctionName", name];
  });
  const values = await metricValues((input) => ask("cloudwatch", "GetMetricData", input), queries, {
    nowMs,
    spanS: 3_600,
    stat: "Maximum",
  });
  const members = names.map((name, at) => ({
    name,
    reserved: reserved[at] ?? null,
    busiest: values === null ? null : Math.max(0, ...(values[at] ?? [])),
  }));
  return { members, more: all.length - names.length, unread };
}
