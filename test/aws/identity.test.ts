// Who acts: chained roles, external ids, web identities, profiles; named after the run.
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { identityOf, SHELL } from "../../src/aws/identity.ts";
import { awsAnswers, type Told } from "../support/aws-answers.ts";

const folder = mkdtempSync(join(tmpdir(), "gatecrash-identity-"));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

const NOW = Date.parse("2026-11-30T19:00:00Z");
const [FIRST, LAST] = ["first", "last"].map((name) => `arn:aws:iam::222222222222:role/${name}`);

/** Sessions in turn: KEY0, KEY1, …, each for `minutes`. */
function sessions(minutes: number) {
  let at = 0;
  return (): Told => {
    const ends = new Date(NOW + minutes * 60_000).toISOString();
    const session = `<AccessKeyId>KEY${at++}</AccessKeyId><SecretAccessKey>s</SecretAccessKey>
      <SessionToken>t</SessionToken><Expiration>${ends}</Expiration>`;
    const inner = `<Credentials>${session}</Credentials>`;
    const body = `<R><AssumeRoleResult>${inner}</AssumeRoleResult><AssumeRoleWithWebIdentityResult>${inner}</AssumeRoleWithWebIdentityResult></R>`;
    return { status: 200, headers: { "content-type": "text/xml" }, body };
  };
}

const placeAt = (endpoint: string, nowMs = () => NOW) => ({
  ...{ endpoint, region: "eu-west-1", runId: "2026-11-30T19-00Z-ab12", nowMs },
});

describe("a role", () => {
  test("is taken by way of others, with its external id, in the run's name", async () => {
    await using aws = await awsAnswers(sessions(60));
    const spec = { ...SHELL, roles: [FIRST!, LAST!], externalId: "x-1", sessionS: 1_800 };
    const { credentials } = identityOf(spec, placeAt(aws.endpoint));
    expect((await credentials()).accessKeyId).toBe("KEY1");
    const forms = aws.asked.map(({ body }) => new URLSearchParams(body));
    expect(forms.map((form) => form.get("RoleArn"))).toEqual([FIRST, LAST]);
    expect(forms.map((form) => form.get("ExternalId"))).toEqual([null, "x-1"]);
    expect(forms[1]?.get("RoleSessionName")).toBe("gatecrash-2026-11-30T19-00Z-ab12");
    expect(forms[1]?.get("DurationSeconds")).toBe("1800");
    expect(aws.asked[1]?.headers.authorization).toContain("Credential=KEY0/");
    expect(aws.asked[1]?.headers["user-agent"]).toContain("run/2026-11-30T19-00Z-ab12");
  });

  test("is kept for all, and taken again when its session is about to end", async () => {
    await using aws = await awsAnswers(sessions(60));
    let now = NOW;
    const place = placeAt(aws.endpoint, () => now);
    const { credentials } = identityOf({ ...SHELL, roles: [LAST!] }, place);
    const keys = await Promise.all([credentials(), credentials()]);
    expect(keys.map(({ accessKeyId }) => accessKeyId)).toEqual(["KEY0", "KEY0"]);
    now += 56 * 60_000;
    expect((await credentials()).accessKeyId).toBe("KEY1");
  });

  test("that cannot be taken again serves until its end, and then is an error", async () => {
    let broken = false;
    const take = sessions(60);
    const no = { status: 403, headers: { "content-type": "text/xml" }, body: "<E/>" };
    await using aws = await awsAnswers(() => (broken ? no : take()));
    let now = NOW;
    const place = placeAt(aws.endpoint, () => now);
    const { credentials } = identityOf({ ...SHELL, roles: [LAST!] }, place);
    await credentials();
    broken = true;
    now += 56 * 60_000;
    expect((await credentials()).accessKeyId).toBe("KEY0");
    now += 5 * 60_000;
    await expect(credentials()).rejects.toThrow(`role ${LAST} could not be taken`);
  });
});

