// Where tokens come from: OAuth client credentials, a Cognito user pool.
import { createHmac } from "node:crypto";
import type { Token } from "./token.ts";

const TIMEOUT_MS = 10_000;

export interface OauthGrant {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string | null;
  readonly audience: string | null;
}

/** RFC 6749 §4.4; the client authenticates by Basic (§2.3.1). */
export async function oauthToken(grant: OauthGrant, nowMs: () => number): Promise<Token> {
  const { tokenUrl, clientId, clientSecret, scope, audience } = grant;
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (scope !== null) form.set("scope", scope);
  if (audience !== null) form.set("audience", audience);
  const who = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  const askedMs = nowMs();
  const answer = await posted(tokenUrl, form.toString(), {
    authorization: `Basic ${Buffer.from(who).toString("base64")}`,
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
  });
  return tokenOf(answer.access_token, answer.expires_in, askedMs);
}

export interface CognitoGrant {
  /** `https://cognito-idp.REGION.amazonaws.com/`. */
  readonly endpoint: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly username: string;
  readonly password: string;
  readonly token: "id" | "access";
}

/** InitiateAuth with USER_PASSWORD_AUTH; an unsigned call. */
export async function cognitoToken(grant: CognitoGrant, nowMs: () => number): Promise<Token> {
  const { endpoint, clientId, clientSecret, username, password, token } = grant;
  const hash =
    clientSecret === null
      ? {}
      : {
          SECRET_HASH: createHmac("sha256", clientSecret)
            .update(username + clientId)
            .digest("base64"),
        };
  const input = {
    AuthFlow: "USER_PASSWORD_AUTH",
    ClientId: clientId,
    AuthParameters: { USERNAME: username, PASSWORD: password, ...hash },
  };
  const askedMs = nowMs();
  const { AuthenticationResult: result } = await posted(endpoint, JSON.stringify(input), {
    "content-type": "application/x-amz-json-1.1",
    "x-amz-target": "AWSCognitoIdentityProviderService.InitiateAuth",
  });
  if (typeof result !== "object" || result === null)
    throw new Error("the user pool asks for more than a password");
  const value: unknown = Reflect.get(result, token === "id" ? "IdToken" : "AccessToken");
  return tokenOf(value, Reflect.get(result, "ExpiresIn"), askedMs);
}

function tokenOf(value: unknown, seconds: unknown, askedMs: number): Token {
  if (typeof value !== "string" || value === "") throw new Error("the answer holds no token");
  const lastsS = Number(seconds);
  return { value, endsMs: lastsS > 0 ? askedMs + lastsS * 1_000 : null };
}

/** Errors name the host, the status and an error code, never what was sent or received. */
async function posted(
  url: string,
  body: string,
  headers: { readonly [name: string]: string },
): Promise<{ readonly [key: string]: unknown }> {
  const { host } = new URL(url);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let answer: Response;
  try {
    answer = await fetch(url, { method: "POST", body, headers, signal, redirect: "error" });
  } catch {
    throw new Error(`${host} does not answer`);
  }
  const parsed: unknown = await answer.json().catch(() => null);
  const fields = typeof parsed === "object" && parsed !== null ? parsed : {};
  if (answer.ok) return { ...fields };
  const code = ["error", "__type"].map((key) => Reflect.get(fields, key)).find((x) => x);
  throw new Error(`${host} answers ${answer.status}${code === undefined ? "" : ` ${code}`}`);
}
