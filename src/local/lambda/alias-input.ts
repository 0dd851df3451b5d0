// The members of CreateAlias and UpdateAlias, checked; AWS's errors for what is wrong.
import { invalidParameter, validationError } from "../aws-error.ts";
import { said } from "../wire/said.ts";
import { notFound } from "./function-table.ts";
import { LATEST } from "./function-version.ts";
import type { Alias, LocalFunction } from "./local-function.ts";
import { USER } from "./update-rules.ts";

export type Members = { readonly [member: string]: unknown };

const NAME = /^(?!\d+$)[a-zA-Z0-9-_]{1,128}$/;
const VERSION = /^(\$LATEST|\d+)$/;

export function aliasNameOf(input: Members): string {
  const { Name: name } = input;
  if (typeof name === "string" && NAME.test(name)) return name;
  throw refusal(name, "name", "satisfy regular expression pattern: (?!^[0-9]+$)([a-zA-Z0-9-_]+)");
}

/** null = not given. Throws AWS's 404 for a version that is not there. */
export function versionNameOf(fn: LocalFunction, input: Members): string | null {
  const given = input.FunctionVersion ?? null;
  if (given === null) return null;
  if (typeof given !== "string" || !VERSION.test(given))
    throw refusal(
      given,
      "functionVersion",
      "satisfy regular expression pattern: (\\$LATEST|[0-9]+)",
    );
  if (given === LATEST || fn.versions.has(given)) return given;
  throw notFound(`Function not found: ${fn.arn}:${given}`);
}

/** undefined = not given, null = cleared. `main` is the version that the rest goes to. */
export function routingOf(
  fn: LocalFunction,
  input: Members,
  main: string,
): Alias["additional"] | undefined {
  const given = input.RoutingConfig ?? null;
  if (given === null) return undefined;
  const weights = (given as Members).AdditionalVersionWeights ?? {};
  if (typeof given !== "object" || typeof weights !== "object" || Array.isArray(weights))
    throw refusal(given, "routingConfig", "be a map");
  const entries = Object.entries(weights);
  if (entries.length > 1)
    throw invalidParameter(
      "Number of items in AdditionalVersionWeights cannot be greater than 1",
      USER,
    );
  const [entry] = entries;
  if (entry === undefined) return null;
  const [version, weight] = entry as [string, unknown];
  checkWeight(version, weight);
  if (main === LATEST || version === LATEST)
    throw invalidParameter(
      "$LATEST is not supported for an alias pointing to more than 1 version",
      USER,
    );
  if (version === main)
    throw invalidParameter(
      `Invalid function version ${version}. Function version ${version} is already included in ` +
        "routing configuration.",
      USER,
    );
  if (!fn.versions.has(version)) throw notFound(`Function not found: ${fn.arn}:${version}`);
  return { version, weight: weight as number };
}

function checkWeight(version: string, weight: unknown): void {
  const at = "routingConfig.additionalVersionWeights";
  const entry = `{${version}=${said(weight)}}`;
  if (typeof weight !== "number" || !(weight >= 0 && weight <= 1))
    throw refusal(
      entry,
      at,
      "satisfy constraint: [Member must have value less than or equal to 1.0, Member must have " +
        "value greater than or equal to 0.0, Member must not be null]",
    );
  if (!VERSION.test(version))
    throw refusal(entry, at, "satisfy constraint: [Member must satisfy pattern: [0-9]+]");
}

const refusal = (value: unknown, member: string, must: string): Error =>
  validationError(
    `1 validation error detected: Value ${value === undefined ? "null" : `'${said(value)}'`} at ` +
      `'${member}' failed to satisfy constraint: Member must ${must}`,
  );
