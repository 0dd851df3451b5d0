// Rules about who imports whom: arrows between folders, cycles, files that nobody needs.
import { posix } from "node:path";
import { type Complaint, isUnder, lineAt, type Rule, type SourceFile } from "./source-file.ts";

/** Folder of src → what it may import besides itself and core. */
const ARROWS: { readonly [folder: string]: readonly string[] } = {
  core: [],
  import: [],
  scenario: [],
  model: [],
  wire: [],
  aws: [],
  drivers: [],
  notify: [],
  report: [],
  targets: ["aws", "wire"],
  faults: ["aws"],
  observe: ["aws"],
  run: ["report/windows.ts"],
  local: ["model"],
  cli: [
    ...["import", "scenario", "model", "wire", "aws", "drivers", "report", "targets", "faults"],
    ...["observe", "run", "notify"],
  ],
};

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)["']([^"'\n]+)["']/g;
const FILE_NAMED = /["'](\.{1,2}\/[^"'\n]+\.[jt]s)["']/g;

interface Import {
  readonly line: number;
  /** Path from the repository's root; packages are left out. */
  readonly target: string;
}

function importsOf(file: SourceFile): Import[] {
  return relativeIn(file, IMPORT);
}

function relativeIn({ path, text, code }: SourceFile, pattern: RegExp): Import[] {
  return [...text.matchAll(pattern)].flatMap(({ index, 0: whole, 1: name = "" }) => {
    const keyword = /^\w/.test(whole);
    if (!name.startsWith(".") || (keyword && code[index] === " ")) return [];
    const target = posix.join(posix.dirname(path), name).replace(/\.js$/, ".ts");
    return [{ line: lineAt(text, index), target }];
  });
}

/** Folders import along DESIGN's arrows; `bin` sees `cli` only. */
export const importArrows: Rule = (files) =>
  files.flatMap((file) =>
    importsOf(file).flatMap(({ line, target }) => {
      if (allowed(file.path, target)) return [];
      return [{ path: file.path, line, message: `may not import ${target}` }];
    }),
  );

function allowed(from: string, to: string): boolean {
  if (isUnder(from, "bin")) return isUnder(to, "bin", "src/cli") || isVocabulary(to);
  if (!isUnder(from, "src")) return true;
  const folder = from.split("/")[1] ?? "";
  const arrows = ["core", folder, ...(ARROWS[folder] ?? [])];
  return arrows.some((arrow) => isUnder(to, `src/${arrow}`));
}

/** Exit codes and errors: what the entry needs to end the process. */
const isVocabulary = (to: string): boolean => /^src\/core\/(exit|error)\.ts$/.test(to);

/** No file of src imports itself over others, types included. */
export const importCycles: Rule = (files) => {
  const graph = new Map(
    files
      .filter(({ path }) => isUnder(path, "src"))
      .map((file) => [file.path, importsOf(file)] as const),
  );
  const done = new Set<string>();
  const complaints: Complaint[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    for (const { target, line } of graph.get(path) ?? []) {
      const start = trail.indexOf(target);
      if (start >= 0) {
        const message = `cycle: ${[...trail.slice(start), target].join(" → ")}`;
        complaints.push({ path, line, message });
      } else if (!done.has(target)) visit(target, [...trail, target]);
    }
    done.add(path);
  };
  for (const path of graph.keys()) if (!done.has(path)) visit(path, [path]);
  return complaints;
};

/** Made for people and editors, by a test that keeps it current. */
const ENTRIES = ["src/scenario/json-schema.ts"];

/** Every file of src is imported by the product, or named as a thread's or process's entry. */
export const unusedFiles: Rule = (files) => {
  const users = files.filter(({ path }) => isUnder(path, "src", "bin", "bench"));
  const used = new Set(
    users.flatMap((file) => relativeIn(file, FILE_NAMED).map(({ target }) => target)),
  );
  return files
    .filter(({ path }) => isUnder(path, "src") && path.endsWith(".ts"))
    .filter(({ path }) => !used.has(path) && !ENTRIES.includes(path))
    .map(({ path }) => ({ path, line: 1, message: "is imported by nothing of the product" }));
};
