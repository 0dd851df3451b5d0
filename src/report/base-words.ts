// What a pull request changes of its own judgement, in words: first in every report.
import type { BaseChange, PlannedBase } from "../core/base-facts.ts";

/** Whether there is anything to be loud about. */
export const isLoud = ({ not_compared: why, changes }: PlannedBase): boolean =>
  why !== "" || changes.length > 0;

/** `CRITERIA CHANGED in this pull request, against origin/main 1a2b3c4d5e6f: judged by …` */
export function bannerTitle(base: PlannedBase): string {
  const { ref, commit, not_compared: why, changes } = base;
  if (why !== "") return `CRITERIA NOT COMPARED with ${ref}: ${why}`;
  const judged = changes.some(({ group }) => group === "criteria");
  const against = `in this pull request, against ${ref} ${commit?.slice(0, 12) ?? ""}`;
  if (!judged) return `ALLOW-LISTS OR ACCOUNTS CHANGED ${against}`;
  return `CRITERIA CHANGED ${against}: judged by ${judgeText(base)}`;
}

function judgeText({ criteria_from: from, ref, changes }: PlannedBase): string {
  if (from === "head") return "ITS OWN, not by the base branch's";
  const added = changes.some(({ key, kind }) => key === "accept" && kind === "added");
  return `those of ${ref}${added ? ", and those that were added" : ""}`;
}

/** `loosened accept: shopper.p99 <= 300ms → shopper.p99 <= 900ms`. */
export function changeText(base: PlannedBase, change: BaseChange): string {
  const { kind, key, base: was, head: is } = change;
  const what = was === null ? is : is === null ? was : `${was} → ${is}`;
  return `${kind} ${key}: ${what}${forceText(base, change)}`;
}

/** Of safety: whether what the pull request says holds in this run. */
function forceText({ safety_from: from }: PlannedBase, { group }: BaseChange): string {
  if (group === "criteria") return "";
  return from === "base" ? " (not in force)" : " (local AWS: in force)";
}

/** Title and one line for each change; nothing where nothing differs. */
export function bannerLines(base: PlannedBase): string[] {
  if (!isLoud(base)) return [];
  const changes = base.changes.map((change) => `   ${changeText(base, change)}`);
  return [bannerTitle(base), ...changes];
}

/** For machines, in result.json and `plan --json`. */
export function criteriaChanged(base: PlannedBase) {
  const { ref, commit, not_compared: why, changes } = base;
  return {
    ...{ ref, commit, compared: why === "", not_compared: why },
    ...{ criteria_from: base.criteria_from, safety_from: base.safety_from },
    changed: changes.some(({ group }) => group === "criteria"),
    changes,
  };
}
