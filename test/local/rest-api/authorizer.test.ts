// Lambda authorizers of a REST API: who is refused, how it is told, and what is kept.
import { expect, it } from "vitest";
import type { InvokeOutcome } from "../../../src/local/function-host.ts";
import type { AuthorizerSpec } from "../../../src/local/template/rest-types.ts";
import { outcomeOf } from "../http-api/gateway.ts";
import { type Call, formatOf, method, type RestGateway, startRestGateway } from "./gateway.ts";

const TOKEN: AuthorizerSpec = {
  ...{ name: "tokens", type: "TOKEN", functionName: "auth", pattern: null, cacheS: 0 },
  identity: [{ in: "header", name: "authorization" }],
};
const ARN = "arn:aws:execute-api:us-east-1:000000000000:abcdefghij/prod";
const LOGGED = [
  ...["status", "error.responseType", "error.message", "authorizer.status", "authorizer.error"],
  ...["authorizer.principalId", "authorizer.plan", "authorizer.integrationStatus"],
  ...["authorizer.integrationLatency", "authorize.status", "integrationStatus"],
];
const ACCESS_LOG = { group: "g", format: formatOf(LOGGED) };

const policy = (effect: string, resource = "*", more: object = {}): string =>
  JSON.stringify({
    principalId: "user|a",
    policyDocument: {
      Version: "2012-10-17",
      Statement: [{ Effect: effect, Action: "execute-api:Invoke", Resource: resource }],
    },
    ...more,
  });

const start = (authorizer: AuthorizerSpec): Promise<RestGateway> => {
  const methods = [
    method("GET", "/carts/{id}", { authorizer }),
    method("POST", "/carts", { authorizer }),
  ];
  return startRestGateway({ methods, accessLog: ACCESS_LOG });
};

/** The authorizer answers so; the function behind it says hi. */
const authorizing =
  (outcome: Partial<InvokeOutcome>) =>
  async ({ functionName }: Call): Promise<InvokeOutcome> =>
    outcomeOf(functionName === "auth" ? outcome : { payload: '{"body":"hi"}' });

const BEARER = ["Authorization", "Bearer x"];
type Case = [
  string,
  Partial<InvokeOutcome>,
  number,
  string,
  string,
  string,
  { [name: string]: string },
];
const DENIED = "User is not authorized to access this resource";
const CASES: Case[] = [
  ["an allow", { payload: policy("Allow") }, 200, "-", "hi", "-", { "authorize.status": "200" }],
  [
    ...(["an explicit deny", { payload: policy("Deny") }, 403, "AccessDeniedException"] as const),
    ...([`{"message":"${DENIED} with an explicit deny"}`, "ACCESS_DENIED"] as const),
    { "authorize.status": "403", "error.message": `${DENIED} with an explicit deny` },
  ],
  [
    ...(["an allow of something else", { payload: policy("Allow", `${ARN}/POST/*`) }] as const),
    ...([403, "AccessDeniedException", `{"message":"${DENIED}"}`, "ACCESS_DENIED"] as const),
    { "authorize.status": "403", "error.message": DENIED },
  ],
  [
    "a function that knows nobody",
    { kind: "function-error", payload: '{"errorMessage":"Unauthorized","errorType":"Error"}' },
    ...([401, "UnauthorizedException", '{"message":"Unauthorized"}', "UNAUTHORIZED"] as const),
    { "authorizer.status": "401", "error.message": "Unauthorized" },
  ],
  [
    "a function that breaks",
    { kind: "function-error", payload: '{"errorMessage":"oh","errorType":"Error"}' },
    ...([500, "AuthorizerFailureException", '{"message":null}', "AUTHORIZER_FAILURE"] as const),
    { "authorizer.status": "500", "error.message": "-" },
  ],
  [
    "a throttled function",
    { kind: "throttled" },
    ...([500, "AuthorizerFailureException", '{"message":null}', "AUTHORIZER_FAILURE"] as const),
    { "authorizer.status": "500", "authorizer.integrationStatus": "429" },
  ],
  ...[
    '"yes"',
    '{"principalId":"a"}',
    policy("Perhaps"),
    policy("Allow", "*", { context: { a: [] } }),
  ]
    .concat('{"principalId":"a","policyDocument":{"Statement":[1]}}')
    .map((payload): Case => {
      const type = "AUTHORIZER_CONFIGURATION_ERROR";
      const errorType = "AuthorizerConfigurationException";
      return [payload, { payload }, 500, errorType, '{"message":null}', type, {}];
    }),
];

