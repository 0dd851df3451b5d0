// Who acts for a purpose: the shell's or a profile's credentials, and the roles taken from there.
import { readFileSync } from "node:fs";
import { GatecrashError, messageOf } from "../core/error.ts";
import { isLoopback } from "../core/loopback.ts";
import type { IdentitySpec } from "../core/scenario.ts";
import { type ClientPlace, clientSettings } from "./client-settings.ts";
import type { Credentials } from "./sigv4.ts";

export interface IdentityPlace extends ClientPlace {
  /** Part of every session's name. */
  readonly runId: string;
  /** Wall time in ms. */
  readonly nowMs: () => number;
}

export interface Identity {
  /** Cached; a role is taken again before its session ends. Rejects when it cannot be. */
  readonly credentials: () => Promise<SessionCredentials>;
  /**
   * When it ends for good, in ms since 1970; null = it can be renewed, or has no end that is known.
   */
  endsMs(): Promise<number | null>;
}

export interface SessionCredentials extends Credentials {
  readonly expiration?: Date;
}

/** Never read by local AWS; a signature needs something. */
export const FAKE_CREDENTIALS: Credentials = {
  accessKeyId: "LOCALGATECRASH",
  secretAccessKey: "local-gatecrash-no-secret",
};

/** A session is renewed when less of it is left. */
const RENEW_MS = 5 * 60_000;

export const SHELL: IdentitySpec = {
  ...{ profile: null, roles: [], externalId: null, webIdentityFile: null, sessionS: 3_600 },
};

/** Nothing is asked of AWS before the first credentials are. */
export function identityOf(spec: IdentitySpec, place: IdentityPlace): Identity {
  const own = shellCredentials(spec.profile, place);
  const [first, ...rest] = spec.roles;
  if (first === undefined) return { credentials: own, endsMs: async () => hardEnd(await own()) };
  const token = spec.webIdentityFile;
  const start = token === null ? roleFrom(own, first, spec, place) : withToken(token, spec, place);
  const credentials = rest.reduce(
    (from: () => Promise<SessionCredentials>, role) => roleFrom(from, role, spec, place),
    start,
  );
  return {
    credentials,
    async endsMs() {
      if (token === null) return hardEnd(await own());
      const session = (await credentials()).expiration?.getTime() ?? 0;
      const tokenMs = tokenEndMs(readToken(token));
      return tokenMs === null ? null : Math.max(session, tokenMs);
    },
  };
}

/**
 * Keys that stand in the environment with their end are not renewed by anybody; whatever else the
 * SDK finds (SSO, a profile's role, an instance), it renews. A rehearsal takes only the end.
 */
function hardEnd({ expiration }: SessionCredentials): number | null {
  const said = process.env.AWS_CREDENTIAL_EXPIRATION;
  if (said === undefined || Number.isNaN(Date.parse(said))) return null;
  return expiration?.getTime() === Date.parse(said) ? Date.parse(said) : null;
}

/** What the SDK's default chain finds, with a profile or without; made up on loopback. */
export function shellCredentials(profile: string | null, place: ClientPlace) {
  if (isLoopback(place.endpoint)) return async () => withEnd(FAKE_CREDENTIALS);
  const provider = import("@aws-sdk/client-sts").then(
    ({ STSClient }) =>
      new STSClient({ region: place.region, ...(profile === null ? {} : { profile }) }).config
        .credentials,
  );
  provider.catch(() => {}); // told to whoever asks
  return async (): Promise<SessionCredentials> => {
    const found = await (await provider)();
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = found;
    return {
      ...{ accessKeyId, secretAccessKey },
      ...(sessionToken === undefined ? {} : { sessionToken }),
      ...(expiration === undefined ? {} : { expiration }),
    };
  };
}

function withEnd(credentials: Credentials): SessionCredentials {
  const said = process.env.AWS_CREDENTIAL_EXPIRATION ?? "";
  if (Number.isNaN(Date.parse(said))) return credentials;
  return { ...credentials, expiration: new Date(said) };
}

