// One AWS::Serverless::Function, checked and resolved, as what local AWS runs.
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { GatecrashError } from "../../core/error.ts";
import { findHandlerFile, parseHandlerName } from "../environments/handler-name.ts";
import { asyncSpecOf } from "./function-extras.ts";
import { functionNameOf, type Place } from "./names.ts";
import type { TemplateSource } from "./read-yaml.ts";
import type { FunctionResource } from "./schema.ts";
import type { TemplateFunction } from "./types.ts";

/** SAM's defaults for what a template leaves out. */
const DEFAULTS = { timeoutS: 3, memoryMb: 128 } as const;

export interface FunctionContext extends Place {
  readonly source: TemplateSource;
  readonly scale: number;
  /** `http://127.0.0.1:PORT`: where the handlers' own SDK clients go. */
  readonly endpoint: string;
}

/** Throws a `scenario` error: no handler or runtime, or code outside the template's folder. */
export function functionOf(
  logicalId: string,
  resource: FunctionResource,
  context: FunctionContext,
): TemplateFunction {
  const { Properties: properties, Metadata: metadata } = resource;
  const name = functionNameOf(logicalId, properties.FunctionName);
  const required = (key: "Handler" | "Runtime"): string => {
    const value = properties[key];
    if (value !== undefined) return value;
    return fail(context.source, logicalId, `function ${logicalId} has no ${key}`, key);
  };
  const memoryMb = properties.MemorySize ?? DEFAULTS.memoryMb;
  const logGroup = properties.LoggingConfig?.LogGroup ?? `/aws/lambda/${name}`;
  const own = Object.entries(properties.Environment?.Variables ?? {});
  const runtime = required("Runtime");
  const codeDir = codeDirOf(logicalId, properties.CodeUri ?? ".", context.source);
  const handler = required("Handler");
  checkHandler(logicalId, handler, codeDir, context.source);
  return {
    description: properties.Description ?? "",
    activeTracing: properties.Tracing === "Active",
    layers: properties.Layers ?? [],
    alias: properties.AutoPublishAlias ?? null,
    provisioned: provisionedOf(logicalId, properties, context),
    canary: canaryOf(logicalId, resource, { codeDir, handler }, context),
    async: asyncSpecOf(resource),
    deadLetterArn: properties.DeadLetterQueue?.TargetArn ?? null,
    spec: {
      logicalId,
      name,
      arn: `arn:aws:lambda:${context.region}:${context.account}:function:${name}`,
      runtime,
      handler,
      codeDir,
      timeoutMs: (properties.Timeout ?? DEFAULTS.timeoutS) * 1_000,
      memoryMb,
      environment: Object.fromEntries(own.map(([key, value]) => [key, String(value)])),
      reserved: scaled(properties.ReservedConcurrentExecutions, context.scale),
      initMs: metadata?.Gatecrash?.InitMs ?? 0,
      isolation: metadata?.Gatecrash?.Isolation ?? "shared",
      logGroup,
      endpoint: context.endpoint,
    },
  };
}

/** Throws a `scenario` error where there is no alias to be weighted, or no such code. */
function canaryOf(
  id: string,
  { Properties: { AutoPublishAlias: alias }, Metadata: metadata }: FunctionResource,
  own: { readonly codeDir: string; readonly handler: string },
  { source }: FunctionContext,
): TemplateFunction["canary"] {
  const canary = metadata?.Gatecrash?.Canary;
  if (canary === undefined) return null;
  if (alias === undefined)
    return fail(source, id, `function ${id}: a Canary needs AutoPublishAlias`, "Handler");
  const { Before: before, Weight: weight } = canary;
  const codeDir =
    before.CodeUri === undefined ? own.codeDir : codeDirOf(id, before.CodeUri, source);
  const handler = before.Handler ?? own.handler;
  checkHandler(id, handler, codeDir, source);
  const variables = Object.entries(before.Environment?.Variables ?? {});
  return {
    weight,
    before: {
      ...{ codeDir, handler },
      ...(before.Timeout === undefined ? {} : { timeoutMs: before.Timeout * 1_000 }),
      ...(before.MemorySize === undefined ? {} : { memoryMb: before.MemorySize }),
      ...(before.InitMs === undefined ? {} : { initMs: before.InitMs }),
      environment: Object.fromEntries(variables.map(([key, value]) => [key, String(value)])),
    },
  };
}

/** Throws a `scenario` error where there is no alias to hold them. */
function provisionedOf(
  logicalId: string,
  properties: FunctionResource["Properties"],
  { scale, source }: FunctionContext,
): number {
  const { ProvisionedConcurrencyConfig: config, AutoPublishAlias: alias } = properties;
  if (config === undefined) return 0;
  const key = "ProvisionedConcurrencyConfig";
  if (alias === undefined)
    return fail(source, logicalId, `function ${logicalId}: ${key} needs AutoPublishAlias`, key);
  return scaled(config.ProvisionedConcurrentExecutions, scale) ?? 0;
}

/** 0 stays 0 and nothing else becomes 0: reserving none and reserving one differ in kind. */
function scaled(reserved: number | undefined, scale: number): number | null {
  if (reserved === undefined) return null;
  return reserved === 0 ? 0 : Math.max(1, Math.round(reserved * scale));
}

function codeDirOf(logicalId: string, codeUri: string, source: TemplateSource): string {
  const root = realpathSync(dirname(resolve(source.file)));
  const wanted = resolve(root, codeUri);
  if (!existsSync(wanted) || !statSync(wanted).isDirectory())
    return fail(source, logicalId, `CodeUri ${codeUri} is no folder`, "CodeUri");
  const found = realpathSync(wanted);
  if (relative(root, found).startsWith(".."))
    return fail(
      source,
      logicalId,
      `CodeUri ${codeUri} leads out of the template's folder`,
      "CodeUri",
    );
  return found;
}

/** A file that is not there would be every invoke's failing init: it is said before the first. */
function checkHandler(id: string, handler: string, codeDir: string, source: TemplateSource): void {
  const name = parseHandlerName(handler);
  if (name === null)
    fail(source, id, `Handler ${handler} is not <file>.<export>, as in index.handler`, "Handler");
  if (findHandlerFile(codeDir, name.module) !== null) return;
  const tried = `${name.module}.mjs, .js or .cjs`;
  const isTypeScript = [".ts", ".mts", ".cts"].some((x) =>
    existsSync(resolve(codeDir, name.module + x)),
  );
  const hint = !isTypeScript
    ? undefined
    : "local AWS compiles no TypeScript: build first, and name the template that the build writes";
  fail(source, id, `Handler ${handler}: there is no ${tried} in ${codeDir}`, "Handler", hint);
}

function fail(
  source: TemplateSource,
  logicalId: string,
  message: string,
  key: string,
  hint?: string,
): never {
  throw new GatecrashError("scenario", message, {
    place: source.placeOf(["Resources", logicalId, "Properties", key]),
    ...(hint === undefined ? {} : { hint }),
  });
}
