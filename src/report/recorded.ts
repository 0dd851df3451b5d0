// The recorded system's answers beside ours: by arrival, so that both sides are the same requests.
import type { PlannedLoad } from "../core/facts.ts";
import { quantileOf } from "../core/measures.ts";
import { outcomeCode } from "../core/outcome.ts";
import type { Window } from "../core/window.ts";
import { type CensusValue, inside } from "./census-value.ts";
import { eachArrival } from "./each-row.ts";
import type { Samples } from "./samples.ts";
import type { Selection } from "./selection.ts";
import type { Tables } from "./tables.ts";

const DROPPED = outcomeCode("dropped");
const NOT_MODIFIED = 304;

/** Whether the load would have called a status ok. */
export function isOkStatus({ ok }: PlannedLoad, status: number): boolean {
  if (ok === undefined) return status >= 200 && status <= 399;
  return ok.some(([from, to]) => status >= from && status <= to);
}

/** A validator was recorded and is not sent again: 304 then and 200 now are one answer. */
export function isSameStatus(was: number, is: number): boolean {
  return was === is || (was === NOT_MODIFIED && is === 200);
}

/** Feeds `recorded.<measure>`; false when no capture says it. */
export function feedRecorded(
  tables: Tables,
  measure: string,
  selection: Selection,
  samples: Samples,
): boolean {
  const ofTime = quantileOf(measure) !== null && /^p/.test(measure);
  if (!ofTime && measure !== "errors.rate") return false;
  let known = false;
  const visit = (load: number, i: number, atUs: number): void => {
    const answers = tables.recorded[load];
    const status = answers?.status[i] ?? -1;
    const latencyUs = answers?.latencyUs[i] ?? -1;
    if (ofTime ? latencyUs < 0 : status < 0) return;
    known = true;
    // Without a status nothing says that it failed.
    const ok = status < 0 || isOkStatus(tables.plan.loads[load]!, status);
    if (!ofTime) samples.add(atUs, ok ? 0 : 1);
    else if (ok) samples.add(atUs, latencyUs);
  };
  eachArrival(
    tables,
    selection,
    (table, i) => visit(table.load, i, table.dueUs[i]!),
    () => samples.newRun(),
  );
  return known;
}

/** `agreement`: answers whose status is the recorded one, over arrivals sent that have one. */
export function feedAgreement(tables: Tables, selection: Selection, samples: Samples): boolean {
  let known = false;
  eachArrival(
    tables,
    selection,
    (table, i) => {
      const was = tables.recorded[table.load]?.status[i] ?? -1;
      if (was < 0 || table.outcome[i]! >= DROPPED) return;
      known = true;
      samples.add(table.dueUs[i]!, isSameStatus(was, table.status[i]!) ? 1 : 0);
    },
    () => samples.newRun(),
  );
  return known;
}

/** `recorded.max` and `recorded.count`. */
export function recordedCensus(
  tables: Tables,
  measure: string,
  selection: Selection,
  window: Window | null,
): CensusValue {
  let [n, max] = [0, 0];
  eachArrival(tables, selection, (table, i) => {
    const latencyUs = tables.recorded[table.load]?.latencyUs[i] ?? -1;
    if (latencyUs < 0 || !inside(table.dueUs[i]!, window)) return;
    n++;
    max = Math.max(max, latencyUs);
  });
  if (n === 0 || !["max", "count"].includes(measure))
    return { value: null, n, note: "no capture says it" };
  return { value: measure === "max" ? max : n, n, note: "" };
}
