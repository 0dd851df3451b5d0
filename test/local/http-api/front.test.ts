// An HTTP API over real HTTP: the event that the function gets, the answer that the client gets.
import { expect, it } from "vitest";
import { requestThrottle } from "../../../src/model/request-throttle.ts";
import { outcomeOf, route, send, startGateway } from "./gateway.ts";

it("sends payload format 2.0 with decoded path, joined duplicates, cookies and text body", async () => {
  await using gateway = await startGateway({
    stage: "prod",
    routes: [route("POST", "/product/{id}")],
  });
  await send(
    gateway.front,
    "POST",
    "/prod/product/a%20b?size=xl&color=red&size=s&q=a+b%26",
    [
      ...["User-Agent", "unit/1.0", "X-Tag", "one", "x-tag", "two"],
      ...["Cookie", "a=1; b=2", "Content-Type", "application/json; charset=utf-8"],
      ...["X-Amzn-Trace-Id", "Root=1-00000000-000000000000000000000001"],
    ],
    '{"größe":1}',
  );
  const requestId = "gICAgICAgICAgIA=";
  const path = "/prod/product/a b";
  expect(gateway.calls).toEqual([
    {
      functionName: "unit",
      options: { traceId: null, tail: false },
      event: {
        version: "2.0",
        routeKey: "POST /product/{id}",
        rawPath: path,
        rawQueryString: "size=xl&color=red&size=s&q=a+b%26",
        cookies: ["a=1", "b=2"],
        headers: {
          host: "shop.test",
          "user-agent": "unit/1.0",
          "x-tag": "one,two",
          "content-type": "application/json; charset=utf-8",
          "content-length": "13",
          "x-amzn-trace-id": "Root=1-00000000-000000000000000000000001",
          "x-forwarded-for": "127.0.0.1",
          "x-forwarded-proto": "https",
          "x-forwarded-port": "443",
        },
        queryStringParameters: { size: "xl,s", color: "red", q: "a b&" },
        requestContext: {
          accountId: "000000000000",
          apiId: "abcdefghij",
          domainName: "abcdefghij.execute-api.us-east-1.amazonaws.com",
          domainPrefix: "abcdefghij",
          http: {
            method: "POST",
            path,
            protocol: "HTTP/1.1",
            sourceIp: "127.0.0.1",
            userAgent: "unit/1.0",
          },
          requestId,
          routeKey: "POST /product/{id}",
          stage: "prod",
          time: "12/Mar/2026:19:03:58 +0000",
          timeEpoch: 1_773_342_238_000,
        },
        pathParameters: { id: "a b" },
        body: '{"größe":1}',
        isBase64Encoded: false,
      },
    },
  ]);
});

it("leaves out what a request has not, and sends other bodies as base64", async () => {
  await using gateway = await startGateway({ routes: [route("ANY", "/x")] });
  await send(gateway.front, "GET", "/x");
  await send(
    gateway.front,
    "POST",
    "/x",
    ["Content-Type", "application/x-www-form-urlencoded"],
    "a=1",
  );
  const [bare, form] = gateway.calls.map(({ event }) => event);
  expect(Object.keys(bare ?? {})).toEqual([
    ...["version", "routeKey", "rawPath", "rawQueryString", "headers", "requestContext"],
    "isBase64Encoded",
  ]);
  expect(form).toMatchObject({ body: "YT0x", isBase64Encoded: true });
});

it("sends payload format 1.0 to a route that asks for it", async () => {
  await using gateway = await startGateway({
    routes: [
      route("GET", "/p/{id}", {
        integration: { kind: "lambda", functionName: "unit", payloadVersion: "1.0" },
      }),
    ],
  });
  gateway.play({
    payload: '{"statusCode":200,"multiValueHeaders":{"Set-Cookie":["a=1","b=2"]},"body":"hi"}',
  });
  const answer = await send(gateway.front, "GET", "/p/7?a=1&a=2", ["X-Tag", "one", "X-Tag", "two"]);
  expect(answer).toMatchObject({ status: 200, body: "hi" });
  expect(answer.headers["set-cookie"]).toEqual(["a=1", "b=2"]);
  expect(gateway.calls[0]?.event).toMatchObject({
    version: "1.0",
    resource: "/p/{id}",
    path: "/p/7",
    httpMethod: "GET",
    headers: { "X-Tag": "two" },
    multiValueHeaders: { "X-Tag": ["one", "two"] },
    queryStringParameters: { a: "2" },
    multiValueQueryStringParameters: { a: ["1", "2"] },
    pathParameters: { id: "7" },
    stageVariables: null,
    body: null,
    isBase64Encoded: false,
  });
});

const HELLO = Buffer.from("hello").toString("base64");

