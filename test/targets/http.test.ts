// The http target: what every target promises, and how a front's responses are told apart.
import { describe, expect, it } from "vitest";
import type { Answer, HttpCall, Target } from "../../src/core/arrival.ts";
import { systemClock } from "../../src/run/clock.ts";
import { type HttpTargetOptions, httpTarget } from "../../src/targets/http.ts";
import { overRawServer } from "../conformance/raw-target.ts";
import { describeTarget } from "../conformance/target.ts";
import { closedPort, OK_RESPONSE, rawServer } from "../wire/raw-server.ts";

const { nowUs: now } = systemClock();
const GET: HttpCall = { kind: "http", method: "GET", path: "/a", headers: [], body: null };

function targetOf(url: string, more: Partial<HttpTargetOptions> = {}): Target {
  const ok = [{ from: 200, to: 299 }];
  return httpTarget({ url, now, timeoutUs: 5_000_000, ok, degraded: null, headers: [], ...more });
}

const send = (target: Target, call: HttpCall = GET): Promise<Answer> =>
  new Promise((resolve) => target.send(call, resolve));

/** The answer to one call that is answered with these head lines and this body. */
async function answerTo(head: string, body = "", more: Partial<HttpTargetOptions> = {}) {
  const response = `HTTP/1.1 ${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  await using server = await rawServer((_, socket) => socket.write(response));
  await using target = targetOf(server.url, more);
  return await send(target);
}

/** What the server got for one call. */
async function requestOf(path: string, call: HttpCall, more: Partial<HttpTargetOptions> = {}) {
  let request = "";
  await using server = await rawServer((text, socket) => {
    request = text.replaceAll(`:${server.port}`, ":PORT");
    socket.write(OK_RESPONSE);
  });
  await using target = targetOf(server.url + path, more);
  await send(target, call);
  return request;
}

const empty = (status: string): string => `HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`;

describeTarget({
  name: "http",
  open: overRawServer(
    GET,
    { ok: OK_RESPONSE, throttle: empty("429 Too Many Requests"), fail: empty("500 Oops") },
    targetOf,
  ),
});

describe("a response", () => {
  const reason = (name: string): string =>
    `{"Reason":"${name}","Type":"User","message":"Rate Exceeded."}`;
  const lambda = "429 Too Many Requests\r\nx-amzn-ErrorType: TooManyRequestsException";

  it.each<[string, string, string, Pick<Answer, "outcome" | "refusedBy" | "reason">]>([
    ["204", "204 No Content", "", { outcome: "ok", refusedBy: "", reason: "" }],
    ["404", "404 Not Found", "", { outcome: "errored", refusedBy: "", reason: "status" }],
    [
      "503 behind a gateway: nobody can tell yet",
      "503 Service Unavailable",
      '{"message":"Service Unavailable"}',
      { outcome: "errored", refusedBy: "", reason: "status" },
    ],
    [
      "429 of an HTTP API",
      "429 Too Many Requests\r\napigw-requestid: KlM3iGpOoAMEJ7g=",
      '{"message":"Too Many Requests"}',
      { outcome: "throttled", refusedBy: "gateway", reason: "" },
    ],
    [
      "429 of a REST API, which has the error type too",
      lambda,
      '{"message":"Too Many Requests"}',
      { outcome: "throttled", refusedBy: "gateway", reason: "" },
    ],
    [
      "429 of a function URL at its reserved concurrency",
      lambda,
      reason("ReservedFunctionConcurrentInvocationLimitExceeded"),
      { outcome: "throttled", refusedBy: "lambda.reserved", reason: "" },
    ],
    [
      "429 of a function URL at the account's concurrency",
      lambda,
      reason("ConcurrentInvocationLimitExceeded"),
      { outcome: "throttled", refusedBy: "lambda.account", reason: "" },
    ],
    [
      "429 of a function URL at its rate",
      lambda,
      reason("FunctionInvocationRateLimitExceeded"),
      { outcome: "throttled", refusedBy: "lambda.rate", reason: "" },
    ],
    [
      "429 of Lambda with a reason that is new",
      lambda,
      reason("ConcurrentSnapshotCreateLimitExceeded"),
      { outcome: "throttled", refusedBy: "lambda", reason: "" },
    ],
    [
      "429 that says Lambda's reason without its error type",
      "429 Too Many Requests",
      reason("ConcurrentInvocationLimitExceeded"),
      { outcome: "throttled", refusedBy: "application", reason: "" },
    ],
    [
      "429 whose body is no JSON",
      lambda,
      "<html>",
      { outcome: "throttled", refusedBy: "gateway", reason: "" },
    ],
  ])("%s", async (_, head, body, expected) => {
    const { outcome, refusedBy, reason: why } = await answerTo(head, body);
    expect({ outcome, refusedBy, reason: why }).toEqual(expected);
  });

  const ofRest = (status: string, type: string): string =>
    `${status}\r\nx-amzn-ErrorType: ${type}\r\nx-amz-apigw-id: AbCdEfGhIjKlMno=`;
  const said = (message: string): string => JSON.stringify({ message });
  const cloudFront = (text: string): string =>
    `<HTML><H1>403 ERROR</H1><H2>The request could not be satisfied.</H2>${text}<PRE>Generated by cloudfront (CloudFront)\nRequest ID: x</PRE></HTML>`;
  const page = (title: string): string =>
    `<html>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`;
  const fromCloudFront = "403 Forbidden\r\nServer: CloudFront\r\nX-Cache: Error from cloudfront";

  it.each<[string, string, string, Answer["refusedBy"]]>([
    [
      "a usage plan's quota",
      ofRest("429 No", "LimitExceededException"),
      said("Limit Exceeded"),
      "gateway.quota",
    ],
    [
      "a throttle",
      ofRest("429 No", "TooManyRequestsException"),
      said("Too Many Requests"),
      "gateway",
    ],
    ["an API key or a firewall", ofRest("403 No", "ForbiddenException"), said("Forbidden"), "edge"],
    [
      "a missing token",
      ofRest("401 No", "UnauthorizedException"),
      said("Unauthorized"),
      "authorizer",
    ],
    [
      "a denial",
      ofRest("403 No", "AccessDeniedException"),
      said("User is not authorized"),
      "authorizer",
    ],
    [
      "a signature",
      ofRest("403 No", "InvalidSignatureException:http://internal/"),
      said("no"),
      "authorizer",
    ],
    [
      "a status that a team has changed",
      ofRest("404 No", "ForbiddenException"),
      said("No"),
      "edge",
    ],
    ["CloudFront's firewall", fromCloudFront, cloudFront("Request blocked."), "waf"],
    [
      "CloudFront's countries",
      fromCloudFront,
      cloudFront("configured to block access from your country"),
      "cdn",
    ],
    [
      "a load balancer's firewall",
      "403 Forbidden\r\nServer: awselb/2.0",
      page("403 Forbidden"),
      "waf",
    ],
    [
      "a load balancer's login",
      "401 No\r\nServer: awselb/2.0",
      page("401 Authorization Required"),
      "authorizer",
    ],
  ])("of %s was refused before the system", async (_, head, body, refusedBy) => {
    const answer = await answerTo(head, body);
    expect([answer.outcome, answer.refusedBy, answer.reason]).toEqual(["throttled", refusedBy, ""]);
  });

  const httpApi = "apigw-requestid: KlM3iGpOoAMEJ7g=";
  it.each<[string, string, string]>([
    ["401 behind an HTTP API", `401 No\r\n${httpApi}`, said("Unauthorized")],
    ["403 behind an HTTP API", `403 No\r\n${httpApi}`, said("Forbidden")],
    ["403 behind a REST API", "403 No\r\nx-amz-apigw-id: AbCdEfGhIjKlMno=", said("Forbidden")],
    ["403 behind CloudFront", fromCloudFront, said("Request blocked.")],
    ["403 behind a load balancer", "403 No\r\nServer: awselb/2.0", said("403 Forbidden")],
    [
      "a REST API's route that is none",
      ofRest("403 No", "MissingAuthenticationTokenException"),
      said("Missing Authentication Token"),
    ],
    ["a 404", "404 No\r\nx-amz-apigw-id: AbCdEfGhIjKlMno=", said("Not Found")],
  ])("%s may be the system's own, and is errored", async (_, head, body) => {
    const answer = await answerTo(head, body);
    expect([answer.outcome, answer.refusedBy, answer.reason]).toEqual(["errored", "", "status"]);
  });

  it.each([
    ["behind an HTTP API", `429 No\r\n${httpApi}`, said("Slow down")],
    ["behind a REST API", "429 No\r\nx-amz-apigw-id: AbCdEfGhIjKlMno=", said("Too Many Requests")],
    ["of anybody", "429 No", ""],
  ])("429 %s that is no front's is the application's own", async (_, head, body) => {
    const answer = await answerTo(head, body);
    expect([answer.outcome, answer.refusedBy]).toEqual(["throttled", "application"]);
  });

  it("is our own credentials' fault when they had expired", async () => {
    const answer = await answerTo(ofRest("403 No", "ExpiredTokenException"), said("expired"));
    expect([answer.outcome, answer.reason]).toEqual(["errored", "credentials"]);
  });

  it("is ok when the load says that its status is", async () => {
    const ok = [
      { from: 200, to: 200 },
      { from: 404, to: 429 },
    ];
    expect((await answerTo("429 No", "", { ok })).outcome).toBe("ok");
    expect((await answerTo("201 Made", "", { ok })).outcome).toBe("errored");
  });

  it("is degraded when it is ok and says so", async () => {
    const any = { degraded: { header: "X-Fallback", value: null } };
    const cache = { degraded: { header: "x-fallback", value: "cache" } };
    const answers = [
      await answerTo("200 OK\r\nx-fallback: 1", "", any),
      await answerTo("200 OK", "", any),
      await answerTo("200 OK\r\nx-fallback: cache", "", cache),
      await answerTo("200 OK\r\nx-fallback: none", "", cache),
      await answerTo("500 No\r\nx-fallback: 1", "", any),
    ];
    expect(answers.map((a) => a.degraded)).toEqual([true, false, true, false, false]);
  });

  it.each([
    ["apigw-requestid: A1", "A1"],
    ["x-amzn-requestid: B2\r\napigw-requestid: A1", "A1"],
    ["x-amz-apigw-id: C3\r\nx-amzn-RequestId: B2", "B2"],
    ["x-amz-apigw-id: C3", "C3"],
    ["Date: now", ""],
  ])("with %s has the request id %s", async (lines, id) => {
    expect((await answerTo(`200 OK\r\n${lines}`)).requestId).toBe(id);
  });
});

describe("the id that is kept to find a REPORT line", () => {
  const ECHO = { joinBy: { header: "x-request-id" } } as const;
  const TRACED = { joinBy: "trace" } as const;
  const root = "1-66aabbcc-0123456789abcdef01234567";
  const rest = "x-amz-apigw-id: C3\r\nx-amzn-RequestId: B2";

  it.each([
    ["the echo of the handler", ECHO, "apigw-requestid: A1\r\nX-Request-Id: E5", "E5"],
    ["the front's own where nothing was echoed", ECHO, "apigw-requestid: A1", "A1"],
    [
      "a sampled trace behind a REST front",
      TRACED,
      `${rest}\r\nX-Amzn-Trace-Id: Root=${root};Parent=0a1b2c3d4e5f6071;Sampled=1`,
      root,
    ],
    [
      "no trace that was not sampled",
      TRACED,
      `${rest}\r\nx-amzn-trace-id: Root=${root};Sampled=0`,
      "B2",
    ],
    [
      "no trace of another front, which passes none on",
      TRACED,
      `apigw-requestid: A1\r\nx-amzn-trace-id: Root=${root};Sampled=1`,
      "A1",
    ],
    ["no trace header that is none", TRACED, `${rest}\r\nx-amzn-trace-id: Sampled=1`, "B2"],
    ["no trace unless asked for", {}, `${rest}\r\nx-amzn-trace-id: Root=${root};Sampled=1`, "B2"],
  ])("is %s", async (_, how, lines, id) => {
    const degraded = { header: "x-fallback", value: null };
    expect((await answerTo(`200 OK\r\n${lines}`, "", how)).requestId).toBe(id);
    const both = await answerTo(`200 OK\r\nx-fallback: 1\r\n${lines}`, "", { ...how, degraded });
    expect([both.requestId, both.degraded]).toEqual([id, true]);
  });
});

describe("no response", () => {
  it("is errored when nothing was sent", async () => {
    await using refused = targetOf(`http://127.0.0.1:${await closedPort()}`);
    expect(await send(refused)).toMatchObject({
      outcome: "errored",
      reason: "connect",
      bytesOut: 0,
    });
    await using nowhere = targetOf("http://nowhere.invalid", {
      resolve: (_, done) => setImmediate(done, new Error("ENOTFOUND"), []),
    });
    expect(await send(nowhere)).toMatchObject({ outcome: "errored", reason: "dns", bytesOut: 0 });
  });

  it("is unknown when the server went away from an idle connection just then", async () => {
    await using server = await rawServer((_, socket, nth) => {
      if (nth === 1) socket.write(OK_RESPONSE);
      else socket.destroy();
    });
    await using target = targetOf(server.url);
    await send(target);
    expect(await send(target)).toMatchObject({ outcome: "unknown", reason: "stale", status: 0 });
  });
});

