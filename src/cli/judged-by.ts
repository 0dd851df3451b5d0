// In a pull request: by whose criteria a run is judged, and whose allow-lists and accounts hold.
import { readFileSync } from "node:fs";
import { Option } from "commander";
import type { PlannedBase } from "../core/base-facts.ts";
import { GatecrashError } from "../core/error.ts";
import type { Scenario } from "../core/scenario.ts";
import { bannerLines } from "../report/base-words.ts";
import { gitBlobHash } from "../run/run-directory.ts";
import { compareScenarios, type RawData } from "../scenario/compare-base.ts";
import {
  type NewPowers,
  newPowers,
  rawData,
  scenarioText,
  withCriteria,
  withSafety,
} from "../scenario/from-base.ts";
import { type ReadOptions, readScenario } from "../scenario/read.ts";
import { readSource } from "../scenario/source.ts";
import { type BaseFile, type BaseRef, baseRefOf, readBase } from "./base-branch.ts";

type Env = { readonly [name: string]: string | undefined };

export interface BaseOptions {
  readonly base?: string;
  readonly criteriaFrom: "base" | "head";
}

/** `--base` and `--criteria-from`, the same for every command that takes them. */
export const baseOption = (): Option =>
  new Option("--base <ref>", "branch to be merged into; a pull request of CI has it known");
export const criteriaFromOption = (): Option =>
  new Option("--criteria-from <side>", "whose criteria judge where they differ")
    .choices(["base", "head"])
    .default("base");

export interface Judged {
  readonly scenario: Scenario;
  /** As it will be frozen. */
  readonly yaml: string;
  /** Null outside a pull request. */
  readonly base: PlannedBase | null;
}

/**
 * Reads a scenario as `readScenario` does; in a pull request with the criteria of the base branch,
 * and in an account with its allow-lists and identities, too. Throws GatecrashError("refused") when
 * these cannot be had: nothing is known then of what was agreed to be contacted or changed.
 */
export function readJudged(
  path: string,
  read: ReadOptions,
  options: BaseOptions,
  env: Env,
): Judged {
  const scenario = readScenario(path, read);
  const yaml = readFileSync(scenario.file, "utf8");
  const ref = baseRefOf(options.base ?? null, env);
  if (ref === null) return { scenario, yaml, base: null };
  const found = readBase(scenario.file, ref);
  const [was, tip] =
    typeof found === "string" ? [null, null] : [rawData(found.text), rawData(found.tip)];
  if (typeof found === "string" || was === null || tip === null) {
    const why = typeof found === "string" ? found : `the scenario of ${ref.name} is no YAML`;
    return { scenario, yaml, base: notCompared(scenario, yaml, ref, why) };
  }
  return combined({ path, read, options, scenario, yaml, ref, found, was, tip });
}

function notCompared(
  { account, file }: Scenario,
  yaml: string,
  { name }: BaseRef,
  why: string,
): PlannedBase {
  if (account !== null)
    throw unread(`what ${name} allows in account ${account.account}`, why, file);
  return {
    ...{ ref: name, commit: null, path: null, head_blob: gitBlobHash(yaml) },
    ...{ criteria_from: "head", safety_from: "head", not_compared: why, changes: [] },
  };
}

function unread(what: string, why: string, file: string): GatecrashError {
  return new GatecrashError("refused", `${what} cannot be read: ${why}`, {
    hint:
      "fetch the base branch (actions/checkout: fetch-depth: 0; GitLab: GIT_DEPTH: 0); a " +
      "scenario that is new has to be merged before it runs in an account from a pull request",
    place: { file },
  });
}

interface Both {
  readonly path: string;
  readonly read: ReadOptions;
  readonly options: BaseOptions;
  readonly scenario: Scenario;
  readonly yaml: string;
  readonly ref: BaseRef;
  readonly found: BaseFile;
  readonly was: RawData;
  readonly tip: RawData;
}

function combined(both: Both): Judged {
  const { path, read, options, scenario, yaml, ref, found, was, tip } = both;
  const head = rawData(yaml)!; // it has been read
  const changes = compareScenarios(was, head);
  const inAccount = scenario.account !== null;
  const byBase = options.criteriaFrom === "base";
  const base: PlannedBase = {
    ...{ ref: ref.name, commit: found.commit, path: found.path, head_blob: gitBlobHash(yaml) },
    ...{ criteria_from: options.criteriaFrom, safety_from: inAccount ? "base" : "head" },
    ...{ not_compared: "", changes },
  };
  if (inAccount) refusePowers(scenario, newPowers(head, tip), ref);
  const judged = byBase && changes.some(({ group }) => group === "criteria");
  const withBase = judged ? withCriteria(head, was) : head;
  const data = inAccount ? withSafety(withBase, tip) : withBase;
  if (JSON.stringify(data) === JSON.stringify(head)) return { scenario, yaml, base };
  const text = scenarioText(data, headOf(base, judged, inAccount));
  return { scenario: readCombined(path, { ...read, text }, ref), yaml: text, base };
}

function headOf({ ref, commit, head_blob: blob }: PlannedBase, judged: boolean, safe: boolean) {
  const at = `${ref} (${commit?.slice(0, 12)})`;
  return [
    `Made for one run in a pull request, of its scenario (blob ${blob.slice(0, 12)}) and ${at}.`,
    ...(judged ? [`Criteria: of ${ref}, and those that the pull request adds.`] : []),
    ...(safe ? [`Allow-lists, accounts, identities, limits, writes: of ${ref}.`] : []),
  ];
}

/** Its complaints are about a file that nobody wrote, so they say what it is made of. */
function readCombined(path: string, read: ReadOptions, { name }: BaseRef): Scenario {
  try {
    return readScenario(path, read);
  } catch (error) {
    const errors = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
    const told = errors.map((one) => {
      if (!(one instanceof GatecrashError)) return one;
      return new GatecrashError(one.code, `with what ${name} says: ${one.message}`, {
        hint: `keep the names that its criteria use, or judge by your own: --criteria-from head`,
        cause: one,
      });
    });
    throw new AggregateError(told, `${path} does not fit ${name}`);
  }
}

function refusePowers({ file }: Scenario, { writes, auth }: NewPowers, { name }: BaseRef): void {
  const refuse = (names: readonly string[], does: string, what: string): void => {
    if (names.length === 0) return;
    const loads = names.map((load) => `\`${load}\``).join(", ");
    throw new GatecrashError("refused", `load ${loads} ${does}, and in ${name} it does not`, {
      hint: `${what} is agreed on first: merge it, or run it by hand`,
      place: { file },
    });
  };
  refuse(writes, "writes", "what is written to an account");
  refuse(auth, "has `auth`", "which credentials go to which host");
}

/**
 * What says which account an environment is, and who acts there: in a pull request the file of the
 * base branch, as a run had it; undefined = the file itself. Throws as `readJudged` does.
 */
export function agreedText(path: string, asked: string | undefined, env: Env): string | undefined {
  const ref = baseRefOf(asked ?? null, env);
  if (ref === null) return undefined;
  const { file } = readSource(path);
  const found = readBase(file, ref);
  if (typeof found !== "string") return found.tip;
  throw unread(`whose the environments of ${path} are in ${ref.name}`, found, file);
}

/** What everybody should see first; nothing where nothing differs. */
export const baseWarning = (base: PlannedBase | null): string =>
  base === null
    ? ""
    : bannerLines(base)
        .map((line) => `${line}\n`)
        .join("");
