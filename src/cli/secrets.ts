// Fills `{{env.X}}` into a header at the moment it is needed; the value is never written anywhere.
import { GatecrashError } from "../core/error.ts";
import type { Hide } from "../core/hiding.ts";
import type { Scenario } from "../core/scenario.ts";

const REFERENCE = /\{\{\s*(env|secret)\.([^}]+?)\s*\}\}/g;

/**
 * @throws GatecrashError `scenario` for a variable that is not set, or a secret store we do not
 * speak to.
 */
export function secretsIn(text: string): string {
  return text.replace(REFERENCE, (whole, kind: string, name: string) => {
    if (kind === "secret") {
      throw new GatecrashError("scenario", `${whole}: this version reads no secret store`, {
        hint: "pass it in an environment variable and write {{env.NAME}}",
      });
    }
    const value = process.env[name];
    if (value !== undefined) return value;
    throw new GatecrashError("scenario", `the environment variable ${name} is not set`, {
      hint: `set ${name}`,
    });
  });
}

const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Closes every header once and throws the values away: what is missing is said before the run. */
export function checkSecrets(scenario: Scenario): void {
  for (const { name: load, target } of scenario.loads) {
    if (target.kind !== "http") continue;
    for (const [name, value] of target.headers) {
      if (SENDABLE.test(secretsIn(value))) continue;
      const what = `load ${load}: the value of the header ${name} cannot be sent over HTTP`;
      throw new GatecrashError("scenario", what, { hint: "it holds a line break, or no Latin-1" });
    }
  }
}

/**
 * Values that must not be written anywhere: of variables named in a load's or a sink's URL, headers
 * and command. Names of resources may come from variables too, and are no secrets.
 */
export function secretValues(
  { loads, sinks }: Pick<Scenario, "loads" | "sinks">,
  env: { readonly [name: string]: string | undefined },
): string[] {
  const texts = [
    ...loads.flatMap(({ target }) =>
      target.kind === "http" ? [target.url, ...target.headers.map(([, value]) => value)] : [],
    ),
    ...sinks.map(({ input: { url, headers, argv } }) => JSON.stringify([url, headers, argv])),
  ];
  const references = texts.flatMap((text) => [...text.matchAll(REFERENCE)]);
  const named = references.flatMap(([, kind, name]) => (kind === "env" ? [name!] : []));
  const seen = sinks.flatMap(({ input }) => (Array.isArray(input.env) ? input.env : []));
  return [...new Set([...named, ...seen])].flatMap((name) => env[name] ?? []);
}

/** The same error, or errors, without these values. */
export function withHidden(error: unknown, hide: Hide): unknown {
  if (error instanceof AggregateError)
    return new AggregateError(
      error.errors.map((each) => withHidden(each, hide)),
      hide(error.message),
    );
  if (!(error instanceof GatecrashError)) return error;
  const { code, message, hint, place, cause } = error;
  return new GatecrashError(code, hide(message), {
    ...(hint === undefined ? {} : { hint: hide(hint) }),
    ...(place === undefined ? {} : { place }),
    ...(cause === undefined ? {} : { cause }),
  });
}
