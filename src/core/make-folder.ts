// Makes a folder and what is missing above it, and fails where the operating system refuses.
import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Returns the first folder that was made, or undefined when all were there. Node's own recursive
 * mkdir never returns below a folder like /proc, which says of every new name that it is missing.
 */
export function makeFolder(path: string, mode = 0o777): string | undefined {
  const missing: string[] = [];
  let at = resolve(path);
  while (statSync(at, { throwIfNoEntry: false }) === undefined && at !== dirname(at)) {
    missing.unshift(at);
    at = dirname(at);
  }
  for (const folder of missing) make(folder, mode);
  return missing[0];
}

/** Another process may have made it meanwhile. */
function make(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}
