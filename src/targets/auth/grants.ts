// Where tokens come from: OAuth client credentials, a Cognito user pool.
import { createHmac } from "node:crypto";
import * as http from "node:http";
import * as https from "node:https";
import { proxyAgent } from "../../aws/proxy-agent.ts";
import { isLoopback } from "../../core/loopback.ts";
import type { Token } from "./token.ts";

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 1_048_576;

export interface OauthGrant {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string | null;
  readonly audience: string | null;
  readonly userAgent?: string;
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
    "user-agent": grant.userAgent ?? "gatecrash",
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
  readonly userAgent?: string;
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
    "user-agent": grant.userAgent ?? "gatecrash",
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
  const { status, text } = await answered(new URL(url), body, headers).catch((cause: Error) => {
    // A proxy's own words are about the tunnel, not about what was sent.
    const why = cause.message.startsWith("the proxy") ? `: ${cause.message}` : "";
    throw new Error(`${host} does not answer${why}`);
  });
  const fields = fieldsIn(text);
  if (status >= 200 && status < 300) return fields;
  const code = fields.error ?? fields.__type;
  throw new Error(`${host} answers ${status}${code === undefined ? "" : ` ${String(code)}`}`);
}

/** Through HTTPS_PROXY, as calls to AWS: it is no load. Redirects are answers like any other. */
function answered(
  url: URL,
  body: string,
  headers: { readonly [name: string]: string },
): Promise<{ readonly status: number; readonly text: string }> {
  const isSecure = url.protocol === "https:";
  const proxy = isSecure && !isLoopback(url.href) ? proxyAgent(process.env, {}) : null;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const length = { "content-length": String(Buffer.byteLength(body)) };
  const options = { method: "POST", headers: { ...headers, ...length }, agent: proxy ?? false };
  return new Promise((resolve, reject) => {
    const { request } = isSecure ? https : http;
    const call = request(url, { ...options, signal }, (answer) => {
      const parts: Buffer[] = [];
      let sizeBytes = 0;
      answer.on("data", (part: Buffer) => {
        sizeBytes += part.length;
        if (sizeBytes > ANSWER_BYTES_MAX) answer.destroy(new Error("its answer is no token's"));
        else parts.push(part);
      });
      answer.on("error", reject);
      answer.on("end", () => {
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() });
      });
    });
    call.on("error", reject);
    call.end(body);
  });
}

function fieldsIn(text: string): { readonly [key: string]: unknown } {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}
