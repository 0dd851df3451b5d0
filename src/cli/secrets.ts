// Fills `{{env.X}}` and `{{secret.…}}` in at the moment they are needed; values are never written.
import { GatecrashError } from "../core/error.ts";
import type { Hide } from "../core/hiding.ts";
import type { NotifySpec } from "../core/notice.ts";
import type { HttpSpec, Scenario } from "../core/scenario.ts";
import { isFieldValue } from "../wire/characters.ts";
import type { SecretStore } from "./secret-store.ts";

const REFERENCE = /\{\{\s*(env|secret)\.([^}]+?)\s*\}\}/g;

/**
 * @throws GatecrashError `scenario` for a variable that is not set, or a secret that was not read.
 */
export function secretsIn(text: string, store: SecretStore = NOTHING): string {
  return text.replace(REFERENCE, (whole, kind: string, name: string) => {
    const value = kind === "secret" ? store.get(name) : process.env[name];
    if (value !== undefined) return value;
    if (kind === "secret")
      throw new GatecrashError("scenario", `${whole}: there is no account to read it from`, {
        hint: "choose an environment, or pass it in a variable: {{env.NAME}}",
      });
    throw new GatecrashError("scenario", `the environment variable ${name} is not set`, {
      hint: `set ${name}`,
    });
  });
}

const NOTHING: SecretStore = new Map();

/** Closes every header once and throws the values away: what is missing is said before the run. */
export function checkSecrets(scenario: Scenario, store: SecretStore): void {
  for (const { name: load, target } of scenario.loads) {
    if (target.kind !== "http") continue;
    for (const text of authTexts(target)) secretsIn(text, store);
    for (const [name, value] of target.headers) {
      if (isFieldValue(secretsIn(value, store))) continue;
      const what = `load ${load}: the value of the header ${name} cannot be sent over HTTP`;
      throw new GatecrashError("scenario", what, { hint: "it holds a line break, or no Latin-1" });
    }
  }
}

/** Texts of an http load's auth that may hold references. */
function authTexts({ auth = { kind: "iam", service: "lambda" } }: HttpSpec): string[] {
  return Object.values(auth).filter((value) => typeof value === "string");
}

/** Texts of a sink of `notify:` that may hold references to secrets. */
export function notifyTexts({ to }: NotifySpec): string[] {
  if (to.kind !== "webhook") return [];
  return [to.url, ...to.headers.map(([, value]) => value), ...(to.sign === null ? [] : [to.sign])];
}

/** Every text of loads, sinks and `notify:` that may refer to a secret. */
export function secretTexts({
  loads,
  sinks,
  notify = [],
}: Pick<Scenario, "loads" | "sinks" | "notify">): string[] {
  return [
    ...notify.flatMap(notifyTexts),
    ...loads.flatMap(({ target }) =>
      target.kind === "http"
        ? [target.url, ...target.headers.map(([, value]) => value), ...authTexts(target)]
        : [],
    ),
    ...sinks.map(({ input: { url, headers, argv } }) => JSON.stringify([url, headers, argv])),
  ];
}

/**
 * Values that must not be written anywhere: of variables named in a load's or a sink's URL, headers
 * and command. Names of resources may come from variables too, and are no secrets.
 */
export function secretValues(
  scenario: Pick<Scenario, "loads" | "sinks" | "notify">,
  env: { readonly [name: string]: string | undefined },
): string[] {
  const { sinks } = scenario;
  const texts = secretTexts(scenario);
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