it.each([
  ['{"a":1}', 200, "application/json", '{"a":1}'],
  ['"plain"', 200, "application/json", "plain"],
  ["null", 200, "application/json", "null"],
  ["[1]", 200, "application/json", "[1]"],
  ['{"statusCode":201}', 201, "text/plain; charset=utf-8", ""],
  [
    '{"statusCode":"404","headers":{"Content-Type":"text/html"},"body":"no"}',
    404,
    "text/html",
    "no",
  ],
  [`{"statusCode":200,"isBase64Encoded":true,"body":"${HELLO}"}`, 200, /^text/, "hello"],
  ['{"statusCode":200,"body":{"a":1}}', 500, "application/json", INTERNAL()],
  ['{"statusCode":"many","body":""}', 500, "application/json", INTERNAL()],
  ['{"statusCode":200,"headers":{"x":"a\\nb"}}', 500, "application/json", INTERNAL()],
])("answers the result %s with %i", async (payload, status, type, body) => {
  await using gateway = await startGateway({});
  gateway.play({ payload });
  const answer = await send(gateway.front, "POST", "/checkout");
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
  expect(answer.headers["content-type"]).toMatch(type);
  expect(answer.headers["apigw-requestid"]).toBe("gICAgICAgICAgIA=");
});

function INTERNAL(): string {
  return '{"message":"Internal Server Error"}';
}

it("sets every cookie of a result, and no framing header of its own", async () => {
  await using gateway = await startGateway({});
  gateway.play({
    payload: '{"statusCode":204,"cookies":["a=1","b=2"],"headers":{"Content-Length":"9","X":"y"}}',
  });
  const answer = await send(gateway.front, "POST", "/checkout");
  expect(answer.status).toBe(204);
  expect(answer.headers).toMatchObject({ "set-cookie": ["a=1", "b=2"], x: "y" });
  expect(answer.headers["content-length"]).toBeUndefined();
});

it.each([
  ["a throttle", { kind: "throttled", reason: "x" } as const, 503, "Service Unavailable"],
  ["a function error", { kind: "function-error" } as const, 500, "Internal Server Error"],
  ["a missing function", { kind: "not-found" } as const, 500, "Internal Server Error"],
])("answers %s as the gateway does", async (_, outcome, status, message) => {
  await using gateway = await startGateway({});
  gateway.play(outcome);
  const answer = await send(gateway.front, "POST", "/checkout");
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: JSON.stringify({ message }),
  });
  expect(answer.headers["apigw-requestid"]).toMatch(/^[\w-]{15}=$/);
});

it("answers 404 for what no route matches, also outside the stage", async () => {
  await using gateway = await startGateway({ stage: "prod" });
  const answers = [
    await send(gateway.front, "GET", "/prod/checkout"),
    await send(gateway.front, "POST", "/checkout"),
    await send(gateway.front, "POST", "/production/checkout"),
  ];
  expect(answers.map(({ status, body }) => [status, body])).toEqual(
    answers.map(() => [404, '{"message":"Not Found"}']),
  );
  expect((await send(gateway.front, "POST", "/prod/checkout")).status).toBe(200);
});

it("stops waiting at the integration's timeout with a 503", async () => {
  await using gateway = await startGateway({ routes: [route("GET", "/x", { timeoutMs: 20 })] });
  let finish: (() => void) | undefined;
  gateway.play(
    () =>
      new Promise((resolve) => {
        finish = () => resolve(outcomeOf({}));
      }),
  );
  const answer = await send(gateway.front, "GET", "/x");
  expect([answer.status, answer.body]).toEqual([503, '{"message":"Service Unavailable"}']);
  finish?.();
});

it.each([
  ["announced", []],
  ["not announced", ["Transfer-Encoding", "chunked"]],
])("refuses a body beyond 10 MB with 413 when its length is %s", async (_, headers) => {
  await using gateway = await startGateway({});
  const body = Buffer.alloc(10_485_761);
  const answer = await send(gateway.front, "POST", "/checkout", headers, body);
  expect([answer.status, answer.body]).toEqual([413, '{"message":"Request Entity Too Large"}']);
  expect(gateway.calls).toEqual([]);
});

it("answers HEAD without a body", async () => {
  await using gateway = await startGateway({ routes: [route("ANY", "/x")] });
  gateway.play({ payload: '{"a":1}' });
  const answer = await send(gateway.front, "HEAD", "/x");
  expect([answer.status, answer.headers["content-length"], answer.body]).toEqual([200, "7", ""]);
});

it("refuses with 429 beyond the account's request rate", async () => {
  await using gateway = await startGateway({}, requestThrottle(0, 2));
  const answers = [];
  for (let i = 0; i < 3; i++) answers.push(await send(gateway.front, "POST", "/checkout"));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(answers[2]?.body).toBe('{"message":"Too Many Requests"}');
});

it("refills the account's bucket continuously and never beyond its burst", () => {
  const throttle = requestThrottle(10, 2);
  const taken = [0, 0, 0, 50, 100, 100, 10_000, 10_000, 10_000].map((ms) => throttle.take(ms));
  expect(taken).toEqual([true, true, false, false, true, false, true, true, false]);
});
