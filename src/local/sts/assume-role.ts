// AssumeRole: credentials that are fake, expire on paper, and name their session to whoever asks.
import { randomBytes } from "node:crypto";
import { AwsError } from "../aws-error.ts";
import type { Taker } from "../iam/roles.ts";
import type { QueryCall, XmlTree } from "../wire/aws-query.ts";
import type { World } from "../world.ts";
import { getCallerIdentity } from "./get-caller-identity.ts";

const DURATION_S = { least: 900, usual: 3_600, most: 43_200 };

export function assumeRole(world: World, call: QueryCall): XmlTree {
  const externalId = call.form.get("ExternalId");
  checkTrust(world, call.form, {
    ...{ principal: getCallerIdentity(world, call).Arn ?? "", kind: "aws" },
    action: "sts:AssumeRole",
    context: externalId === null ? {} : { "sts:ExternalId": externalId },
  });
  return sessionOf(world, call.form);
}

const accountOf = (form: URLSearchParams): string => form.get("RoleArn")?.split(":")[4] ?? "";

/** Roles of an account that has given no stack are anybody's here. */
function checkTrust({ roles }: World, form: URLSearchParams, taker: Taker): void {
  if (roles.enforces(accountOf(form))) roles.checkTrust(form.get("RoleArn") ?? "", taker);
}

/** The token has to look like one and not be over; who signed it is nobody's business here. */
export function assumeRoleWithWebIdentity(world: World, { form }: QueryCall): XmlTree {
  const claims = claimsIn(form.get("WebIdentityToken") ?? "");
  if (claims === null)
    throw new AwsError("InvalidIdentityToken", 400, "The ID Token provided is not a valid JWT.");
  if (typeof claims.exp === "number" && claims.exp * 1_000 <= world.clock.wallMs())
    throw new AwsError("ExpiredTokenException", 400, "Token expired");
  checkTrust(world, form, federatedBy(claims, accountOf(form)));
  return { ...sessionOf(world, form), SubjectFromWebIdentityToken: String(claims.sub ?? "") };
}

interface Claims {
  readonly [claim: string]: unknown;
}

/** The issuer is the provider: `iss`, `aud` and `sub` are the keys of its conditions. */
function federatedBy({ iss, aud, sub }: Claims, account: string): Taker {
  const issuer = String(iss ?? "").replace(/^https:\/\//, "");
  return {
    principal: `arn:aws:iam::${account}:oidc-provider/${issuer}`,
    kind: "federated",
    action: "sts:AssumeRoleWithWebIdentity",
    context: { [`${issuer}:aud`]: String(aud ?? ""), [`${issuer}:sub`]: String(sub ?? "") },
  };
}

function claimsIn(token: string): Claims | null {
  try {
    const claims: unknown = JSON.parse(
      Buffer.from(token.split(".")[1] ?? "", "base64url").toString(),
    );
    return typeof claims === "object" ? (claims as Claims | null) : null;
  } catch {
    return null;
  }
}

function sessionOf(world: World, form: URLSearchParams): { [member: string]: XmlTree } {
  const roleArn = form.get("RoleArn") ?? "";
  const session = form.get("RoleSessionName") ?? "";
  const [, account, role] = /^arn:aws[a-z-]*:iam::(\d{12}):role\/(.+)$/.exec(roleArn) ?? [];
  if (account === undefined) throw invalid(`${roleArn} is invalid`);
  if (!/^[\w+=,.@-]{2,64}$/.test(session))
    throw invalid("1 validation error detected: Value at 'roleSessionName' is invalid");
  const durationS = Number(form.get("DurationSeconds") ?? DURATION_S.usual);
  if (!(durationS >= DURATION_S.least && durationS <= DURATION_S.most))
    throw invalid("1 validation error detected: Value at 'durationSeconds' is invalid");
  const accessKeyId = `ASIA${randomBytes(8).toString("hex").toUpperCase()}`;
  const name = `${role?.split("/").at(-1)}/${session}`;
  const arn = `arn:aws:sts::${account}:assumed-role/${name}`;
  const id = `AROA${Buffer.from(roleArn).toString("hex").slice(-16).toUpperCase()}:${session}`;
  const secret = randomBytes(20).toString("hex");
  const token = randomBytes(48).toString("base64");
  world.sessions.set(accessKeyId, { arn, id, account, secret, token });
  const expiration = new Date(world.clock.wallMs() + durationS * 1_000);
  return {
    AssumedRoleUser: { AssumedRoleId: id, Arn: arn },
    Credentials: {
      AccessKeyId: accessKeyId,
      SecretAccessKey: secret,
      SessionToken: token,
      Expiration: `${expiration.toISOString().slice(0, 19)}Z`,
    },
  };
}

const invalid = (message: string): AwsError => new AwsError("ValidationError", 400, message);
