// Takes secrets out at import: by the name that carries them and by what they look like.
import { isFields, isText, parseJson } from "./json.ts";
import type { Pseudonyms } from "./pseudonyms.ts";

/** Compared with names in lower case without `-`, `_` and `.`. */
const SECRET_PART =
  /token|secret|password|passwd|passphrase|signature|credential|apikey|accesskey|privatekey|authoriz|session|cookie|jwt|saml|csrf|xsrf/;
const OTHER_NAMES =
  "auth code state sig sid pwd pass otp pin cvv cvc ssn email mail phone iban card cardnumber";
const SECRET_NAMES = new Set([...OTHER_NAMES.split(" "), "nonce"]);
const JWT = /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g;
const AWS_KEY = /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g;
const ENTROPY_BITS = 4.2;

/** Where values of one record were replaced: before (canonical input, left as it is) and now. */
export interface Ledger {
  readonly known: readonly string[];
  readonly found: Set<string>;
}

export class Redactor {
  readonly #pseudonyms: Pseudonyms;

  constructor(pseudonyms: Pseudonyms) {
    this.#pseudonyms = pseudonyms;
  }

  /** Path and query, raw. Query values by their key's name, all else by what it looks like. */
  path(path: string, ledger: Ledger): string {
    const mark = path.indexOf("?");
    const plain = mark < 0 ? path : path.slice(0, mark);
    const segments = plain.split("/").map((part) => this.#bySight(part, "path", ledger));
    if (mark < 0) return segments.join("/");
    return `${segments.join("/")}?${this.#pairs(path.slice(mark + 1), "query", ledger)}`;
  }

  header(name: string, value: string, ledger: Ledger): string {
    if (isSecretName(name)) return this.#replaced(value, `header:${name}`, ledger);
    if (name === "referer") {
      const mark = value.indexOf("?");
      if (mark < 0) return value;
      const query = this.#pairs(value.slice(mark + 1), "referer", ledger);
      return `${value.slice(0, mark)}?${query}`;
    }
    return this.#shapes(value, `header:${name}`, ledger);
  }

  /** JSON and form bodies by field; other text by what it looks like. Binary stays as it is. */
  body(body: string, type: string, ledger: Ledger): string {
    if (/json/i.test(type) || /^\s*[[{]/.test(body)) {
      const value = parseJson(body);
      if (value !== undefined) {
        const before = ledger.found.size;
        const clean = this.#json(value, "", ledger);
        return ledger.found.size === before ? body : JSON.stringify(clean);
      }
    }
    if (/form-urlencoded/i.test(type)) return this.#pairs(body, "body", ledger);
    return this.#shapes(body, "body", ledger);
  }

  #json(value: unknown, name: string, ledger: Ledger): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#json(item, name, ledger));
    if (isFields(value))
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, this.#json(item, key, ledger)]),
      );
    if (isText(value))
      return isSecretName(name)
        ? this.#replaced(value, `body:${name}`, ledger)
        : this.#shapes(value, `body:${name}`, ledger);
    if (typeof value === "number" && isSecretName(name))
      return Number(this.#replaced(String(value), `body:${name}`, ledger));
    return value;
  }

  #pairs(text: string, where: string, ledger: Ledger): string {
    return text
      .split("&")
      .map((pair) => {
        const equals = pair.indexOf("=");
        if (equals < 0) return this.#bySight(pair, where, ledger);
        const key = decoded(pair.slice(0, equals));
        const value = pair.slice(equals + 1);
        const clean = isSecretName(key)
          ? this.#replaced(value, `${where}:${key}`, ledger)
          : this.#bySight(value, `${where}:${key}`, ledger);
        return `${pair.slice(0, equals)}=${clean}`;
      })
      .join("&");
  }

  #bySight(value: string, label: string, ledger: Ledger): string {
    if (looksRandom(value)) return this.#replaced(value, label, ledger);
    return this.#shapes(value, label, ledger);
  }

  #shapes(value: string, label: string, ledger: Ledger): string {
    if (value.length < 20) return value;
    const replace = (found: string): string => this.#replaced(found, label, ledger);
    return value.replace(JWT, replace).replace(AWS_KEY, replace);
  }

  #replaced(value: string, label: string, ledger: Ledger): string {
    if (value === "" || ledger.known.includes(label)) return value;
    ledger.found.add(label);
    return this.#pseudonyms.of(value);
  }
}

export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replace(/[-_.[\]]/g, "");
  return SECRET_NAMES.has(plain) || SECRET_PART.test(plain);
}

/** Long, of one alphabet, mixed case with digits, and near the entropy of random base64. */
function looksRandom(value: string): boolean {
  if (value.length < 24 || !/^[A-Za-z0-9_+/=~-]+$/.test(value)) return false;
  if (!/[a-z]/.test(value) || !/[A-Z]/.test(value) || !/\d/.test(value)) return false;
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) {
    const share = count / value.length;
    bits -= share * Math.log2(share);
  }
  return bits >= ENTROPY_BITS;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
