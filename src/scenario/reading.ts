// What every part of the reader needs: the source, its data in shape, and the run's clock.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { didYouMean } from "../core/nearest.ts";
import type { Limits, Phase } from "../core/scenario.ts";
import type { RawScenario } from "./schema.ts";
import type { Path, Source } from "./source.ts";

export interface Reading {
  readonly source: Source;
  readonly raw: RawScenario;
  readonly scale: number;
  readonly phases: readonly Phase[];
  readonly limits: Limits;
  /** Sentences about defaults that matter; printed by the run. */
  readonly assumed: string[];
}

/** Rates are multiplied as they are; whole things keep at least one. */
export const scaledCount = (count: number, scale: number): number =>
  count === 0 ? 0 : Math.max(1, Math.round(count * scale));

/** Absolute path of a file that must exist; a complaint at `path` when it does not. */
export function existingFile(source: Source, path: Path, relative: string): string {
  const file = resolve(source.dir, relative);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) source.fail(path, `no such file: ${relative}`);
  else if (!stat.isFile()) source.fail(path, `not a file: ${relative}`);
  return file;
}

/** The phase of that name; a complaint at `path` and null when there is none. */
export function phaseNamed(reading: Reading, path: Path, name: string): Phase | null {
  const { phases, source } = reading;
  const found = phases.find((phase) => phase.name === name);
  if (found !== undefined) return found;
  const names = phases.map((phase) => phase.name);
  source.fail(path, `unknown phase \`${name}\``, didYouMean(name, names) ?? "give `phases:`");
  return null;
}

/** The only one of these keys that is given; a complaint at `path` and null otherwise. */
export function onlyOne<Key extends string>(
  source: Source,
  path: Path,
  given: { readonly [key: string]: unknown },
  keys: readonly Key[],
  what: string,
): Key | null {
  const found = keys.filter((key) => given[key] !== undefined);
  if (found.length === 1) return found[0]!;
  const problem = found.length === 0 ? `no ${what}` : `more than one ${what}: ${found.join(", ")}`;
  source.fail(
    path,
    `\`${path.join(".")}\` has ${problem}`,
    `give exactly one of ${keys.join(", ")}`,
  );
  return null;
}
