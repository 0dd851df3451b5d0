// Lambda's Invoke: what is asked, who refused, and that REPORT and the client speak of one request.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer, InvokeCall, Target } from "../../src/core/arrival.ts";
import { epochMs } from "../../src/core/time.ts";
import { systemClock } from "../../src/run/clock.ts";
import { type LambdaTargetOptions, lambdaTarget } from "../../src/targets/lambda-invoke.ts";
import { overRawServer } from "../conformance/raw-target.ts";
import { describeTarget } from "../conformance/target.ts";
import { type LocalShop, startLocalShop } from "../support/local-shop.ts";
import { rawServer } from "../wire/raw-server.ts";

const ID = "8f5d2c1e-0000-4000-8000-000000000001";
const CALL: InvokeCall = { kind: "invoke", payload: Buffer.from('{"a":1}') };
const clock = systemClock();

function targetOf(endpoint: string, more: Partial<LambdaTargetOptions> = {}): Target {
  return lambdaTarget({
    ...{ function: "checkout", invocation: "sync", endpoint, region: "eu-west-1", clock },
    credentials: async () => ({ accessKeyId: "AKID", secretAccessKey: "secret" }),
    timeoutUs: 5_000_000,
    ...more,
  });
}

const send = (target: Target, call = CALL): Promise<Answer> =>
  new Promise((resolve) => target.send(call, resolve));

