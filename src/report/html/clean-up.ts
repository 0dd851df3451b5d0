// What the run took out of queues of failures that others use too.
import { CLEAN_UP_COLUMNS, cleanUpRows } from "../clean-up-rows.ts";
import type { Report } from "../result.ts";
import type { Part } from "./markup.ts";
import { section, table } from "./parts.ts";

export function cleanUpSection(report: Report): Part {
  if (report.cleanUps.length === 0) return null;
  const columns = CLEAN_UP_COLUMNS.map((title, i) => ({ title, number: i > 0 && i < 5 }));
  const caption = "Messages of this run taken out of queues of failures; others given back";
  return section("clean-up", "Clean-up", table(caption, columns, cleanUpRows(report)));
}
