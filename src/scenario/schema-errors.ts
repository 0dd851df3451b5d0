// Schema violations as sentences with file, line and the nearest key.
import type { z } from "zod";
import { didYouMean } from "../core/nearest.ts";
import { type RawScenario, scenarioSchema } from "./schema.ts";
import type { Path, Source } from "./source.ts";

/** The file's data in shape, or undefined with every violation added to the source's errors. */
export function checkSchema(source: Source): RawScenario | undefined {
  if (source.data === undefined && source.errors.length > 0) return undefined;
  const result = scenarioSchema.safeParse(source.data);
  if (result.success) return result.data;
  for (const issue of result.error.issues) report(source, issue, []);
  return undefined;
}

function report(source: Source, issue: z.core.$ZodIssue, base: Path): void {
  const path = [...base, ...(issue.path as (string | number)[])];
  if (issue.code === "unrecognized_keys") {
    reportKeys(source, path, issue);
    return;
  }
  if (issue.code === "invalid_union" && path.length > 0) {
    const inner = issue.errors.flat().find(({ code }) => code === "unrecognized_keys");
    if (inner !== undefined) {
      report(source, inner, path);
      return;
    }
  }
  const key = path.at(-1);
  if (key === undefined && source.data === null) {
    source.fail(path, "the file is empty", "docs/scenario.md has a whole example");
    return;
  }
  if (valueAt(source.data, path) === undefined) {
    const of = path.length > 1 ? ` in \`${path.slice(0, -1).join(".")}\`` : "";
    source.fail(path, `missing key \`${key}\`${of}`);
    return;
  }
  const where = path.length > 0 ? `\`${path.join(".")}\`: ` : "";
  source.fail(path, where + sentence(issue));
}

/** The message of `object()` lists the known keys (scalars.ts). */
function reportKeys(source: Source, path: Path, issue: z.core.$ZodIssueUnrecognizedKeys): void {
  const of = path.length > 0 ? ` in \`${path.join(".")}\`` : "";
  for (const key of issue.keys) {
    const hint = didYouMean(key, issue.message.split(" "));
    const place = source.keyPlace([...path, key]);
    source.failAt(place, `unknown key \`${key}\`${of}`, hint);
  }
}

function sentence(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type" && issue.message.startsWith("Invalid input"))
    return issue.message
      .replace("Invalid input: ", "")
      .replace(", received ", ", found ")
      .replaceAll(/\b(?:record|object)\b/g, "a mapping")
      .replaceAll(/\barray\b/g, "a list");
  if (issue.code === "invalid_value" && issue.message.startsWith("Invalid"))
    return `one of ${issue.values.join(", ")} is needed here`;
  return issue.message;
}

function valueAt(data: unknown, path: Path): unknown {
  let value = data;
  for (const step of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as { readonly [key: string]: unknown })[step];
  }
  return value;
}
