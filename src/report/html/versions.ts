// What each version of the functions answered, as a table whose rows add up to the whole.
import { armName } from "../labels.ts";
import type { Report } from "../result.ts";
import { VERSION_COLUMNS, VERSION_NOTE, versionCells, versionName } from "../version-words.ts";
import { html, type Part } from "./markup.ts";
import { section, table } from "./parts.ts";

const COLUMNS = [
  { title: "Load" },
  ...VERSION_COLUMNS.map((title) => ({ title, number: title !== "version" })),
  { title: "errors", number: true },
];

export function versionsSection(report: Report): Part {
  const { versions } = report;
  if (versions.length === 0) return null;
  const rows = versions.map((row) => [
    armName(row),
    versionName(row, report),
    ...versionCells(row),
  ]);
  return section(
    "versions",
    "By version",
    table("Arrivals by the version that answered them, times in ms", COLUMNS, rows, "latency"),
    html`<p class="note">${VERSION_NOTE} The weight is what the alias gave a version when the run
began.</p>`,
  );
}
