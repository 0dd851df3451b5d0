// What one attempt says about whether the system did what was asked.
import { outcomeCode, REFUSERS, reasonCode, refuserCode } from "../core/outcome.ts";
import { ACTED, type Acted, GIVEN_UP, MAYBE, NEVER_SENT } from "./arrival-table.ts";

const OK = outcomeCode("ok");
const THROTTLED = outcomeCode("throttled");
const DROPPED = outcomeCode("dropped");

/** Errors before the first byte was sent. */
const UNSENT = new Set((["connect", "dns", "tls"] as const).map(reasonCode));

/** They refuse before anything has run; a dependency is refused in the middle of the work. */
const BEFORE = new Set(
  REFUSERS.filter((who) => who !== "" && who !== "dependency").map(refuserCode),
);

/** By the codes of an attempt's row. */
export function actedBy(outcome: number, refusedBy: number, reason: number): Acted {
  if (outcome === OK) return ACTED;
  if (outcome === DROPPED) return NEVER_SENT;
  if (UNSENT.has(reason)) return GIVEN_UP;
  return outcome === THROTTLED && BEFORE.has(refusedBy) ? GIVEN_UP : MAYBE;
}
