// A run directory made for one test, and the report of it.
import { join } from "node:path";
import { report } from "../../src/report/report.ts";
import type { Report } from "../../src/report/result.ts";
import { type RunSpec, writeRun } from "./run-directory.ts";
import { temporaryFolder } from "./sinks.ts";

/** Judged by the criteria of its plan; the directory goes with the test. */
export async function reportOf(spec: RunSpec): Promise<Report> {
  const dir = join(temporaryFolder(), "run");
  writeRun(dir, spec);
  return await report(dir);
}

/** A request id for each number. */
export const requestId = (n: number): string =>
  `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`;
