// Authorizers of an HTTP API: who is nobody, who may not, and what the function learns.
import { expect, it } from "vitest";
import type { InvokeOutcome } from "../../../src/local/function-host.ts";
import type { HttpAuthorizerSpec } from "../../../src/local/template/http-authorizers.ts";
import { type Gateway, NOW_MS, outcomeOf, route, send, startGateway } from "./gateway.ts";

const LAMBDA: Extract<HttpAuthorizerSpec, { kind: "lambda" }> = {
  ...{ kind: "lambda", functionName: "auth", version: "2.0", isSimple: true, cacheS: 0 },
  identity: [{ in: "header", name: "x-token" }],
};
const JWT: Extract<HttpAuthorizerSpec, { kind: "jwt" }> = {
  ...{ kind: "jwt", header: "authorization", issuer: "https://id.example", audience: ["shop"] },
  scopes: ["write", "admin"],
};
const NOW_S = NOW_MS / 1_000;
const CLAIMS = { iss: "https://id.example", aud: ["x", "shop"], exp: NOW_S + 1, scope: "a write" };
const bearer = (claims: unknown): string[] => [
  "Authorization",
  `Bearer ${Buffer.from('{"alg":"RS256","kid":"k"}').toString("base64url")}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`,
];
const accessLog = { group: "g", format: "$context.status $context.error.responseType" };

async function start(authorizer: HttpAuthorizerSpec): Promise<Gateway> {
  const gateway = await startGateway({ routes: [route("GET", "/a", { authorizer })], accessLog });
  return gateway;
}

/** The authorizer is asked first; whatever is asked next is the function. */
function plays(gateway: Gateway, outcome: Partial<InvokeOutcome>): void {
  gateway.play(async () => {
    const { functionName } = gateway.calls.at(-1)!;
    return outcomeOf(functionName === "auth" ? outcome : { payload: '"hi"' });
  });
}

const policy = (Effect: string): object => ({
  principalId: "me",
  policyDocument: { Statement: [{ Effect, Action: "*", Resource: "*" }] },
});

it.each<[string, boolean, object | null, string]>([
  ["a simple yes", true, { isAuthorized: true }, "200 -"],
  ["a simple no", true, { isAuthorized: false }, "403 ACCESS_DENIED"],
  ["no answer", true, {}, "500 AUTHORIZER_FAILURE"],
  ["an allowing policy", false, policy("Allow"), "200 -"],
  ["a denying policy", false, policy("Deny"), "403 ACCESS_DENIED"],
  ["no policy", false, { isAuthorized: true }, "500 AUTHORIZER_FAILURE"],
])("%s of a function is told", async (_, isSimple, payload, told) => {
  await using gateway = await start({ ...LAMBDA, isSimple });
  plays(gateway, { payload: JSON.stringify(payload) });
  const { status } = await send(gateway.front, "GET", "/a", ["X-Token", "t"]);
  expect(gateway.lines.map(({ message }) => message)).toEqual([told]);
  expect(told.startsWith(String(status))).toBe(true);
});

it("without its token a function is not asked, and what it throws says who is nobody", async () => {
  await using gateway = await start(LAMBDA);
  expect(await send(gateway.front, "GET", "/a")).toMatchObject({
    ...{ status: 401, body: '{"message":"Unauthorized"}' },
  });
  expect(gateway.calls).toEqual([]);
  plays(gateway, { kind: "function-error", payload: '{"errorMessage":"Unauthorized"}' });
  expect((await send(gateway.front, "GET", "/a", ["X-Token", "t"])).status).toBe(401);
  plays(gateway, { kind: "throttled" });
  expect((await send(gateway.front, "GET", "/a", ["X-Token", "t"])).status).toBe(500);
});

it.each<["1.0" | "2.0", object, object]>([
  [
    "2.0",
    { version: "2.0", type: "REQUEST", identitySource: ["t"], routeKey: "GET /a" },
    { authorizer: { lambda: { plan: "big" } } },
  ],
  [
    "1.0",
    { version: "1.0", type: "REQUEST", identitySource: "t", authorizationToken: "t" },
    { routeKey: "GET /a", authorizer: { lambda: { principalId: "me", plan: "big" } } },
  ],
])("format %s asks with the request, and is kept", async (version, asked, context) => {
  const isSimple = version === "2.0";
  await using gateway = await start({ ...LAMBDA, version, isSimple, cacheS: 5 });
  const result = isSimple ? { isAuthorized: true } : policy("Allow");
  plays(gateway, { payload: JSON.stringify({ ...result, context: { plan: "big" } }) });
  for (let i = 0; i < 2; i++) await send(gateway.front, "GET", "/a", ["X-Token", "t"]);
  expect(gateway.calls.map(({ functionName }) => functionName)).toEqual(["auth", "unit", "unit"]);
  expect(gateway.calls[0]?.event).toMatchObject(asked);
  expect(gateway.calls[1]?.event).toMatchObject({ requestContext: context });
});

it.each<[string, string[], number]>([
  ["no token", [], 401],
  ["what is none", ["Authorization", "Bearer x"], 401],
  ["another issuer", bearer({ ...CLAIMS, iss: "https://other" }), 401],
  ["another audience", bearer({ ...CLAIMS, aud: "y" }), 401],
  ["an end that has come", bearer({ ...CLAIMS, exp: NOW_S }), 401],
  ["no end", bearer({ ...CLAIMS, exp: undefined }), 401],
  ["a beginning to come", bearer({ ...CLAIMS, nbf: NOW_S + 1 }), 401],
  ["claims that are none", bearer("x"), 401],
  ["no scope that is asked for", bearer({ ...CLAIMS, scope: "read" }), 403],
  ["one of the scopes", bearer(CLAIMS), 200],
])("a token with %s", async (_, headers, status) => {
  await using gateway = await start(JWT);
  expect((await send(gateway.front, "GET", "/a", headers)).status).toBe(status);
});

it("the function learns a token's claims as texts", async () => {
  await using gateway = await start(JWT);
  await send(gateway.front, "GET", "/a", bearer(CLAIMS));
  expect(gateway.calls[0]?.event).toMatchObject({
    requestContext: {
      authorizer: {
        jwt: { claims: { aud: "[x shop]", scope: "a write" }, scopes: ["write", "admin"] },
      },
    },
  });
});