it.each(CASES)("%s is told in answer and access log", async (_, outcome, ...expected) => {
  const [status, errorType, body, responseType, told] = expected;
  await using gateway = await start(TOKEN);
  gateway.play(authorizing(outcome));
  const answer = await gateway.ask("GET", "/prod/carts/7", BEARER);
  expect([answer.status, answer.headers["x-amzn-errortype"] ?? "-", answer.body]).toEqual([
    ...[status, errorType, body],
  ]);
  expect(JSON.parse(gateway.lines[0]?.message ?? "")).toMatchObject({
    status: String(status),
    "error.responseType": responseType,
    ...told,
  });
  expect(gateway.calls.map(({ functionName }) => functionName)).toEqual([
    ...(status === 200 ? ["auth", "unit"] : ["auth"]),
  ]);
});

it("a token authorizer gets the token and the method's ARN", async () => {
  await using gateway = await start(TOKEN);
  gateway.play(authorizing({ payload: policy("Allow", `${ARN}/GET/carts/*`) }));
  expect((await gateway.ask("GET", "/prod/carts/7", BEARER)).status).toBe(200);
  expect(gateway.calls[0]?.event).toEqual({
    ...{ type: "TOKEN", authorizationToken: "Bearer x", methodArn: `${ARN}/GET/carts/7` },
  });
});

it("what it says of the caller is in the event and the log", async () => {
  await using gateway = await start(TOKEN);
  gateway.play(authorizing({ payload: policy("Allow", "*", { context: { plan: "big", n: 1 } }) }));
  await gateway.ask("GET", "/prod/carts/7", BEARER);
  expect(gateway.calls[1]?.event).toMatchObject({
    requestContext: {
      authorizer: { principalId: "user|a", plan: "big", n: "1", integrationLatency: 0 },
    },
  });
  expect(JSON.parse(gateway.lines[0]?.message ?? "")).toMatchObject({
    ...{ "authorizer.principalId": "user|a", "authorizer.plan": "big" },
  });
});

it.each([
  ["no token", TOKEN, []],
  ["a token of another form", { ...TOKEN, pattern: "^Basic .+$" }, BEARER],
  [
    "no identity source",
    { ...TOKEN, type: "REQUEST", identity: [{ in: "querystring", name: "who" }] },
    BEARER,
  ],
] as [string, AuthorizerSpec, string[]][])("%s asks nobody", async (_, authorizer, headers) => {
  await using gateway = await start(authorizer);
  expect(await gateway.ask("GET", "/prod/carts/7", headers)).toMatchObject({
    status: 401,
    body: '{"message":"Unauthorized"}',
    headers: { "x-amzn-errortype": "UnauthorizedException" },
  });
  expect(gateway.calls).toEqual([]);
  expect(JSON.parse(gateway.lines[0]?.message ?? "")).toMatchObject({
    ...{ "error.responseType": "UNAUTHORIZED", "authorizer.status": "401" },
  });
});

it("an authorizer of requests gets the request", async () => {
  const identity = [{ in: "querystring", name: "who" }] as const;
  await using gateway = await start({ ...TOKEN, type: "REQUEST", identity });
  gateway.play(authorizing({ payload: policy("Allow") }));
  await gateway.ask("GET", "/prod/carts/7?who=me");
  expect(gateway.calls[0]?.event).toMatchObject({
    ...{ type: "REQUEST", methodArn: `${ARN}/GET/carts/7`, resource: "/carts/{id}" },
    ...{ path: "/carts/7", httpMethod: "GET", queryStringParameters: { who: "me" } },
    ...{ pathParameters: { id: "7" }, requestContext: { stage: "prod" } },
  });
});

it("an answer is kept for its token, and applied to each method anew", async () => {
  await using gateway = await start({ ...TOKEN, cacheS: 10 });
  gateway.play(authorizing({ payload: policy("Allow", `${ARN}/GET/*`) }));
  const statuses = async (headers: string[]): Promise<number[]> => [
    (await gateway.ask("GET", "/prod/carts/7", headers)).status,
    (await gateway.ask("POST", "/prod/carts", headers)).status,
  ];
  const asked = (): number =>
    gateway.calls.filter(({ functionName }) => functionName === "auth").length;
  expect([await statuses(BEARER), asked()]).toEqual([[200, 403], 1]);
  expect([await statuses(["Authorization", "Bearer y"]), asked()]).toEqual([[200, 403], 2]);
  gateway.pass(10_000);
  expect([await statuses(BEARER), asked()]).toEqual([[200, 403], 3]);
});
