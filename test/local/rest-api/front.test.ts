// A REST API over real HTTP: the event that the function gets, the answer that the client gets.
import { expect, it } from "vitest";
import type { InvokeOutcome } from "../../../src/local/function-host.ts";
import { requestThrottle } from "../../../src/model/request-throttle.ts";
import { LAMBDA_ID, NOW_MS, outcomeOf } from "../http-api/gateway.ts";
import { EXTENDED_ID, formatOf, method, REQUEST_ID, startRestGateway } from "./gateway.ts";

const TRACE = "1-69b30e1e-888888888888888888888888";

it("sends payload format 1.0 with the path encoded and without its stage", async () => {
  await using gateway = await startRestGateway({ methods: [method("POST", "/product/{id}")] });
  await gateway.ask(
    "POST",
    "/prod/product/a%20b?size=xl&color=red&size=s",
    ["User-Agent", "unit/1.0", "X-Tag", "one", "X-Tag", "two"],
    "größe",
  );
  const added = {
    "X-Amzn-Trace-Id": `Root=${TRACE};Sampled=0`,
    "X-Forwarded-For": "127.0.0.1",
    "X-Forwarded-Port": "443",
    "X-Forwarded-Proto": "https",
  };
  const sent = { Host: "shop.test", "User-Agent": "unit/1.0", "Content-Length": "7" };
  const nobody = [
    ...["accessKey", "accountId", "caller", "cognitoAuthenticationProvider", "user", "userArn"],
    ...["cognitoAuthenticationType", "cognitoIdentityId", "cognitoIdentityPoolId"],
    ...["principalOrgId"],
  ];
  expect(gateway.calls).toEqual([
    {
      functionName: "unit",
      options: { traceId: null, tail: false },
      event: {
        resource: "/product/{id}",
        path: "/product/a%20b",
        httpMethod: "POST",
        headers: { ...sent, "X-Tag": "two", ...added },
        multiValueHeaders: {
          ...Object.fromEntries(Object.entries({ ...sent, ...added }).map(([k, v]) => [k, [v]])),
          "X-Tag": ["one", "two"],
        },
        queryStringParameters: { size: "s", color: "red" },
        multiValueQueryStringParameters: { size: ["xl", "s"], color: ["red"] },
        requestContext: {
          accountId: "000000000000",
          apiId: "abcdefghij",
          deploymentId: expect.stringMatching(/^[a-z0-9]{6}$/),
          domainName: "abcdefghij.execute-api.us-east-1.amazonaws.com",
          domainPrefix: "abcdefghij",
          extendedRequestId: EXTENDED_ID,
          httpMethod: "POST",
          identity: {
            ...Object.fromEntries(nobody.map((name) => [name, null])),
            sourceIp: "127.0.0.1",
            userAgent: "unit/1.0",
          },
          path: "/prod/product/a%20b",
          protocol: "HTTP/1.1",
          requestId: REQUEST_ID,
          requestTime: "12/Mar/2026:19:03:58 +0000",
          requestTimeEpoch: NOW_MS,
          resourceId: expect.stringMatching(/^[a-z0-9]{6}$/),
          resourcePath: "/product/{id}",
          stage: "prod",
        },
        pathParameters: { id: "a b" },
        stageVariables: null,
        body: "größe",
        isBase64Encoded: false,
      },
    },
  ]);
});

it("says null for what a request has not", async () => {
  await using gateway = await startRestGateway({ methods: [method("GET", "/")] });
  await gateway.ask("GET", "/prod");
  expect(gateway.calls[0]?.event).toMatchObject({
    ...{ path: "/", queryStringParameters: null, multiValueQueryStringParameters: null },
    ...{ pathParameters: null, body: null, isBase64Encoded: false },
  });
});

it.each([
  ["GET", "/prod/a", "/a"],
  ["GET", "/prod/a/", "/a"],
  ["GET", "/prod/b/c/", "/{proxy+}"],
  ["PUT", "/prod/any", "/any"],
])("%s %s is served by %s", async (name, path, resource) => {
  const methods = [method("GET", "/a"), method("ANY", "/any"), method("GET", "/{proxy+}")];
  await using gateway = await startRestGateway({ methods });
  expect((await gateway.ask(name, path)).status).toBe(200);
  expect(gateway.calls[0]?.event).toMatchObject({ resource });
});

