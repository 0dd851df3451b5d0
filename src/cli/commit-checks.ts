// Whether the criteria were committed before a run began, as far as the repository is at hand.
import type { PlanFile } from "../core/facts.ts";
import type { Check } from "./check.ts";
import { gitIn } from "./git.ts";

/** Looks into the repository around `dir`; reads only. */
export function commitChecks({ scenario, base, epoch_ms }: PlanFile, dir = process.cwd()): Check[] {
  const { commit, dirty } = scenario;
  // In a pull request the run may have been of a text made of two: the branch has its own part.
  const blob = base?.head_blob ?? scenario.blob;
  const committed = "committed before the start";
  if (commit === null)
    return [{ what: committed, state: "unknown", detail: "the run was in no repository" }];
  const short = commit.slice(0, 12);
  const tree: Check = {
    what: "clean tree",
    state: dirty === null ? "unknown" : dirty ? "no" : "yes",
    detail: dirty === true ? "files beside the scenario were changed and not committed" : "",
  };
  const { out: seconds, failed } = gitIn(dir)("show", "--no-patch", "--format=%ct", commit);
  if (failed !== null)
    return [{ what: committed, state: "unknown", detail: `no commit ${short} here` }, tree];
  const path = pathOf(dir, commit, blob);
  const earlier = Number(seconds) * 1_000 <= epoch_ms;
  const detail =
    path === null
      ? `commit ${short} has no such scenario`
      : `${path} in ${short}, ${earlier ? "earlier than" : "LATER than"} the run`;
  return [{ what: committed, state: path !== null && earlier ? "yes" : "no", detail }, tree];
}

/** Where the commit has a file of this content. */
function pathOf(dir: string, commit: string, blob: string): string | null {
  const { out: tree } = gitIn(dir)("ls-tree", "-r", "--full-tree", commit);
  const line = tree.split("\n").find((one) => one.includes(` blob ${blob}\t`));
  return line?.split("\t")[1] ?? null;
}