function response(status: string, body = "{}", headers = ""): string {
  const id = `X-Amzn-RequestId: ${ID}\r\n`;
  return `HTTP/1.1 ${status}\r\n${id}${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** The answer made of a response, and the request that it answered. */
async function exchange(text: string, more: Partial<LambdaTargetOptions> = {}, call = CALL) {
  let request = "";
  await using server = await rawServer((got, socket) => {
    request = got;
    socket.write(text);
  });
  await using target = targetOf(server.url, more);
  const answer = await send(target, call);
  return { answer, request: request.replaceAll(`:${server.port}`, ":PORT") };
}

const refusal = (reason: string): string =>
  response("429 Too Many Requests", `{"Reason":"${reason}","Type":"User","message":"Rate"}`);

describeTarget({
  name: "lambda",
  open: overRawServer(
    CALL,
    {
      ok: response("200 OK"),
      throttle: refusal("CallerRateLimitExceeded"),
      fail: response("500 Oops"),
    },
    targetOf,
  ),
});

describe("an answer", () => {
  it.each([
    ["X-Amz-Executed-Version: 42\r\n", 42],
    ["X-Amz-Executed-Version: $LATEST\r\n", 0],
    ["X-Amz-Executed-Version: live\r\n", undefined],
    ["", undefined],
  ])("with %j names the version that ran", async (headers, version) => {
    expect((await exchange(response("200 OK", "{}", headers))).answer.version).toBe(version);
    const failed = `${headers}X-Amz-Function-Error: Unhandled\r\n`;
    expect((await exchange(response("200 OK", "{}", failed))).answer.version).toBe(version);
  });

  it.each([
    ["200 OK", "", "sync", ["ok", "", ""]],
    ["202 Accepted", "", "async", ["ok", "", ""]],
    ["200 OK", "X-Amz-Function-Error: Unhandled\r\n", "sync", ["errored", "", "function"]],
    ["404 Not Found", "", "sync", ["errored", "", "service"]],
    ["413 Too Large", "", "async", ["errored", "", "service"]],
    ["500 Oops", "", "sync", ["errored", "", "service"]],
    ["502 Bad Gateway", "", "sync", ["errored", "", "service"]],
  ] as const)("%s %j of a %s invoke is %j", async (status, headers, invocation, expected) => {
    const { answer } = await exchange(response(status, "{}", headers), { invocation });
    expect([answer.outcome, answer.refusedBy, answer.reason]).toEqual(expected);
    expect(answer.requestId).toBe(ID);
  });

  it.each([
    ["ReservedFunctionConcurrentInvocationLimitExceeded", "lambda.reserved"],
    ["ConcurrentInvocationLimitExceeded", "lambda.account"],
    ["FunctionInvocationRateLimitExceeded", "lambda.rate"],
    ["ReservedFunctionInvocationRateLimitExceeded", "lambda.rate"],
    ["CallerRateLimitExceeded", "lambda"],
  ])("429 with %s is throttled by %s", async (reason, by) => {
    const { answer } = await exchange(refusal(reason));
    expect([answer.outcome, answer.refusedBy, answer.status]).toEqual(["throttled", by, 429]);
  });

  it.each(["", "{", "null", '"Reason"', '{"Reason":7}'])(
    "429 with the body %j is throttled by lambda",
    async (body) => {
      const { answer } = await exchange(response("429 Too Many Requests", body));
      expect([answer.outcome, answer.refusedBy]).toEqual(["throttled", "lambda"]);
    },
  );
});

describe("a request", () => {
  const fixed = { nowUs: clock.nowUs, wallMs: () => epochMs(Date.UTC(2026, 10, 30, 19, 2, 7)) };

  it("is signed for its second, its payload and its function, and is nothing but that", async () => {
    const { request } = await exchange(response("200 OK"), { clock: fixed });
    const [head = "", body] = request.split("\r\n\r\n");
    const [line, ...headers] = head.split("\r\n");
    expect(line).toBe("POST /2015-03-31/functions/checkout/invocations HTTP/1.1");
    expect(body).toBe('{"a":1}');
    expect(headers.map((text) => text.split(": ")[0]?.toLowerCase()).sort()).toEqual(
      [
        ...["authorization", "content-length", "content-type", "host", "user-agent"],
        ...["x-amz-content-sha256", "x-amz-date", "x-amz-invocation-type"],
      ].sort(),
    );
    expect(head).toMatch(
      /Credential=AKID\/20261130\/eu-west-1\/lambda\/aws4_request, SignedHeaders=\S+;host;\S+, Signature=[0-9a-f]{64}/,
    );
    expect(head).toContain("x-amz-date: 20261130T190207Z");
    expect(head).toContain("x-amz-invocation-type: RequestResponse");
  });

  it("of an event says so, names its qualifier, and brings the session's token", async () => {
    const arn = "arn:aws:lambda:eu-west-1:123456789012:function:checkout:live";
    const temporary = { accessKeyId: "ASIA", secretAccessKey: "s", sessionToken: "token" };
    const { request } = await exchange(response("202 Accepted", ""), {
      ...{ function: arn, invocation: "async", credentials: async () => temporary },
    });
    expect(request).toContain(
      "POST /2015-03-31/functions/arn%3Aaws%3Alambda%3Aeu-west-1%3A123456789012%3Afunction%3A" +
        "checkout%3Alive/invocations HTTP/1.1",
    );
    expect(request).toContain("x-amz-invocation-type: Event");
    expect(request).toContain("x-amz-security-token: token");
  });

  it("is signed again in the next second, and for another payload", async () => {
    let wallMs = Date.UTC(2026, 10, 30, 19, 2, 7);
    const dates: string[] = [];
    const signatures = new Set<string>();
    await using server = await rawServer((got, socket) => {
      dates.push(/x-amz-date: \S+T(\d+)Z/.exec(got)?.[1] ?? "");
      signatures.add(/Signature=(\S+)/.exec(got)?.[1] ?? "");
      socket.write(response("200 OK"));
    });
    const moving = { nowUs: clock.nowUs, wallMs: () => epochMs(wallMs) };
    await using target = targetOf(server.url, { clock: moving });
    await send(target);
    await send(target);
    await send(target, { kind: "invoke", payload: Buffer.from("{}") });
    wallMs += 1_000;
    await send(target);
    expect(dates).toEqual(["190207", "190207", "190207", "190208"]);
    expect(signatures.size).toBe(3);
  });

  it("is refused for a call that is no invoke", async () => {
    await using target = targetOf("http://127.0.0.1:1");
    const call = { kind: "item", key: "1", data: new Uint8Array() } as const;
    expect(() => target.send(call, () => {})).toThrow(/kind item/);
  });
});

describe("against local AWS", () => {
  let shop: LocalShop;
  beforeAll(async () => {
    shop = await startLocalShop();
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  it("is answered by name and by ARN, at once and for later", async () => {
    for (const name of ["checkout", shop.functions.checkout]) {
      for (const [invocation, status] of [["sync", 200] as const, ["async", 202] as const]) {
        await using target = targetOf(shop.endpoint, { function: name, invocation });
        const answer = await send(target);
        expect([answer.outcome, answer.status]).toEqual(["ok", status]);
        expect(answer.requestId).toMatch(/^[0-9a-f-]{36}$/);
      }
    }
  });
});

describe("Retry-After", () => {
  const slow = '{"Reason":"ConcurrentInvocationLimitExceeded","retryAfterSeconds":"3"}';
  it.each<[string, string, string, number | undefined]>([
    ["429 Too Many Requests", "{}", "Retry-After: 2\r\n", 2_000],
    ["429 Too Many Requests", slow, "", 3_000],
    ["503 Service Unavailable", "{}", "Retry-After: 1\r\n", 1_000],
    ["429 Too Many Requests", "{}", "", undefined],
    ["200 OK", "{}", "Retry-After: 2\r\n", undefined],
  ])("of %s %s %s is kept with the attempt", async (status, body, headers, ms) => {
    expect((await exchange(response(status, body, headers))).answer.retryAfterMs).toBe(ms);
  });
});
