// Access-log lines of an API Gateway: JSON of our templates, of other people, and broken.
import { expect, test } from "vitest";
import { parseAccessLine } from "../../src/observe/access-log.ts";
import { emptyRow } from "../../src/observe/platform-event.ts";

const PLACE = { function: null, stream: "prod", atMs: 5 };
const LAMBDA = "5d1c7a52-0d8e-4c0a-9a51-6f2b1f7a9c01";

test("a line becomes an access row, its time that of the request", () => {
  const line = JSON.stringify({
    requestId: "Abc1dEFgHijKlmn=",
    routeKey: "POST /checkout",
    path: "/checkout",
    status: "503",
    integrationStatus: "429",
    awsEndpointRequestId: LAMBDA,
    requestTimeEpoch: "1788773400123",
    integrationLatency: "11",
    responseLatency: "14",
    integrationErrorMessage: "Rate Exceeded.",
  });
  expect(parseAccessLine(line, PLACE)).toEqual({
    ...emptyRow("access", PLACE),
    request_id: LAMBDA,
    front_request_id: "Abc1dEFgHijKlmn=",
    at: 1_788_773_400_123,
    duration: 14,
    status: "503",
    error_type: "Rate Exceeded.",
    integration_status: 429,
  });
});

test("a dash is nothing: no integration was asked", () => {
  const line =
    '{"requestId":"r","status":"404","integrationStatus":"-","awsEndpointRequestId":"-"}';
  const row = parseAccessLine(line, PLACE);
  expect([row?.request_id, row?.integration_status, row?.at, row?.status]).toEqual([
    null,
    null,
    5,
    "404",
  ]);
});

test("numbers may be numbers, and variables may keep their dotted names", () => {
  const line = `{"requestId":"r","status":200,"integration.requestId":"${LAMBDA}","integration.integrationStatus":200}`;
  expect(parseAccessLine(line, PLACE)).toMatchObject({
    request_id: LAMBDA,
    status: "200",
    integration_status: 200,
  });
});

test("a line that an error's own quotes broke is still read", () => {
  const line = `{"requestId":"r","error":"said "no" twice","status":"500","awsEndpointRequestId":"${LAMBDA}","integrationStatus":200}`;
  expect(parseAccessLine(line, PLACE)).toMatchObject({
    front_request_id: "r",
    request_id: LAMBDA,
    status: "500",
    integration_status: 200,
  });
});

test.each(['1.2.3.4 - - [x] "GET /"', "{}", '{"status":"200"}', "[]", "null", '{"requestId":"-"}'])(
  "%s holds no request id",
  (line) => {
    expect(parseAccessLine(line, PLACE)).toBeNull();
  },
);

test.each([
  ["says so", { responseType: "QUOTA_EXCEEDED" }, "QUOTA_EXCEEDED"],
  ["names it as people copy it", { "error.responseType": "WAF_FILTERED" }, "WAF_FILTERED"],
  ["has a firewall's answer", { wafResponseCode: "WAF_BLOCK" }, "WAF_FILTERED"],
  ["has a firewall's status", { "waf.status": "403" }, "WAF_FILTERED"],
  ["was not authenticated", { "authenticate.status": "401" }, "UNAUTHORIZED"],
  ["was not authorized", { "authorize.status": 403 }, "ACCESS_DENIED"],
  [
    "failed behind the gateway",
    { responseType: "INTEGRATION_FAILURE", integrationErrorMessage: "late" },
    "late",
  ],
  ["passed a firewall", { wafResponseCode: "WAF_ALLOW", "waf.status": "200" }, null],
])("why the gateway answered by itself is kept of a line that %s", (_, fields, type) => {
  const line = JSON.stringify({ requestId: "r", status: "403", ...fields });
  expect(parseAccessLine(line, PLACE)?.error_type).toBe(type);
});
