// Reads `Handler:` of a template and finds the file behind it, as Lambda's Node.js runtime does.
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";

export interface HandlerName {
  /** Path below the code's folder, without extension. */
  readonly module: string;
  /** Names of the export, outermost first: `index.api.handler` → ["api", "handler"]. */
  readonly exportPath: readonly string[];
}

/** The runtime's own order of trying. */
const EXTENSIONS = ["", ".js", ".mjs", ".cjs"];

/** Splits at the first dot of the last path segment; null when there is no export name. */
export function parseHandlerName(handler: string): HandlerName | null {
  const match = /^([^.]+)\.(.+)$/.exec(basename(handler));
  if (match === null) return null;
  const [, file = "", names = ""] = match;
  return { module: join(dirname(handler), file), exportPath: names.split(".") };
}

/** Absolute path of the handler's file, or null when none of the extensions exists. */
export function findHandlerFile(codeDir: string, module: string): string | null {
  const base = join(codeDir, module);
  return EXTENSIONS.map((extension) => base + extension).find((path) => existsSync(path)) ?? null;
}
