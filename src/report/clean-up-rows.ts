// What runs took out of queues of failures, as rows of a table: the same in HTML and Markdown.
import { formatNumber } from "../core/format.ts";
import { resourceName } from "./fault-result.ts";
import type { Report } from "./result.ts";
import { CLEAN_UP_ENDS } from "./words.ts";

export const CLEAN_UP_COLUMNS = [
  "Queue",
  "Found",
  "Ours",
  "Deleted",
  "Given back",
  "Note",
] as const;

/** Texts in the order of the columns. */
export function cleanUpRows({ cleanUps }: Pick<Report, "cleanUps">): string[][] {
  return cleanUps.map(({ queue, found, ours, deleted, given_back: back, end, detail }) => {
    const hidden = found - deleted - back;
    const notes = [
      CLEAN_UP_ENDS[end],
      detail,
      hidden > 0 ? `${formatNumber(hidden)} still hidden until they show themselves` : "",
    ].filter((text) => text !== "");
    const counts = [found, ours, deleted, back].map((count) => formatNumber(count));
    return [resourceName(queue), ...counts, notes.join("; ")];
  });
}
