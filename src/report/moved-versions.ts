// Versions that answered, and to which nothing was sent when the run began.
import type { PlanFile } from "../core/facts.ts";
import { formatNumber } from "../core/format.ts";
import type { VersionRow } from "./by-version.ts";

/**
 * A deployment that moved under the run, also when it moved back before anybody looked. A fault
 * behind an alias takes a version of its own, so with faults nothing is said.
 */
export function movedReasons(
  rows: readonly VersionRow[],
  { versions = [], faults }: Pick<PlanFile, "versions" | "faults">,
): string[] {
  if (versions.length === 0 || faults.length > 0) return [];
  const asked = versions.flatMap(({ shares }) =>
    Object.entries(shares).flatMap(([version, share]) => (share > 0 ? [version] : [])),
  );
  const strange = rows.filter((row) => {
    return row.kind === "version" && isPlanned(row, versions) && !asked.includes(row.version);
  });
  return strange.map(({ function: name, version, n }) => {
    const who = name === "" ? version : `${version} of ${name}`;
    const many = `${formatNumber(n)} ${n === 1 ? "arrival" : "arrivals"}`;
    return `${who} answered ${many}, and nothing was sent to it when the run began`;
  });
}

const isPlanned = (row: VersionRow, versions: NonNullable<PlanFile["versions"]>): boolean =>
  row.function === "" || versions.some((one) => one.function === row.function);
