// Whether a run gave what its scenario expects: a verdict, and for a failure the criterion that
// decides it.
import type { Expect } from "../core/scenario.ts";
import type { Report } from "../report/result.ts";

export function meetsExpectation(
  expect: Expect | null,
  report: Report,
): { readonly holds: boolean; readonly text: string } {
  const wanted = expect?.verdict ?? "pass";
  const found = `${report.verdict}: ${report.reason}`;
  if (report.verdict !== wanted) return { holds: false, text: `expected ${wanted}, got ${found}` };
  const criterion = expect?.criterion ?? null;
  if (criterion === null) return { holds: true, text: found };
  const failed = report.criteria.filter((one) => one.verdict === "fail").map((one) => one.text);
  const wantedText = criterion.replace(/\s+primary$/, "");
  return failed.includes(wantedText)
    ? { holds: true, text: found }
    : {
        holds: false,
        text: `expected to fail by \`${wantedText}\`, failed by ${failed.join("; ")}`,
      };
}
