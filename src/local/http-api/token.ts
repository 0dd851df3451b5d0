// JSON web tokens as an HTTP API checks them: signature, issuer, audience, times and scopes.
import { verify } from "node:crypto";
import type { HttpAuthorizerSpec } from "../template/http-authorizers.ts";
import { type GatewayAnswer, gatewayError, isRecord } from "./answer.ts";
import type { IssuerKeys } from "./issuer-keys.ts";

type JwtAuthorizer = Extract<HttpAuthorizerSpec, { kind: "jwt" }>;
type Claims = { readonly [claim: string]: unknown };

/** Claims of a token that is good, or the gateway's answer. */
export type Checked = { readonly claims: Claims } | { readonly refusal: GatewayAnswer };

const MS_PER_S = 1_000;
/** HTTP APIs take no others, whatever the issuer signs with. */
const DIGESTS: { readonly [alg: string]: string } = {
  RS256: "RSA-SHA256",
  RS384: "RSA-SHA384",
  RS512: "RSA-SHA512",
};

/** `header` as it came; "" = there is none. */
export async function checkToken(
  authorizer: JwtAuthorizer,
  header: string,
  keys: IssuerKeys,
  nowMs: number,
): Promise<Checked> {
  if (header === "") return refused(401, "Unauthorized", "Bearer");
  const token = header.replace(/^Bearer +/i, "");
  const parts = token.split(".");
  if (parts.length !== 3) return invalid("token contains an invalid number of segments");
  const [head, claims] = parts.slice(0, 2).map((part) => jsonOf(part));
  if (head === null || claims === null) return invalid("token is malformed");
  const why =
    (await signatureFault(authorizer, head!, parts, keys, nowMs)) ??
    claimFault(authorizer, claims!, nowMs / MS_PER_S);
  if (why !== null) return invalid(why);
  const granted = String(claims!.scope ?? claims!.scp ?? "").split(/[ ,]/);
  const { scopes } = authorizer;
  if (scopes.length === 0 || scopes.some((one) => granted.includes(one)))
    return { claims: claims! };
  return refused(
    ...([403, "Forbidden"] as const),
    challenge(scopes, "insufficient_scope", "the token does not have a required scope"),
  );
}

/** null = it is good, or its issuer is not on this machine. */
async function signatureFault(
  { issuer }: JwtAuthorizer,
  head: Claims,
  parts: readonly string[],
  keys: IssuerKeys,
  nowMs: number,
): Promise<string | null> {
  const alg = String(head.alg ?? "");
  const digest = Object.hasOwn(DIGESTS, alg) ? DIGESTS[alg] : undefined;
  if (digest === undefined) return `signing method ${alg.replaceAll(/[^\w-]/g, "")} is invalid`;
  const kid = typeof head.kid === "string" ? head.kid : "";
  const found = await keys.find(issuer, kid, alg, nowMs);
  if (found === "unchecked") return null;
  if (found === "unreachable") return "OIDC discovery endpoint communication error";
  if (found === "unknown") return "the token's key is not among the issuer's";
  const signed = Buffer.from(`${parts[0]}.${parts[1]}`);
  const isGood = verify(digest, signed, found.key, Buffer.from(parts[2] ?? "", "base64url"));
  return isGood ? null : "signature is invalid";
}

/** `client_id` stands for an audience only where there is none. */
function claimFault({ issuer, audience }: JwtAuthorizer, claims: Claims, nowS: number) {
  const { iss, exp, nbf, iat } = claims;
  const audiences = [claims.aud ?? claims.client_id].flat();
  if (iss !== issuer) return "the token does not have a valid issuer";
  if (!audiences.some((one) => audience.includes(String(one))))
    return "the token does not have a valid audience";
  if (typeof exp !== "number" || exp <= nowS) return "the token has expired";
  if (typeof nbf === "number" && nbf > nowS) return "the token is not valid yet";
  if (typeof iat === "number" && iat > nowS) return "the token was issued in the future";
  return null;
}

function jsonOf(part: string): Claims | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

const challenge = (scopes: readonly string[], error: string, why: string): string =>
  `Bearer scope="${scopes.join(" ")}" error="${error}" error_description="${why}"`;

const invalid = (why: string): Checked =>
  refused(401, "Unauthorized", challenge([], "invalid_token", why));

function refused(status: number, message: string, authenticate: string): Checked {
  const headers = [
    ["content-type", "application/json"],
    ["www-authenticate", authenticate],
  ] as const;
  return { refusal: gatewayError(status, message, { headers }) };
}
