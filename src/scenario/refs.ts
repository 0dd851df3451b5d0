// References in a scenario's texts: `{{outputs.X}}`, `{{env.X}}`, `{{secret.ssm:/…}}`,
// `{{variant}}`.
import type { Path, Source } from "./source.ts";

const REFERENCE = /\{\{\s*(.*?)\s*\}\}/g;
const FORMS =
  /^(?:outputs\.[A-Za-z]\w*|env\.[A-Za-z_]\w*|secret\.(?:ssm|secretsmanager):\S+|variant)$/;

/** What carries a secret, by the name of its header or of its place in a query. */
const SECRET_NAME = /auth|token|secret|passw|api-?key|access-?key|signature|session|cookie|jwt/i;
const QUERY_VALUE = /[?&]([^=&#]+)=(?!\{\{)[^&#]/g;

const SECRET_PLACES = ["headers", "auth", "webhook"];

/**
 * Complains about every reference of unknown form, about secrets where they would end up in a
 * file, and about what looks like a secret and is no reference: every run copies the scenario.
 */
export function checkReferences(source: Source): void {
  walk(source.data, [], (text, path) => {
    const named = secretAt(text, path);
    if (named !== null)
      source.fail(path, `${named} is written out`, "write {{env.NAME}}: runs keep this file");
    for (const [whole, inner = ""] of text.matchAll(REFERENCE)) {
      if (!FORMS.test(inner))
        source.fail(
          path,
          `\`${whole}\` is no reference`,
          "write {{outputs.X}}, {{env.X}}, {{secret.ssm:/path}} or {{variant}}",
        );
      else if (inner.startsWith("secret.") && !SECRET_PLACES.some((key) => path.includes(key)))
        source.fail(
          path,
          "a secret may stand in headers, auth and webhooks only",
          "it must not end up in a file",
        );
      else if (inner === "variant" && path[0] !== "environments")
        source.fail(path, "{{variant}} may stand in environments' outputs only");
    }
  });
}

function secretAt(text: string, path: Path): string | null {
  const header = String(path.at(path.at(-2) === "headers" ? -1 : -2));
  const isHeader = path.at(-2) === "headers" || path.at(-3) === "headers";
  if (isHeader && SECRET_NAME.test(header) && !text.includes("{{"))
    return `the value of the header ${header}`;
  if (path.at(-1) !== "url") return null;
  if (/\/\/[^/?#@{]*:[^/?#@{]+@/.test(text)) return "a password";
  const query = [...text.matchAll(QUERY_VALUE)].find(([, name = ""]) => SECRET_NAME.test(name));
  return query === undefined ? null : `the value of ${query[1]}`;
}

function walk(value: unknown, path: Path, visit: (text: string, path: Path) => void): void {
  if (typeof value === "string") visit(value, path);
  else if (Array.isArray(value))
    for (const [i, one] of value.entries()) walk(one, [...path, i], visit);
  else if (typeof value === "object" && value !== null)
    for (const [key, one] of Object.entries(value)) walk(one, [...path, key], visit);
}

/** Names of the outputs a text refers to. */
export function outputsIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, inner = ""]) =>
    inner.startsWith("outputs.") ? [inner.slice("outputs.".length)] : [],
  );
}

/** The text with every reference replaced by what `value` gives; undefined leaves it as it is. */
export function replaceReferences(
  text: string,
  value: (kind: string, name: string) => string | undefined,
): string {
  return text.replace(REFERENCE, (whole, inner: string) => {
    const dot = inner.indexOf(".");
    const [kind, name] = dot < 0 ? [inner, ""] : [inner.slice(0, dot), inner.slice(dot + 1)];
    return value(kind, name) ?? whole;
  });
}
