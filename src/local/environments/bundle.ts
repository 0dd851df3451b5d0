// Bundles a handler's own files to one CommonJS text; packages stay outside.
import { readFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { dirname, extname } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Metafile, type OnLoadResult, type Plugin } from "esbuild";
import { initErrorOf, type LambdaError } from "./lambda-error.ts";

export type Bundle =
  | { readonly kind: "bundle"; readonly code: string; readonly packages: readonly string[] }
  /** The file must be imported by a process of its own; `why` in one phrase. */
  | { readonly kind: "own-process"; readonly why: string }
  | { readonly kind: "failed"; readonly error: LambdaError };

const TOP_LEVEL_AWAIT = /top-level await/i;
const NATIVE_ADDON = /no loader is configured for "\.node" files/i;
const UNRESOLVED = /^could not resolve/i;

/** Where each file was: `import.meta` does not survive in CommonJS. */
const META = {
  "import.meta.url": "__metaUrl",
  "import.meta.filename": "__metaFile",
  "import.meta.dirname": "__metaDir",
};

function metaOf(path: string): string {
  const url = JSON.stringify(pathToFileURL(path).href);
  const [file, dir] = [JSON.stringify(path), JSON.stringify(dirname(path))];
  return `const __metaUrl=${url},__metaFile=${file},__metaDir=${dir};`;
}

/** Puts the constants on the first line, so that line numbers stay. */
const keepImportMeta: Plugin = {
  name: "keep-import-meta",
  setup(bundler) {
    bundler.onLoad({ filter: /\.(mjs|js)$/ }, ({ path }): OnLoadResult | undefined => {
      const text = readFileSync(path, "utf8");
      if (!text.includes("import.meta")) return undefined;
      return { contents: metaOf(path) + text, loader: "js" };
    });
  },
};

export async function bundleHandler(file: string): Promise<Bundle> {
  try {
    const result = await build({
      entryPoints: [file],
      bundle: true,
      format: "cjs",
      platform: "node",
      target: "node20",
      packages: "external",
      supported: { "dynamic-import": false }, // compiled code has no loader of its own: require()
      define: META,
      plugins: [keepImportMeta],
      loader: extname(file) === "" ? { "": "js" } : {},
      metafile: true,
      write: false,
      logLevel: "silent",
    });
    const packages = packagesOf(result.metafile, false);
    const importOnly = packages.find((name) => resolvePackage(name, file) === "import-only");
    if (importOnly !== undefined) {
      return { kind: "own-process", why: `${importOnly} can be imported but not required` };
    }
    return { kind: "bundle", code: result.outputFiles[0]?.text ?? "", packages };
  } catch (thrown) {
    return readFailure(thrown);
  }
}

function readFailure(thrown: unknown): Bundle {
  const [first] = (thrown as { errors?: { text: string; location: Place | null }[] }).errors ?? [];
  if (first === undefined) return { kind: "failed", error: initErrorOf(thrown) };
  if (TOP_LEVEL_AWAIT.test(first.text)) return { kind: "own-process", why: "top-level await" };
  if (NATIVE_ADDON.test(first.text)) return { kind: "own-process", why: "a native add-on" };
  const place = first.location === null ? "" : ` (${first.location.file}:${first.location.line})`;
  const errorType = UNRESOLVED.test(first.text)
    ? "Runtime.ImportModuleError"
    : "Runtime.UserCodeSyntaxError";
  return {
    kind: "failed",
    error: { errorType, errorMessage: `${first.text}${place}`, trace: [] },
  };
}

interface Place {
  readonly file: string;
  readonly line: number;
}

/** Packages that the files import: statically only (what every init loads), or all. */
function packagesOf(metafile: Metafile, dynamicToo: boolean): string[] {
  const names = Object.values(metafile.inputs)
    .flatMap((input) => input.imports)
    .filter((used) => used.external === true && (dynamicToo || used.kind !== "dynamic-import"))
    .map((used) => used.path);
  return [...new Set(names)].filter((name) => !isBuiltin(name));
}

export type PackagePlace = "beside-code" | "elsewhere" | "import-only" | "missing";

/** Whether a package is found from the handler's folder upward, or only beside local AWS. */
export function resolvePackage(name: string, file: string): PackagePlace {
  const places = [file, import.meta.url] as const;
  for (const [index, place] of places.entries()) {
    try {
      createRequire(place).resolve(name);
      return index === 0 ? "beside-code" : "elsewhere";
    } catch (thrown) {
      const code = (thrown as { code?: string }).code;
      if (code === "ERR_PACKAGE_PATH_NOT_EXPORTED") return "import-only";
    }
  }
  return "missing";
}

/** True when a package of the handler is found only beside local AWS, or nobody can tell. */
export async function needsPackagesElsewhere(file: string): Promise<boolean> {
  try {
    const { metafile } = await build({
      entryPoints: [file],
      bundle: true,
      format: "esm",
      platform: "node",
      packages: "external",
      metafile: true,
      write: false,
      logLevel: "silent",
    });
    return packagesOf(metafile, true).some((name) => resolvePackage(name, file) === "elsewhere");
  } catch {
    return true;
  }
}