function roleFrom(
  from: () => Promise<SessionCredentials>,
  role: string,
  { externalId, sessionS, roles }: IdentitySpec,
  place: IdentityPlace,
) {
  const isLast = role === roles.at(-1);
  return renewed(place, role, async () => {
    const [{ STSClient, AssumeRoleCommand }, settings] = await sts(place);
    const client = new STSClient({ ...settings, region: place.region, credentials: await from() });
    const input = {
      ...{ RoleArn: role, RoleSessionName: sessionName(place), DurationSeconds: sessionS },
      ...(externalId === null || !isLast ? {} : { ExternalId: externalId }),
    };
    return (await client.send(new AssumeRoleCommand(input))).Credentials;
  });
}

function withToken(file: string, { roles, sessionS }: IdentitySpec, place: IdentityPlace) {
  const role = roles[0]!;
  return renewed(place, role, async () => {
    const [{ STSClient, AssumeRoleWithWebIdentityCommand }, settings] = await sts(place);
    const client = new STSClient({ ...settings, region: place.region });
    const input = {
      ...{ RoleArn: role, RoleSessionName: sessionName(place), DurationSeconds: sessionS },
      WebIdentityToken: readToken(file),
    };
    return (await client.send(new AssumeRoleWithWebIdentityCommand(input))).Credentials;
  });
}

const sts = (place: IdentityPlace) =>
  Promise.all([import("@aws-sdk/client-sts"), clientSettings(place)]);

interface Session {
  readonly AccessKeyId?: string | undefined;
  readonly SecretAccessKey?: string | undefined;
  readonly SessionToken?: string | undefined;
  readonly Expiration?: Date | undefined;
}

/** The same session for all until it is about to end; one renewal at a time. */
function renewed(place: IdentityPlace, role: string, take: () => Promise<Session | undefined>) {
  let kept: SessionCredentials | null = null;
  let taking: Promise<SessionCredentials> | null = null;
  const fresh = async (): Promise<SessionCredentials> => {
    try {
      kept = credentialsIn(await take());
      return kept;
    } catch (cause) {
      if (kept?.expiration !== undefined && kept.expiration.getTime() > place.nowMs()) return kept;
      throw new GatecrashError("aws", `role ${role} could not be taken: ${messageOf(cause)}`, {
        hint: "does its trust policy name you, and is the external id right?",
        cause,
      });
    } finally {
      taking = null;
    }
  };
  return async (): Promise<SessionCredentials> => {
    const endMs = kept?.expiration?.getTime() ?? 0;
    if (kept !== null && endMs - place.nowMs() > RENEW_MS) return kept;
    taking ??= fresh();
    return taking;
  };
}

function credentialsIn(session: Session | undefined): SessionCredentials {
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = session ?? {};
  if (AccessKeyId === undefined || SecretAccessKey === undefined)
    throw new Error("STS gave no credentials");
  return {
    ...{ accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey },
    ...(SessionToken === undefined ? {} : { sessionToken: SessionToken }),
    ...(Expiration === undefined ? {} : { expiration: Expiration }),
  };
}

const sessionName = ({ runId }: IdentityPlace): string =>
  `gatecrash-${runId.replaceAll(/[^\w+=,.@-]/g, "-")}`.slice(0, 64);

function readToken(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (cause) {
    throw new GatecrashError("input", `no web identity token: ${messageOf(cause)}`, { cause });
  }
}

/** `exp` of a JSON web token, in ms; null when it has none. */
function tokenEndMs(token: string): number | null {
  try {
    const claims: unknown = JSON.parse(
      Buffer.from(token.split(".")[1] ?? "", "base64url").toString(),
    );
    const exp: unknown =
      typeof claims === "object" && claims !== null && Reflect.get(claims, "exp");
    return typeof exp === "number" ? exp * 1_000 : null;
  } catch {
    return null;
  }
}
