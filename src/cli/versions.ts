// Versions that criteria name, against those that are invoked: read from the account or a template.
import { readFileSync } from "node:fs";
import { parseDocument } from "yaml";
import { operandsIn } from "../core/criterion.ts";
import type { PlannedVersions } from "../core/facts.ts";
import { formatPercent } from "../core/format.ts";
import { didYouMean } from "../core/nearest.ts";
import { parseCriterion } from "../core/parse-criterion.ts";
import type { Scenario } from "../core/scenario.ts";
import { versionOfName } from "../core/version-name.ts";
import { readVersions } from "../observe/versions.ts";
import type { VersionShares } from "../report/feed.ts";
import type { LintFinding } from "../scenario/lint-types.ts";
import type { ProvenLoad } from "./check-account.ts";
import { makeFault } from "./compose.ts";
import type { System } from "./system-contract.ts";

interface NamedVersion {
  readonly name: string;
  readonly text: string;
  readonly line: number;
  /** True where nothing but the version narrows it. */
  readonly bare: boolean;
}

function namedVersions({ accept }: Scenario): NamedVersion[] {
  return accept.flatMap(({ text, line }) =>
    operandsIn(parseCriterion(text)).flatMap((operand) => {
      const name = operand.names.find((one) => versionOfName(one) !== null);
      if (name === undefined) return [];
      const bare = operand.function === null && operand.names.length === 1;
      return [{ name, text, line, bare }];
    }),
  );
}

/** Null where no criterion names a version, or where they cannot be read. References are closed. */
export async function invokedVersions(
  scenario: Scenario,
  { control }: System,
  proven: readonly ProvenLoad[],
): Promise<PlannedVersions[] | null> {
  if (namedVersions(scenario).length === 0) return null;
  const lambdas = scenario.loads.flatMap(({ target }) =>
    target.kind === "lambda" ? [target.function] : [],
  );
  const invoked = [...lambdas, ...proven.flatMap(({ proof }) => proof?.functions ?? [])];
  const observed = scenario.observe.reports;
  const found = await readVersions({ invoked, observed }, control);
  return found === null || found.length === 0 ? null : found;
}

/** As criteria see them: of several functions the largest share, since any may be meant. */
export function versionShares(versions: readonly PlannedVersions[]): VersionShares {
  const shares: { [version: string]: number } = {};
  for (const one of versions)
    for (const [version, share] of Object.entries(one.shares))
      shares[version] = Math.max(shares[version] ?? 0, share);
  const [first] = versions;
  const exact = versions.every((one) => {
    return JSON.stringify(one.shares) === JSON.stringify(first?.shares);
  });
  return { shares, exact };
}

/** `checkout:live sends 90 % to v41 and 10 % to v42`. */
export function sharesText({ function: name, alias, shares }: PlannedVersions): string {
  const parts = Object.entries(shares).map(([version, share]) => {
    return `${formatPercent(share, share * 100 === Math.round(share * 100) ? 0 : 1)} to ${version}`;
  });
  return `${alias === null ? name : `${name}:${alias}`} sends ${parts.join(" and ")}`;
}

/** A version that nothing invokes is an error, unless a fault of the run publishes some. */
export function versionFindings(
  scenario: Scenario,
  versions: readonly PlannedVersions[] | null,
): LintFinding[] {
  const named = namedVersions(scenario);
  if (named.length === 0) return [];
  if (versions === null) {
    const [{ line, name }] = named as [NamedVersion];
    const message = `which versions are invoked cannot be read here: ${name} is taken on trust`;
    return [{ line, severity: "warning", message }];
  }
  const publishes = scenario.faults.some((spec) => makesVersions(spec, scenario.seed));
  const { shares } = versionShares(versions);
  return named.flatMap(({ name, text, line, bare }): LintFinding[] => {
    const having = versions.filter((one) => (one.shares[name] ?? 0) > 0);
    if (having.length === 0) {
      const nearest = didYouMean(name, Object.keys(shares));
      const hint = nearest?.startsWith("did") === true ? `; ${nearest}` : "";
      const sent = versions.map(sharesText).join("; ");
      const message = `\`${text}\`: nothing is sent to ${name}: ${sent}${hint}`;
      return [{ line, severity: publishes ? "warning" : "error", message }];
    }
    const functions = new Set(having.map((one) => one.function));
    if (!bare || functions.size < 2) return [];
    const both = [...functions].join(" and ");
    const message = `\`${text}\`: ${name} is a version of ${both}; narrow it by load or route`;
    return [{ line, severity: "warning", message }];
  });
}

/** A change behind an alias takes a version of its own, whose number nobody knows yet. */
function makesVersions(spec: Scenario["faults"][number], seed: number): boolean {
  try {
    return makeFault(spec, seed).stage !== undefined;
  } catch {
    return true; // its references are still open, so its function may be an alias
  }
}

interface TemplateFile {
  readonly Globals?: { readonly Function?: { readonly AutoPublishAlias?: unknown } };
  readonly Resources?: { readonly [id: string]: TemplateFunction | null };
}

interface TemplateFunction {
  readonly Type?: string;
  readonly Properties?: { readonly AutoPublishAlias?: unknown } | null;
  readonly Metadata?: { readonly Gatecrash?: { readonly Canary?: { readonly Weight?: unknown } } };
}

/**
 * What local AWS deploys of a template: version 1 behind an alias, beside it version 2 in a canary,
 * else `$LATEST`. Null where there is none, or none to be read: whoever starts it says why.
 */
export function templateVersions({ environment, template }: Scenario): PlannedVersions[] | null {
  if (environment !== "local" || template === null) return null;
  const document = parseDocument(textOf(template), { logLevel: "silent" });
  const file = document.errors.length > 0 ? null : (document.toJS() as TemplateFile | null);
  const functions = Object.entries(file?.Resources ?? {}).flatMap(([id, resource]) =>
    resource?.Type === "AWS::Serverless::Function" ? [[id, resource] as const] : [],
  );
  if (functions.length === 0) return null;
  return functions.map(([id, { Properties, Metadata }]) => {
    const alias = Properties?.AutoPublishAlias ?? file?.Globals?.Function?.AutoPublishAlias;
    if (alias === undefined) return { function: id, alias: null, shares: { vlatest: 1 } };
    const weight = Number(Metadata?.Gatecrash?.Canary?.Weight ?? 0);
    const shares = weight > 0 ? { v1: 1 - weight, v2: weight } : { v1: 1 };
    return { function: id, alias: String(alias), shares };
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // lint starts nothing, so it needs no template
  }
}
