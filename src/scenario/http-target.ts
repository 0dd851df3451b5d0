// Raw http targets → where they go, as whom, over which TLS.
import type { AuthSpec, HttpSpec } from "../core/scenario.ts";
import { AUTH_KINDS, type RawHttp } from "./http-schema.ts";
import { existingFile, onlyOne, type Reading } from "./reading.ts";
import type { Path } from "./source.ts";

type Rewrites = NonNullable<HttpSpec["rewrites"]>;
type RawAuth = NonNullable<RawHttp["auth"]>;

export function httpOf(
  reading: Reading,
  at: Path,
  raw: RawHttp,
  how: { readonly replay: boolean; readonly timeoutUs: number },
): HttpSpec {
  const { url, method, headers = {}, tls, rewrite } = raw;
  if (rewrite !== undefined && !how.replay)
    reading.source.fail([...at, "rewrite"], "only a replay has captured paths to rewrite");
  const auth = raw.auth === undefined ? null : authOf(reading, [...at, "auth"], raw.auth);
  const ca = tls?.ca === undefined ? null : existingFile(reading.source, [...at, "tls"], tls.ca);
  return {
    kind: "http",
    url,
    method: method ?? (how.replay ? null : "GET"),
    headers: Object.entries(headers).flatMap(([header, value]) =>
      [value].flat().map((one) => [header, one] as const),
    ),
    timeoutUs: how.timeoutUs,
    ...(auth === null ? {} : { auth }),
    ...(tls === undefined ? {} : { tls: { ca, serverName: tls["server-name"] ?? null } }),
    ...(rewrite === undefined ? {} : { rewrites: rewritesOf(rewrite) }),
    ...(raw["unverified-host"] === undefined ? {} : { unverifiedHost: raw["unverified-host"] }),
  };
}

/** The longest beginning first; what is stripped becomes nothing. */
function rewritesOf({ strip, paths = {} }: NonNullable<RawHttp["rewrite"]>): Rewrites {
  const pairs = Object.entries(paths).map(([from, to]) => ({ from, to }));
  if (strip !== undefined) pairs.push({ from: strip, to: "" });
  return pairs.toSorted((a, b) => b.from.length - a.from.length);
}

function authOf({ source }: Reading, at: Path, raw: RawAuth): AuthSpec | null {
  const kind = onlyOne(source, at, raw, AUTH_KINDS, "kind of auth");
  if (kind === null) return null;
  const header = raw.header ?? (kind === "api-key" ? "x-api-key" : "authorization");
  const secret = (path: Path, text: string): string => {
    if (!text.includes("{{"))
      source.fail([...at, ...path], "a secret is written out", "write {{env.NAME}}");
    return text;
  };
  switch (kind) {
    case "api-key":
      return { kind: "static", header, value: secret([kind], raw[kind]!) };
    case "bearer":
      return { kind: "static", header, value: `Bearer ${secret([kind], raw.bearer!)}` };
    case "iam":
      if (raw.header !== undefined)
        source.fail([...at, "header"], "a signature has its own header");
      return { kind: "iam", service: raw.iam! };
    case "oauth": {
      const { scope = null, audience = null, ...rest } = raw.oauth!;
      const clientSecret = secret([kind, "client-secret"], rest["client-secret"]);
      const { "token-url": tokenUrl, "client-id": clientId } = rest;
      return { kind, header, tokenUrl, clientId, clientSecret, scope, audience };
    }
    case "cognito": {
      const { username, token = "id", ...rest } = raw.cognito!;
      const { "client-id": clientId, "client-secret": clientSecret = null } = rest;
      const password = secret([kind, "password"], rest.password);
      if (clientSecret !== null) secret([kind, "client-secret"], clientSecret);
      return { kind, header, clientId, clientSecret, username, password, token };
    }
    case "command":
      return { kind, header, argv: raw.command!.argv, everyUs: raw.command!.every ?? 300e6 };
  }
}