it("a resource that has not the method does not fall back to a wider one", async () => {
  const methods = [method("GET", "/a"), method("ANY", "/{proxy+}")];
  await using gateway = await startRestGateway({ methods });
  expect(await gateway.ask("POST", "/prod/a")).toMatchObject({
    status: 403,
    body: '{"message":"Missing Authentication Token"}',
    headers: { "x-amzn-errortype": "MissingAuthenticationTokenException" },
  });
});

it("a stage that is not there is forbidden, and nobody's access log has it", async () => {
  await using gateway = await startRestGateway({ accessLog: { group: "g", format: "x" } });
  expect(await gateway.ask("POST", "/other/checkout")).toMatchObject({
    status: 403,
    body: '{"message":"Forbidden"}',
    headers: { "x-amzn-errortype": "ForbiddenException" },
  });
  expect(gateway.lines).toEqual([]);
});

it("answers what the function says, with the gateway's ids", async () => {
  await using gateway = await startRestGateway();
  const result = {
    ...{ statusCode: "201", body: "made" },
    headers: { "X-A": 1, date: "never" },
    multiValueHeaders: { "Set-Cookie": ["a=1", "b=2"] },
  };
  gateway.play({ payload: JSON.stringify(result) });
  const answer = await gateway.ask("POST", "/prod/checkout");
  expect(answer).toMatchObject({ status: 201, body: "made" });
  expect(answer.headers).toMatchObject({
    "x-a": "1",
    "content-type": "application/json",
    "set-cookie": ["a=1", "b=2"],
    "x-amzn-remapped-date": "never",
    "x-amzn-requestid": REQUEST_ID,
    "x-amz-apigw-id": EXTENDED_ID,
    "x-amzn-trace-id": `Root=${TRACE};Sampled=0`,
  });
});

const LOGGED = [
  ...["requestId", "extendedRequestId", "resourcePath", "path", "status", "integrationStatus"],
  ...["integration.status", "integrationLatency", "awsEndpointRequestId", "responseLatency"],
  ...["error.message", "error.responseType", "integration.error", "xrayTraceId"],
];
const FAILED = '{"message": "Internal server error"}';

type Told = [string, Partial<InvokeOutcome>, number, string, string[]];
const TOLD: Told[] = [
  ["a success", { payload: '{"statusCode":201}' }, 201, "", ["200", "201", "-", "-", "-"]],
  ["an empty result", { payload: "{}" }, 200, "", ["200", "200", "-", "-", "-"]],
  [
    "a throttled function",
    { kind: "throttled" },
    500,
    FAILED,
    ["429", "-", "Internal server error", "INTEGRATION_FAILURE", "Rate Exceeded."],
  ],
  [
    "a function that fails",
    { kind: "function-error", payload: '{"errorMessage":"x"}' },
    502,
    FAILED,
    ["200", "-", "Internal server error", "DEFAULT_5XX", "The Lambda function returned an error."],
  ],
  ...['{"statusCode":200,"message":"x"}', "null", '"text"', '{"body":{}}', '{"statusCode":"x"}']
    .concat('{"headers":{"a b":"c"}}', '{"headers":["a"]}', '{"multiValueHeaders":{"a":"b"}}')
    .map((payload): Told => {
      const error = "Malformed Lambda proxy response";
      const told = ["200", "-", "Internal server error", "DEFAULT_5XX", error];
      return [`the result ${payload}`, { payload }, 502, FAILED, told];
    }),
];

it.each(TOLD)("%s is told in answer and access log", async (_, outcome, status, body, told) => {
  const accessLog = { group: "/shop/access", format: formatOf(LOGGED) };
  await using gateway = await startRestGateway({ accessLog });
  gateway.play(outcomeOf(outcome));
  gateway.takes(31);
  const answer = await gateway.ask("POST", "/prod/checkout?x=1");
  expect([answer.status, answer.body]).toEqual([status, body]);
  expect(answer.headers["x-amzn-errortype"]).toBe(
    status < 500 ? undefined : "InternalServerErrorException",
  );
  const [integrationStatus, own, message, type, error] = told;
  expect(gateway.lines.map((line) => ({ ...line, message: JSON.parse(line.message) }))).toEqual([
    {
      group: "/shop/access",
      stream: "cfcd208495d565ef66e7dff9f98764da",
      atEpochMs: NOW_MS + 31,
      message: {
        requestId: REQUEST_ID,
        extendedRequestId: EXTENDED_ID,
        resourcePath: "/checkout",
        path: "/prod/checkout",
        status: String(status),
        integrationStatus,
        "integration.status": own,
        integrationLatency: "31",
        awsEndpointRequestId: LAMBDA_ID,
        responseLatency: "31",
        "error.message": message,
        "error.responseType": type,
        "integration.error": error,
        xrayTraceId: "-",
      },
    },
  ]);
});

