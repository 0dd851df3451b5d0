// Access-log lines of real requests: one per request, with the ids that a join needs.
import { expect, it } from "vitest";
import { LAMBDA_ID, NOW_MS, outcomeOf, route, send, startGateway } from "./gateway.ts";

const NAMES = [
  ...["requestId", "routeKey", "path", "status", "requestTimeEpoch", "integrationStatus"],
  ...["awsEndpointRequestId", "integrationLatency", "responseLatency", "integrationErrorMessage"],
];
const FORMAT = `{${NAMES.map((name) => `"${name}":"$context.${name}"`).join(",")}}`;
const ID = "gICAgICAgICAgIA=";

it.each([
  [
    "a success",
    outcomeOf({ payload: '{"statusCode":201,"body":"hi"}' }),
    { status: "201", integrationStatus: "200", integrationErrorMessage: "-" },
  ],
  [
    "a throttle",
    outcomeOf({ kind: "throttled" }),
    { status: "503", integrationStatus: "429", integrationErrorMessage: "Rate Exceeded." },
  ],
  [
    "a function error",
    outcomeOf({ kind: "function-error" }),
    {
      status: "500",
      integrationStatus: "200",
      integrationErrorMessage: "The Lambda function returned an error.",
    },
  ],
])("tells %s", async (_, outcome, expected) => {
  await using gateway = await startGateway({
    accessLog: { group: "/shop/access", format: FORMAT },
  });
  gateway.play(outcome);
  gateway.takes(31);
  await send(gateway.front, "POST", "/checkout?x=1");
  expect(gateway.lines).toEqual([
    {
      group: "/shop/access",
      stream: "abcdefghij/default",
      atEpochMs: NOW_MS + 31,
      message: expect.any(String),
    },
  ]);
  expect(JSON.parse(gateway.lines[0]?.message ?? "")).toEqual({
    requestId: ID,
    routeKey: "POST /checkout",
    path: "/checkout",
    requestTimeEpoch: String(NOW_MS),
    awsEndpointRequestId: LAMBDA_ID,
    integrationLatency: "31",
    responseLatency: "31",
    ...expected,
  });
});

it("writes a dash for what there is not, and for unknown variables", async () => {
  await using gateway = await startGateway({ accessLog: { group: "g", format: FORMAT } });
  await send(gateway.front, "GET", "/nowhere");
  expect(JSON.parse(gateway.lines[0]?.message ?? "")).toEqual({
    requestId: ID,
    routeKey: "-",
    path: "/nowhere",
    status: "404",
    requestTimeEpoch: String(NOW_MS),
    integrationStatus: "-",
    awsEndpointRequestId: "-",
    integrationLatency: "-",
    responseLatency: "0",
    integrationErrorMessage: "-",
  });
});

it("fills every documented variable, longest name first", async () => {
  const format = [
    ...["$context.identity.sourceIp - [$context.requestTime] $context.httpMethod"],
    ...["$context.protocol $context.status $context.responseLength $context.extendedRequestId"],
    ...["$context.integration.integrationStatus $context.integration.status"],
    ...["$context.integration.requestId $context.error.message $context.identity.userAgent"],
    ...["$context.stage $context.apiId $context.nonsense $context.error.responseType."],
  ].join(" ");
  await using gateway = await startGateway({
    routes: [route("GET", "/x")],
    accessLog: { group: "g", format },
  });
  gateway.play({ payload: '{"statusCode":418,"body":"tea"}' });
  await send(gateway.front, "GET", "/x", ["User-Agent", "unit/1.0"]);
  await send(gateway.front, "GET", "/y");
  const time = "[12/Mar/2026:19:03:58 +0000]";
  expect(gateway.lines.map(({ message }) => message)).toEqual([
    `127.0.0.1 - ${time} GET HTTP/1.1 418 3 ${ID} 200 418 ${LAMBDA_ID} - unit/1.0` +
      " $default abcdefghij - -.",
    `127.0.0.1 - ${time} GET HTTP/1.1 404 23 ${ID} - - - Not Found -` +
      " $default abcdefghij - NOT_FOUND.",
  ]);
});
