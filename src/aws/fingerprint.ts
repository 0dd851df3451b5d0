// What was under test: code, configuration and aliases of functions, so that a change is noticed.
import { createHash } from "node:crypto";
import { AwsFailure, type ControlPlane } from "../core/change.ts";

/** By function, then by what it is; values are hashes where they may be secret. */
export interface Fingerprint {
  readonly [functionName: string]: { readonly [what: string]: string };
}

/** Of a configuration, what decides how a function behaves; dates and revisions say nothing. */
const FIELDS = [
  "CodeSha256",
  "Version",
  "Runtime",
  "Handler",
  "Timeout",
  "MemorySize",
  "Architectures",
  "EphemeralStorage",
  "SnapStart",
  "TracingConfig",
  "VpcConfig",
] as const;

/** Functions by ARN or name, qualified or not. A function that may not be read is left out. */
export async function fingerprintOf(
  functions: readonly string[],
  control: ControlPlane,
): Promise<Fingerprint> {
  const found: { [name: string]: { [what: string]: string } } = {};
  for (const name of [...new Set(functions)].sort()) {
    const parts = await partsOf(name, control);
    if (parts !== null) found[name] = parts;
  }
  return found;
}

async function partsOf(name: string, control: ControlPlane) {
  try {
    const configuration = await control.call("lambda", "GetFunctionConfiguration", {
      FunctionName: name,
    });
    const parts: { [what: string]: string } = {};
    for (const field of FIELDS) {
      const value = configuration[field];
      if (value !== undefined) parts[field] = shown(value);
    }
    // Layers' ARNs name versions; variables may be secret, and only whether they change is kept.
    parts.Layers = shown(layersOf(configuration.Layers));
    parts.Environment = hashed(configuration.Environment ?? {});
    const { ReservedConcurrentExecutions: reserved } = await control.call(
      "lambda",
      "GetFunctionConcurrency",
      { FunctionName: bare(name) },
    );
    parts["reserved concurrency"] = shown(reserved ?? "unset");
    return { ...parts, ...(await aliasesOf(bare(name), control)) };
  } catch (error) {
    if (error instanceof AwsFailure) return null;
    throw error;
  }
}

async function aliasesOf(name: string, control: ControlPlane) {
  const { Aliases: aliases } = await control.call("lambda", "ListAliases", { FunctionName: name });
  const list = (aliases ?? []) as readonly { readonly [key: string]: unknown }[];
  return Object.fromEntries(
    list.map(({ Name, FunctionVersion, RoutingConfig }) => [
      `alias ${String(Name)}`,
      shown([FunctionVersion, RoutingConfig ?? {}]),
    ]),
  ) as { [what: string]: string };
}

const layersOf = (layers: unknown): unknown[] =>
  Array.isArray(layers) ? layers.map((layer: { readonly Arn?: string }) => layer.Arn) : [];

/** Without its version or alias: seven parts of an ARN, one of a name. */
const bare = (name: string): string =>
  name.startsWith("arn:") ? name.split(":").slice(0, 7).join(":") : (name.split(":")[0] ?? name);

const shown = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(sorted(value));

const hashed = (value: unknown): string =>
  createHash("sha256")
    .update(JSON.stringify(sorted(value)))
    .digest("hex")
    .slice(0, 16);

/** Keys in order, so that equal things read the same. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

/** One sentence for each thing that is not what it was. */
export function changedSince(before: Fingerprint, after: Fingerprint): string[] {
  return Object.entries(before).flatMap(([name, parts]) => {
    const now = after[name];
    const short = name.split(":function:").at(-1);
    if (now === undefined) return [`function ${short} cannot be read any more`];
    const keys = [...new Set([...Object.keys(parts), ...Object.keys(now)])];
    return keys
      .filter((key) => parts[key] !== now[key])
      .map((key) => {
        const values =
          key === "Environment" ? "" : `: ${parts[key] ?? "none"} → ${now[key] ?? "none"}`;
        return `function ${short} changed during the run, ${key}${values}`;
      });
  });
}
