// Reads a logged request line and its target: first token, last token, and whatever lies between.

export interface RequestTarget {
  readonly method: string;
  readonly scheme: string | null;
  readonly host: string | null;
  readonly path: string;
}

export interface Skipped {
  readonly skip: string;
}

const METHOD = /^[A-Z][A-Z_-]{0,19}$/;
const PRINTABLE = /^[\x20-\x7e]*$/;
const ABSOLUTE = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)(.*)$/;
const DEFAULT_PORTS: { readonly [scheme: string]: string } = { http: ":80", https: ":443" };

/** Splits `GET /a b?c HTTP/1.1`; spaces inside the target are legal in logs. */
export function parseRequestLine(line: string): RequestTarget | Skipped {
  if (line === "-" || line === "") return { skip: "no request line" };
  const first = line.indexOf(" ");
  const last = line.lastIndexOf(" ");
  if (first < 0 || last === first) return { skip: "not an HTTP request line" };
  if (!/^HTTP\/[123](?:\.\d)?$/.test(line.slice(last + 1)))
    return { skip: "not an HTTP request line" };
  return parseTarget(line.slice(0, first), unescapeLogged(line.slice(first + 1, last)));
}

/** Checks the method and takes a request target (path or absolute URL) apart. */
export function parseTarget(method: string, target: string): RequestTarget | Skipped {
  if (!METHOD.test(method)) return { skip: "not an HTTP method" };
  if (method === "CONNECT" || method === "TRACE") return { skip: `${method} is not replayed` };
  if (!PRINTABLE.test(target)) return { skip: "bytes in the URL that cannot be sent" };
  if (target.includes("#")) return { skip: "fragment (#) in the URL, which cannot be sent" };
  if (target.startsWith("/")) return { method, scheme: null, host: null, path: target };
  const parts = ABSOLUTE.exec(target);
  if (parts === null) return { skip: "no path in the request line" };
  const scheme = (parts[1] ?? "").toLowerCase();
  const authority = parts[2] ?? "";
  const rest = parts[3] ?? "";
  // `user:password@` is a credential: it goes no further than here.
  const at = authority.lastIndexOf("@");
  return {
    method,
    scheme,
    host: withoutDefaultPort(scheme, authority.slice(at + 1)),
    path: rest.startsWith("/") ? rest : `/${rest}`,
  };
}

/** `shop.example:443` of an https URL is `shop.example`. */
function withoutDefaultPort(scheme: string, host: string): string {
  const port = DEFAULT_PORTS[scheme];
  return port !== undefined && host.endsWith(port) ? host.slice(0, -port.length) : host;
}

const ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|(["\\]))/g;

/** A logged header value; one that held control bytes stays escaped: it could not be sent. */
export function loggedHeader(text: string): string {
  const value = unescapeLogged(text);
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code < 32 || code === 127) return text;
  }
  return value;
}

/** Servers log `"`, `\` and bytes that do not print as `\x22`, `\"`, `\\`: the bytes come back. */
function unescapeLogged(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(ESCAPE, (_all, hex: string | undefined, char: string | undefined) =>
    hex === undefined ? (char ?? "") : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
