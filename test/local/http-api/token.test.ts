// Tokens against a real issuer on loopback: whose signature counts, and what a refusal says.
import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HttpAuthorizerSpec } from "../../../src/local/template/http-authorizers.ts";
import { NOW_MS, outcomeOf, route, send, startGateway } from "./gateway.ts";

const rsa = (): { publicKey: KeyObject; privateKey: KeyObject } =>
  generateKeyPairSync("rsa", { modulusLength: 2_048 });
const [ours, other] = [rsa(), rsa()];
const curve = generateKeyPairSync("ec", { namedCurve: "P-256" });

let server: Server;
let issuer = "";
let keys: object[] = [];
let asked: string[] = [];
let jwksUri: () => string = () => `${issuer}/keys`;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const isDiscovery = request.url === "/.well-known/openid-configuration";
    if (!isDiscovery && request.url !== "/keys") return void response.writeHead(404).end("{}");
    response.end(JSON.stringify(isDiscovery ? { issuer, jwks_uri: jwksUri() } : { keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

const jwk = (key: KeyObject, more: object): object => ({
  ...key.export({ format: "jwk" }),
  ...more,
});
const NOW_S = NOW_MS / 1_000;
const claims = (more: object = {}): object => ({
  ...{ iss: issuer, aud: "shop", iat: NOW_S - 60, exp: NOW_S + 60, scope: "read", ...more },
});

function tokenOf(payload: object, key: KeyObject, head: object = {}): string {
  const all = { alg: "RS256", kid: "one", ...head };
  const parts = [all, payload].map((one) => Buffer.from(JSON.stringify(one)).toString("base64url"));
  const digest = all.alg.endsWith("512") ? "RSA-SHA512" : "RSA-SHA256";
  const signature = createSign(digest).update(parts.join(".")).sign(key).toString("base64url");
  return [...parts, signature].join(".");
}

async function start(more: object = {}) {
  keys = [jwk(ours.publicKey, { kid: "one", alg: "RS256", use: "sig" })];
  asked = [];
  jwksUri = () => `${issuer}/keys`;
  const authorizer: Extract<HttpAuthorizerSpec, { kind: "jwt" }> = {
    ...{ kind: "jwt", header: "authorization", issuer, audience: ["shop"], scopes: [], ...more },
  };
  const gateway = await startGateway({ routes: [route("GET", "/a", { authorizer })] });
  gateway.play(async () => outcomeOf({ payload: '"hi"' }));
  return {
    ask: async (token: string | null) => {
      const headers = token === null ? [] : ["Authorization", `Bearer ${token}`];
      const { status, headers: said, body } = await send(gateway.front, "GET", "/a", headers);
      return { status, said: String(said["www-authenticate"] ?? ""), body };
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

const invalid = (why: string): object => ({
  ...{ status: 401, body: '{"message":"Unauthorized"}' },
  said: `Bearer scope="" error="invalid_token" error_description="${why}"`,
});

describe("a token", () => {
  it("signed by a key of its issuer is good, and its keys are fetched once", async () => {
    await using api = await start();
    for (let i = 0; i < 3; i++)
      expect((await api.ask(tokenOf(claims(), ours.privateKey))).status).toBe(200);
    expect(asked).toEqual(["/.well-known/openid-configuration", "/keys"]);
  });

  it.each<[string, () => string | null, string]>([
    ["no proper form", () => "x.y", "token contains an invalid number of segments"],
    ["no JSON", () => "x.y.z", "token is malformed"],
    ["another's signature", () => tokenOf(claims(), other.privateKey), "signature is invalid"],
    [
      "changed claims",
      () => {
        const [head, , signature] = tokenOf(claims(), ours.privateKey).split(".");
        const body = Buffer.from(JSON.stringify(claims({ sub: "root" }))).toString("base64url");
        return [head, body, signature].join(".");
      },
      "signature is invalid",
    ],
    [
      "no signature",
      () => `${tokenOf(claims(), ours.privateKey, { alg: "none" })}`,
      "signing method none is invalid",
    ],
    [
      "a secret as its key",
      () => tokenOf(claims(), ours.privateKey, { alg: "HS256" }),
      "signing method HS256 is invalid",
    ],
    [
      "an elliptic curve, which HTTP APIs do not take",
      () => tokenOf(claims(), curve.privateKey, { alg: "ES256" }),
      "signing method ES256 is invalid",
    ],
    [
      "a key that the issuer does not have",
      () => tokenOf(claims(), other.privateKey, { kid: "two" }),
      "the token's key is not among the issuer's",
    ],
    [
      "a key for another algorithm",
      () => tokenOf(claims(), ours.privateKey, { alg: "RS512" }),
      "the token's key is not among the issuer's",
    ],
    [
      "another issuer",
      () => tokenOf(claims({ iss: "x" }), ours.privateKey),
      "the token does not have a valid issuer",
    ],
    [
      "another audience",
      () => tokenOf(claims({ aud: "x", client_id: "shop" }), ours.privateKey),
      "the token does not have a valid audience",
    ],
    [
      "an end that has come",
      () => tokenOf(claims({ exp: NOW_S }), ours.privateKey),
      "the token has expired",
    ],
    [
      "a beginning to come",
      () => tokenOf(claims({ nbf: NOW_S + 9 }), ours.privateKey),
      "the token is not valid yet",
    ],
    [
      "an issue to come",
      () => tokenOf(claims({ iat: NOW_S + 9 }), ours.privateKey),
      "the token was issued in the future",
    ],
  ])("with %s is refused, and told why", async (_, token, why) => {
    await using api = await start();
    expect(await api.ask(token())).toEqual(invalid(why));
  });

  it("of a client stands for its audience where it names none", async () => {
    await using api = await start();
    const token = tokenOf(claims({ aud: undefined, client_id: "shop" }), ours.privateKey);
    expect((await api.ask(token)).status).toBe(200);
  });

  it("that is missing is asked for", async () => {
    await using api = await start();
    expect(await api.ask(null)).toMatchObject({ status: 401, said: "Bearer" });
  });

  it("without a scope that is asked for is forbidden", async () => {
    await using api = await start({ scopes: ["write", "admin"] });
    expect(await api.ask(tokenOf(claims(), ours.privateKey))).toMatchObject({
      ...{ status: 403, body: '{"message":"Forbidden"}' },
      said: expect.stringContaining('Bearer scope="write admin" error="insufficient_scope"'),
    });
  });

  it("that names no key fits the only one", async () => {
    await using api = await start();
    const token = tokenOf(claims(), ours.privateKey, { kid: undefined });
    expect((await api.ask(token)).status).toBe(200);
  });
});

describe("an issuer", () => {
  it("that cannot be asked is no reason to let anybody in", async () => {
    await using api = await start();
    jwksUri = () => "https://keys.example/set"; // not on this machine, so not asked
    const lost = invalid("OIDC discovery endpoint communication error");
    expect(await api.ask(tokenOf(claims(), ours.privateKey))).toEqual(lost);
  });

  it("is not asked for every made-up key", async () => {
    await using api = await start();
    const token = tokenOf(claims(), other.privateKey, { kid: "two" });
    for (let i = 0; i < 20; i++) await api.ask(token);
    expect(asked.length).toBeLessThanOrEqual(4);
  });

  it("elsewhere is never asked: its signatures are not checked, its algorithms are", async () => {
    await using api = await start({ issuer: "https://id.example" });
    const far = { iss: "https://id.example" };
    expect((await api.ask(tokenOf(claims(far), other.privateKey))).status).toBe(200);
    expect((await api.ask(tokenOf(claims(far), other.privateKey, { alg: "none" }))).status).toBe(
      401,
    );
    expect(asked).toEqual([]);
  });
});
