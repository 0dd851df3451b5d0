// The version that the package declares.
import { readFileSync } from "node:fs";

/** package.json lies one folder above src/ and two above dist/src/. */
function readVersion(): string {
  for (const relative of ["../../package.json", "../../../package.json"]) {
    try {
      const text = readFileSync(new URL(relative, import.meta.url), "utf8");
      const parsed: unknown = JSON.parse(text);
      if (typeof parsed === "object" && parsed !== null && "version" in parsed) {
        return String(parsed.version);
      }
    } catch {
      // not here: try the next place
    }
  }
  return "unknown";
}

export const VERSION = readVersion();
