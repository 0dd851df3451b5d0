// Lines above what ran at once: the account's quota, and reserved concurrency that a fault changed.

import type { ConcurrencyLimit } from "./drawn-result.ts";
import type { JudgeFacts } from "./judge-facts.ts";
import { functionName } from "./selection.ts";
import type { FaultStory } from "./story.ts";

const RESERVED = "ReservedConcurrentExecutions";

export function limitsOf({ tables, story }: JudgeFacts): ConcurrencyLimit[] {
  const { concurrency } = tables.plan.quota;
  const quota =
    concurrency === null
      ? []
      : [{ name: "account quota", points: [{ atUs: 0, value: concurrency }] }];
  return [...quota, ...story.faults.flatMap(reservedOf)];
}

/** As it was captured, as it was set, and as it was put back. */
function reservedOf({ plan, askedUs, restoreAskedUs, prior, change }: FaultStory) {
  const set = new RegExp(`${RESERVED} \\S+ → (\\d+)`).exec(change)?.[1];
  if (askedUs === null || set === undefined) return [];
  const before = prior?.[RESERVED];
  const was = typeof before === "number" ? before : null;
  const points = [
    { atUs: 0, value: was },
    { atUs: askedUs, value: Number(set) },
    ...(restoreAskedUs === null ? [] : [{ atUs: restoreAskedUs, value: was }]),
  ];
  return [{ name: `reserved for ${functionName(plan.resources[0] ?? "")}`, points }];
}
