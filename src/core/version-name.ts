// What criteria call the versions of a function: `v42`, and `vlatest` for `$LATEST`.

/** As Lambda writes it: the one version that changes. */
const LATEST = "$LATEST";

/** `v42` → `42`, `vlatest` → `$LATEST`; null for anything else. */
export function versionOfName(name: string): string | null {
  if (name === "vlatest") return LATEST;
  return /^v[1-9]\d*$/.test(name) ? name.slice(1) : null;
}

/** `42` → `v42`, `$LATEST` → `vlatest`. */
export const nameOfVersion = (version: string): string =>
  version === LATEST ? "vlatest" : `v${version}`;

/** As an answer's version is stored in the facts: 0 = `$LATEST`. */
export const versionOfNumber = (number: number): string => (number === 0 ? LATEST : `${number}`);
