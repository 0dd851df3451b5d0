// A headless Chromium for the tests of the HTML report, where the machine has one.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** `$CHROMIUM`, or the first browser on the path; null where there is none. */
export function chromiumPath(): string | null {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const candidates = [
    process.env.CHROMIUM ?? "",
    ...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))),
  ];
  return candidates.find((path) => path !== "" && isExecutable(path)) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
