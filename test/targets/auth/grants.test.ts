// Tokens from a user pool, as its protocol has it; what an error may say of them.
import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type CognitoGrant, cognitoToken } from "../../../src/targets/auth/grants.ts";
import { awsAnswers, type Told } from "../../support/aws-answers.ts";

const NOW = Date.UTC(2026, 10, 30);
const RESULT = { IdToken: "id-1", AccessToken: "access-1", ExpiresIn: 300 };
const ok = (body: object): Told => ({ status: 200, body: JSON.stringify(body) });

const ask = (endpoint: string, more: Partial<CognitoGrant> = {}) =>
  cognitoToken(
    {
      ...{ endpoint, clientId: "client", clientSecret: null },
      ...{ username: "anna", password: "hush-4714", token: "id" as const, ...more },
    },
    () => NOW,
  );

describe("a user's token", () => {
  test("is asked for unsigned, with the password, and ends when the pool says", async () => {
    await using pool = await awsAnswers(() => ok({ AuthenticationResult: RESULT }));
    expect(await ask(pool.endpoint)).toEqual({ value: "id-1", endsMs: NOW + 300_000 });
    expect(await ask(pool.endpoint, { token: "access" })).toMatchObject({ value: "access-1" });
    const [{ method, path, headers, body } = { method: "", path: "", headers: {}, body: "" }] =
      pool.asked;
    expect([method, path]).toEqual(["POST", "/"]);
    expect(headers).toMatchObject({
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": "AWSCognitoIdentityProviderService.InitiateAuth",
    });
    expect(headers.authorization).toBe(undefined);
    expect(JSON.parse(body)).toEqual({
      AuthFlow: "USER_PASSWORD_AUTH",
      ClientId: "client",
      AuthParameters: { USERNAME: "anna", PASSWORD: "hush-4714" },
    });
  });

  test("of a client with a secret carries its hash", async () => {
    await using pool = await awsAnswers(() => ok({ AuthenticationResult: RESULT }));
    await ask(pool.endpoint, { clientSecret: "client-secret" });
    const hash = createHmac("sha256", "client-secret").update("annaclient").digest("base64");
    const { AuthParameters } = JSON.parse(pool.asked[0]?.body ?? "{}");
    expect(AuthParameters.SECRET_HASH).toBe(hash);
  });

  test.each([
    [
      "a challenge",
      ok({ ChallengeName: "SMS_MFA", Session: "s" }),
      /asks for more than a password/,
    ],
    ["no token", ok({ AuthenticationResult: { AccessToken: "a" } }), /holds no token/],
    [
      "a refusal",
      { status: 400, body: '{"__type":"NotAuthorizedException","message":"anna hush-4714"}' },
      /answers 400 NotAuthorizedException$/,
    ],
    ["a page", { status: 502, body: "<html>hush-4714</html>" }, /answers 502$/],
  ])("that is not there is an error that quotes nothing: %s", async (_, told, text) => {
    await using pool = await awsAnswers(() => told);
    const error: unknown = await ask(pool.endpoint).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(text);
    expect(String(error)).not.toContain("hush-4714");
  });
});