describe("a web identity", () => {
  const tokenEnding = (ms: number): string => {
    const claims = Buffer.from(JSON.stringify({ exp: ms / 1_000 })).toString("base64url");
    return `e30.${claims}.sig`;
  };

  test("takes the first role unsigned, and ends with the later of session and token", async () => {
    await using aws = await awsAnswers(sessions(60));
    const file = join(folder, "token");
    writeFileSync(file, `${tokenEnding(NOW + 300_000)}\n`);
    const spec = { ...SHELL, roles: [FIRST!, LAST!], webIdentityFile: file };
    const identity = identityOf(spec, placeAt(aws.endpoint));
    expect((await identity.credentials()).accessKeyId).toBe("KEY1");
    const [first] = aws.asked;
    expect(first?.headers.authorization).toBe(undefined);
    expect(new URLSearchParams(first?.body).get("Action")).toBe("AssumeRoleWithWebIdentity");
    expect(await identity.endsMs()).toBe(NOW + 3_600_000);
    writeFileSync(file, tokenEnding(NOW + 7_200_000));
    expect(await identity.endsMs()).toBe(NOW + 7_200_000);
  });
});

describe("the shell's own", () => {
  test("are never used on loopback, only their end is", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAREAL");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "real");
    vi.stubEnv("AWS_CREDENTIAL_EXPIRATION", "2026-11-30T19:04:00Z");
    const identity = identityOf(SHELL, placeAt("http://127.0.0.1:1"));
    expect((await identity.credentials()).accessKeyId).toBe("LOCALGATECRASH");
    expect(await identity.endsMs()).toBe(Date.parse("2026-11-30T19:04:00Z"));
  });

  test("come from a profile on AWS, without asking anybody", async () => {
    const file = join(folder, "credentials");
    writeFileSync(file, "[dev]\naws_access_key_id = AKIADEV\naws_secret_access_key = s\n");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", file);
    vi.stubEnv("AWS_CONFIG_FILE", join(folder, "none"));
    const { credentials, endsMs } = identityOf({ ...SHELL, profile: "dev" }, placeAt("aws"));
    expect(await credentials()).toMatchObject({ accessKeyId: "AKIADEV", secretAccessKey: "s" });
    expect(await endsMs()).toBe(null);
  });

  test("come by single sign-on, with the token of whoever has signed in", async () => {
    const roleCredentials = {
      ...{ accessKeyId: "ASIASSO", secretAccessKey: "s", sessionToken: "t" },
      expiration: NOW + 3_600_000,
    };
    await using portal = await awsAnswers(() => {
      return { status: 200, body: JSON.stringify({ roleCredentials }) };
    });
    const config = join(folder, "config");
    const session =
      "[sso-session shop]\nsso_region = eu-west-1\nsso_start_url = https://shop.test\n";
    const profile = "sso_session = shop\nsso_account_id = 222222222222\nsso_role_name = Dev\n";
    writeFileSync(config, `${session}[profile mia]\n${profile}`);
    const cache = join(folder, ".aws", "sso", "cache");
    mkdirSync(cache, { recursive: true });
    const name = createHash("sha1").update("shop").digest("hex");
    const signedIn = { accessToken: "mias-token", expiresAt: "2099-01-01T00:00:00Z" };
    writeFileSync(join(cache, `${name}.json`), JSON.stringify(signedIn));
    vi.stubEnv("HOME", folder);
    vi.stubEnv("AWS_CONFIG_FILE", config);
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(folder, "none"));
    vi.stubEnv("AWS_ENDPOINT_URL_SSO", portal.endpoint);
    const { credentials, endsMs } = identityOf({ ...SHELL, profile: "mia" }, placeAt("aws"));
    expect(await credentials()).toMatchObject({ accessKeyId: "ASIASSO", sessionToken: "t" });
    const [asked] = portal.asked;
    expect(asked?.path).toBe("/federation/credentials?account_id=222222222222&role_name=Dev");
    expect(asked?.headers["x-amz-sso_bearer_token"]).toBe("mias-token");
    expect(await endsMs()).toBe(null); // the SDK renews it for as long as somebody is signed in
  });
});