describe("a request", () => {
  it("goes to the URL itself when the call has no path", async () => {
    expect(await requestOf("/confirm?x=1", { ...GET, path: "" })).toBe(
      "GET /confirm?x=1 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nUser-Agent: gatecrash\r\n\r\n",
    );
  });

  it("goes below the URL's path otherwise, as it was captured", async () => {
    expect(await requestOf("/prod/", { ...GET, path: "/a%2fb?q=c d" })).toContain(
      "GET /prod/a%2fb?q=c%20d HTTP/1.1\r\n",
    );
  });

  it("has the call's headers, of which the load's replace some, and its body", async () => {
    const call: HttpCall = {
      kind: "http",
      method: "POST",
      path: "/",
      headers: [
        ["Authorization", "old"],
        ["X-A", "1"],
        ["user-agent", "shop-app"],
      ],
      body: Buffer.from("{}"),
    };
    expect(await requestOf("", call, { headers: [["authorization", "new"]] })).toBe(
      "POST / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nX-A: 1\r\nuser-agent: shop-app\r\n" +
        "authorization: new\r\nContent-Length: 2\r\n\r\n{}",
    );
  });

  it("that HTTP cannot say is an error of the operator, thrown at once", async () => {
    await using target = targetOf("http://127.0.0.1:1");
    const call: HttpCall = { ...GET, headers: [["A", "b\r\nC: d"]] };
    expect(() => target.send(call, () => {})).toThrow(/cannot be sent over HTTP/);
    expect(target.inFlight).toBe(0);
  });
});

describe("Retry-After", () => {
  const wallMs = (): number => Date.UTC(2026, 10, 30, 12, 0, 0);
  it.each<[string, string, number | undefined]>([
    ["429 No\r\nRetry-After: 2", "", 2_000],
    ["503 No\r\nretry-after: Mon, 30 Nov 2026 12:00:05 GMT", "", 5_000],
    ["503 No\r\nRetry-After: soon", "", undefined],
    ["503 No", "", undefined],
    ["429 No", '{"Type":"User","retryAfterSeconds":"4"}', 4_000],
    ["429 No\r\nRetry-After: 1", '{"retryAfterSeconds":"4"}', 1_000],
  ])("of %s is kept with the attempt", async (head, body, ms) => {
    expect((await answerTo(head, body, { wallMs })).retryAfterMs).toBe(ms);
  });

  it("of a good answer means nothing", async () => {
    expect((await answerTo("200 OK\r\nRetry-After: 2")).retryAfterMs).toBe(undefined);
  });
});
