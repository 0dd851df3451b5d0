// Makes the function that evaluates a handler's module once per execution environment.
import { createRequire, register } from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { compileFunction } from "node:vm";
import type { ModuleSource } from "../protocol.ts";

/** Each call evaluates the module anew and gives its exports. */
export type Evaluate = () => unknown;

export function loadModule(source: ModuleSource): Evaluate {
  return source.kind === "bundle" ? compileBundle(source) : importFile(source);
}

/** Compiled once, called per environment: own module scope, and nothing stays behind in a cache. */
function compileBundle(source: ModuleSource & { kind: "bundle" }): Evaluate {
  const requirePackage = packageRequire(source.file);
  for (const name of source.packages) {
    try {
      requirePackage(name);
    } catch {
      // The init that needs it fails with the same error, where it can be reported.
    }
  }
  const body = compileFunction(
    source.code,
    ["exports", "require", "module", "__filename", "__dirname"],
    { filename: source.file },
  );
  return () => {
    const module = { exports: {} };
    body(module.exports, requirePackage, module, source.file, dirname(source.file));
    return module.exports;
  };
}

/** From the code's folder upward, else beside local AWS: Lambda brings the AWS SDK too. */
function packageRequire(file: string): (name: string) => unknown {
  const besideCode = createRequire(file);
  const elsewhere = createRequire(import.meta.url);
  return (name) => {
    try {
      besideCode.resolve(name);
    } catch (missing) {
      if ((missing as { code?: string }).code !== "MODULE_NOT_FOUND") throw missing;
      try {
        elsewhere.resolve(name);
      } catch {
        throw missing;
      }
      return elsewhere(name);
    }
    return besideCode(name);
  };
}

function importFile(source: ModuleSource & { kind: "file" }): Evaluate {
  if (source.packagesElsewhere) register("./resolve-elsewhere.js", import.meta.url);
  const url = pathToFileURL(source.file).href;
  return () => import(url);
}
