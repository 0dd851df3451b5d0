// Chooses how a function's code is run: bundled in one shared child, or in processes of its own.
import {
  type ExecutionEnvironment,
  type FunctionHost,
  type FunctionSpec,
  InitFailure,
} from "../function-host.ts";
import { bundleHandler, needsPackagesElsewhere } from "./bundle.ts";
import { findHandlerFile, parseHandlerName } from "./handler-name.ts";
import type { LambdaError } from "./lambda-error.ts";
import { childEnvironment } from "./names.ts";
import { ProcessHost } from "./process-host.ts";
import type { ModuleSource } from "./protocol.ts";
import { SharedHost } from "./shared-host.ts";
import type { ChildOptions } from "./start-child.ts";

/** Share of the function's memory that V8 may use for its heap in a process of its own. */
const HEAP_SHARE = 0.9;

/**
 * Ready to create environments at once: the code is compiled, the first child has booted. Code that
 * cannot be loaded is no error here: as on Lambda, it is every environment's failing init.
 */
export async function createFunctionHost(
  spec: FunctionSpec,
  version = "$LATEST",
  initialization = "on-demand",
): Promise<FunctionHost> {
  const environment = childEnvironment(spec, version, initialization);
  const name = parseHandlerName(spec.handler);
  const file = name === null ? null : findHandlerFile(spec.codeDir, name.module);
  if (name === null || file === null) return new FailingHost(missingModule(spec.handler));
  if (spec.isolation === "process") return ownProcesses(spec, file, name.exportPath, environment);
  const bundle = await bundleHandler(file);
  if (bundle.kind === "failed") return new FailingHost(bundle.error);
  if (bundle.kind === "own-process") return ownProcesses(spec, file, name.exportPath, environment);
  const { code, packages } = bundle;
  const source: ModuleSource = { kind: "bundle", code, file, packages };
  const host = new SharedHost(
    spec,
    optionsOf(spec, source, { exportPath: name.exportPath, environment, execArgv: [] }),
  );
  await host.ready();
  return host;
}

async function ownProcesses(
  spec: FunctionSpec,
  file: string,
  exportPath: readonly string[],
  environment: ChildOptions["environment"],
): Promise<FunctionHost> {
  const packagesElsewhere = await needsPackagesElsewhere(file);
  const source: ModuleSource = { kind: "file", file, packagesElsewhere };
  const heapMb = Math.floor(spec.memoryMb * HEAP_SHARE);
  const execArgv = [`--max-old-space-size=${heapMb}`];
  const how = { exportPath, environment, execArgv };
  const host = new ProcessHost(spec, optionsOf(spec, source, how));
  await host.ready();
  return host;
}

function optionsOf(
  { name, memoryMb, logGroup, handler, codeDir: cwd }: FunctionSpec,
  source: ModuleSource,
  { exportPath, ...rest }: Omit<ChildOptions, "load" | "cwd"> & { exportPath: readonly string[] },
): ChildOptions {
  const facts = { name, memoryMb, logGroup };
  return { load: { kind: "load", facts, source, exportPath, handler }, cwd, ...rest };
}

function missingModule(handler: string): LambdaError {
  const module = parseHandlerName(handler)?.module ?? handler;
  return {
    errorType: "Runtime.ImportModuleError",
    errorMessage: `Error: Cannot find module '${module}'`,
    trace: [],
  };
}

/** Code that no environment can load. */
class FailingHost implements FunctionHost {
  readonly #error: LambdaError;

  constructor(error: LambdaError) {
    this.#error = error;
  }

  create(): Promise<ExecutionEnvironment> {
    const { errorType, errorMessage } = this.#error;
    return Promise.reject(new InitFailure(JSON.stringify(this.#error), errorType, errorMessage, 0));
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