it("stops waiting at the integration's timeout", async () => {
  const methods = [method("GET", "/slow", { timeoutMs: 50 })];
  await using gateway = await startRestGateway({ methods });
  gateway.play(() => new Promise(() => {}));
  expect(await gateway.ask("GET", "/prod/slow")).toMatchObject({
    status: 504,
    body: '{"message": "Endpoint request timed out"}',
    headers: { "x-amzn-errortype": "InternalServerErrorException" },
  });
});

it("answers an invoker that breaks with a 500", async () => {
  await using gateway = await startRestGateway();
  gateway.play(() => Promise.reject(new Error("broken")));
  expect(await gateway.ask("POST", "/prod/checkout")).toMatchObject({ status: 500, body: FAILED });
});

it("bodies are bytes only where the API says so", async () => {
  const methods = [method("POST", "/pdf")];
  await using plain = await startRestGateway({ methods });
  await using binary = await startRestGateway({ methods, binaryTypes: ["application/pdf"] });
  const result = { body: "AAEC", isBase64Encoded: true, headers: { "content-type": "x/y" } };
  const headers = ["Content-Type", "application/pdf", "Accept", "application/pdf, */*"];
  const bodies: unknown[] = [];
  for (const gateway of [plain, binary]) {
    gateway.play({ payload: JSON.stringify(result) });
    const { body } = await gateway.ask("POST", "/prod/pdf", headers, Buffer.from([1, 2]));
    const { event } = gateway.calls[0]!;
    bodies.push([body, event.body, event.isBase64Encoded]);
  }
  expect(bodies).toEqual([
    ["AAEC", "\x01\x02", false],
    ["\x00\x01\x02", "AQI=", true],
  ]);
});

it("a body over ten megabytes is refused", async () => {
  await using gateway = await startRestGateway();
  const answer = await gateway.ask("POST", "/prod/checkout", [], Buffer.alloc(10_485_761));
  expect([answer.status, answer.headers["x-amzn-errortype"]]).toEqual([
    413,
    "RequestTooLargeException",
  ]);
  expect(gateway.calls).toEqual([]);
});

it("a client may choose the request id, and only a UUID", async () => {
  await using gateway = await startRestGateway();
  const chosen = "11111111-2222-4333-8444-555555555555";
  const ids: unknown[] = [];
  for (const id of [chosen, "mine"]) {
    const { headers } = await gateway.ask("POST", "/prod/checkout", ["x-amzn-RequestId", id]);
    ids.push(headers["x-amzn-requestid"]);
  }
  expect(ids).toEqual([chosen, "UUID_REPLACED_INVALID_REQUEST_ID"]);
});

it("each method has its own bucket, and the most specific setting is its size", async () => {
  const methods = [method("GET", "/a"), method("POST", "/a"), method("GET", "/b")];
  const throttles = [
    { method: "*", path: "/*", ratePerSecond: 1, burst: 2 },
    { method: "POST", path: "/a", ratePerSecond: 1, burst: 1 },
  ];
  await using gateway = await startRestGateway({ methods, throttles });
  const seen: number[] = [];
  for (const [name, path] of [
    ...["a", "a", "a", "b"].map((at) => ["GET", `/prod/${at}`] as const),
    ...["a", "a"].map((at) => ["POST", `/prod/${at}`] as const),
  ])
    seen.push((await gateway.ask(name, path)).status);
  expect(seen).toEqual([200, 200, 429, 200, 200, 429]);
  gateway.pass(1_000);
  expect((await gateway.ask("POST", "/prod/a")).status).toBe(200);
});

it("the account's throttle is shared, and says so as the stage's does", async () => {
  const throttle = requestThrottle(1, 1);
  const accessLog = { group: "g", format: formatOf(["error.responseType", "integrationLatency"]) };
  await using one = await startRestGateway({ accessLog }, throttle);
  await using other = await startRestGateway({ accessLog }, throttle);
  expect((await one.ask("POST", "/prod/checkout")).status).toBe(200);
  expect(await other.ask("POST", "/prod/checkout")).toMatchObject({
    status: 429,
    body: '{"message":"Too Many Requests"}',
    headers: { "x-amzn-errortype": "TooManyRequestsException" },
  });
  expect(other.lines.map(({ message }) => JSON.parse(message))).toEqual([
    { "error.responseType": "THROTTLED", integrationLatency: "-" },
  ]);
});
