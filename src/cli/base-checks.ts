// Whether a pull request's run was judged by its base branch, and says what it changed.
import { isDeepStrictEqual } from "node:util";
import type { PlanFile } from "../core/facts.ts";
import { bannerTitle } from "../report/base-words.ts";
import { compareScenarios, type RawData } from "../scenario/compare-base.ts";
import { rawData } from "../scenario/from-base.ts";
import type { Check } from "./check.ts";
import { gitIn } from "./git.ts";

/** None outside a pull request. Looks into the repository around `dir`; reads only. */
export function baseChecks({ base }: PlanFile, dir = process.cwd()): Check[] {
  if (base === undefined) return [];
  const what = "criteria are the base branch's";
  const { not_compared: why, changes, criteria_from: from, ref } = base;
  if (why !== "") return [{ what, state: "unknown", detail: bannerTitle(base) }];
  const changed = changes.some(({ group }) => group === "criteria");
  const state = changed && from === "head" ? "no" : "yes";
  const detail = changes.length > 0 ? bannerTitle(base) : `the same as in ${ref}`;
  return [{ what, state, detail }, recomputed(base, dir)];
}

/** What differs is looked up again: a plan is a file that somebody could have edited. */
function recomputed(
  { commit, path, head_blob: head, changes }: NonNullable<PlanFile["base"]>,
  dir: string,
): Check {
  const what = "changes to criteria recomputed";
  const [was, is] = [dataOf(dir, `${commit}:${path}`), dataOf(dir, head)];
  if (was === null || is === null)
    return { what, state: "unknown", detail: "the two files are not in a repository here" };
  const found = compareScenarios(was, is);
  const same = isDeepStrictEqual(found, changes);
  const detail = same
    ? `${found.length} found`
    : `${changes.length} planned, ${found.length} found`;
  return { what, state: same ? "yes" : "no", detail };
}

function dataOf(cwd: string, object: string): RawData | null {
  if (!/^[0-9a-f]{40}/.test(object)) return null;
  const { raw, failed } = gitIn(cwd)("cat-file", "blob", object);
  return failed === null ? rawData(raw) : null; // no git, or not this repository
}
