// References in a scenario's texts: `{{outputs.X}}`, `{{env.X}}`, `{{secret.ssm:/…}}`,
// `{{variant}}`.
import type { Path, Source } from "./source.ts";

const REFERENCE = /\{\{\s*(.*?)\s*\}\}/g;
const FORMS =
  /^(?:outputs\.[A-Za-z]\w*|env\.[A-Za-z_]\w*|secret\.(?:ssm|secretsmanager):\S+|variant)$/;

/** Complains about every reference of unknown form, and about secrets anywhere but in headers. */
export function checkReferences(source: Source): void {
  walk(source.data, [], (text, path) => {
    for (const [whole, inner = ""] of text.matchAll(REFERENCE)) {
      if (!FORMS.test(inner))
        source.fail(
          path,
          `\`${whole}\` is no reference`,
          "write {{outputs.X}}, {{env.X}}, {{secret.ssm:/path}} or {{variant}}",
        );
      else if (inner.startsWith("secret.") && !path.includes("headers"))
        source.fail(path, "a secret may stand in headers only", "it must not end up in a file");
      else if (inner === "variant" && path[0] !== "environments")
        source.fail(path, "{{variant}} may stand in environments' outputs only");
    }
  });
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
