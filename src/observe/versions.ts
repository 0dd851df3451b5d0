// Which versions of the functions under test are invoked, and with what share, when a run begins.
import { AwsFailure, type ControlPlane } from "../core/change.ts";
import type { PlannedVersions } from "../core/facts.ts";
import { nameOfVersion } from "../core/version-name.ts";

export interface VersionsAsked {
  /** ARNs or names as they are invoked: unqualified = `$LATEST`. */
  readonly invoked: readonly string[];
  /** Those whose lines are read; what invokes them is not known, so every alias of them may. */
  readonly observed: readonly string[];
}

interface Alias {
  readonly Name?: string;
  readonly FunctionVersion?: string;
  readonly RoutingConfig?: { readonly AdditionalVersionWeights?: { readonly [v: string]: number } };
}

/** By function and alias; null when one of them cannot be read. Reads only. */
export async function readVersions(
  { invoked, observed }: VersionsAsked,
  control: ControlPlane,
): Promise<PlannedVersions[] | null> {
  const found: PlannedVersions[] = [];
  for (const name of new Set([...invoked, ...observed].map(bare))) {
    const asked = invoked.filter((one) => bare(one) === name).map(qualifierOf);
    const seen = observed.filter((one) => bare(one) === name).map(qualifierOf);
    const aliases = await aliasesOf(name, control);
    if (aliases === null) return null;
    const all = aliases.length === 0 ? [null] : aliases.map((alias) => alias.Name ?? "");
    const named = seen.filter((qualifier) => qualifier !== null);
    const qualifiers = asked.length > 0 ? asked : named.length > 0 ? named : all;
    for (const qualifier of new Set(qualifiers)) found.push(sharesOf(name, qualifier, aliases));
  }
  return found.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const keyOf = ({ function: name, alias }: PlannedVersions): string => `${name}:${alias ?? ""}`;

async function aliasesOf(name: string, control: ControlPlane): Promise<Alias[] | null> {
  const aliases: Alias[] = [];
  let marker: string | undefined;
  try {
    do {
      const input = { FunctionName: name, ...(marker === undefined ? {} : { Marker: marker }) };
      const answer = await control.call("lambda", "ListAliases", input);
      aliases.push(...((answer.Aliases ?? []) as readonly Alias[]));
      marker = answer.NextMarker as string | undefined;
    } while (marker !== undefined && marker !== "");
  } catch (error) {
    if (error instanceof AwsFailure) return null;
    throw error;
  }
  return aliases;
}

function sharesOf(
  name: string,
  qualifier: string | null,
  aliases: readonly Alias[],
): PlannedVersions {
  const alias = aliases.find(({ Name }) => Name === qualifier);
  if (alias === undefined)
    return { function: name, alias: null, shares: { [nameOfVersion(qualifier ?? "$LATEST")]: 1 } };
  const weights = Object.entries(alias.RoutingConfig?.AdditionalVersionWeights ?? {});
  const rest = weights.reduce((left, [, weight]) => left - weight, 1);
  const shares = [[alias.FunctionVersion ?? "$LATEST", rest] as const, ...weights];
  return {
    function: name,
    alias: qualifier,
    // A weight of 0.1 leaves 0.9, not what binary fractions leave.
    shares: Object.fromEntries(
      shares.map(([version, share]) => [nameOfVersion(version), Math.round(share * 1e6) / 1e6]),
    ),
  };
}

/** `arn:…:function:checkout:live` and `checkout:live` → `checkout` and `live`. */
const partsOf = (name: string): string[] => (name.split(":function:").at(-1) ?? name).split(":");
const bare = (name: string): string => partsOf(name)[0] ?? name;
const qualifierOf = (name: string): string | null => partsOf(name)[1] ?? null;
