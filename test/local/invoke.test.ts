// Invoke through the SDK: answers, throttles, errors, log tails.
import { FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import {
  DeleteFunctionConcurrencyCommand,
  InvokeCommand,
  PutFunctionConcurrencyCommand,
} from "@aws-sdk/client-lambda";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalAws } from "../../src/local/start.ts";
import { type Clients, clientsOf, refusalOf, startSystem } from "./clients.ts";

let local: LocalAws;
let lambda: Clients["lambda"];

beforeAll(async () => {
  local = await startSystem();
  ({ lambda } = clientsOf(local.endpoint));
});
afterAll(() => local.stop());

interface Invoked {
  readonly status: number | undefined;
  readonly error: string | undefined;
  readonly version: string | undefined;
  readonly requestId: string;
  readonly payload: unknown;
  readonly log: string;
}

async function invoke(FunctionName: string, event: object = {}): Promise<Invoked> {
  const answer = await lambda.send(
    new InvokeCommand({ FunctionName, Payload: JSON.stringify(event), LogType: "Tail" }),
  );
  return {
    status: answer.StatusCode,
    error: answer.FunctionError,
    version: answer.ExecutedVersion,
    requestId: answer.$metadata.requestId ?? "",
    payload: JSON.parse(Buffer.from(answer.Payload ?? []).toString() || "null"),
    log: Buffer.from(answer.LogResult ?? "", "base64").toString(),
  };
}

async function linesOf(logGroupName: string, filterPattern: string): Promise<unknown[]> {
  const { logs } = clientsOf(local.endpoint);
  return (
    (await logs.send(new FilterLogEventsCommand({ logGroupName, filterPattern }))).events ?? []
  );
}

/** Digits that differ between runs become `#`. */
const masked = (log: string, requestId: string): string[] =>
  log
    .replaceAll(requestId, "ID")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\d+\.\d\d ms/g, "# ms")
    .replaceAll(/Billed Duration: \d+ ms/g, "Billed Duration: # ms")
    .replaceAll(/Used: \d+ MB/g, "Used: # MB")
    .split("\n");

describe("Invoke", () => {
  it("runs the handler and answers what it returned", async () => {
    const { requestId, ...rest } = await invoke("echo", { a: 1 });
    expect(rest).toMatchObject({
      status: 200,
      error: undefined,
      version: "$LATEST",
      payload: { event: { a: 1 }, GREETING: "hello", requestId },
    });
  });

  it("gives the handler its front's and local AWS's own addresses", async () => {
    const { payload } = await invoke("echo");
    expect(payload).toMatchObject({
      API_URL: local.outputs.ApiUrl,
      AWS_ENDPOINT_URL: local.endpoint,
    });
  });

  it("answers null when the handler returns nothing", async () => {
    expect((await invoke("echo", { nothing: true })).payload).toBeNull();
  });

  it("shows START, what was printed, END and REPORT, with Init Duration the first time", async () => {
    const cold = await invoke("slow", { say: "one" });
    const warm = await invoke("slow", { say: "two" });
    const report = "REPORT RequestId: ID\tDuration: # ms\tBilled Duration: # ms\t";
    const memory = "Memory Size: 256 MB\tMax Memory Used: # MB\t";
    const around = (word: string) => [
      "START RequestId: ID Version: $LATEST",
      `TIME\tID\tINFO\t${word}`,
      "END RequestId: ID",
    ];
    expect(masked(cold.log, cold.requestId)).toEqual([
      ...around("one"),
      `${report}${memory}Init Duration: # ms\t`,
      "",
    ]);
    expect(masked(warm.log, warm.requestId)).toEqual([...around("two"), report + memory, ""]);
  });

  it("bills the sum of init and duration, rounded up", async () => {
    const { log } = await invoke("reserved");
    const [, duration = "", billed = "", init = ""] =
      /Duration: ([\d.]+) ms\tBilled Duration: (\d+) ms.*Init Duration: ([\d.]+) ms/.exec(log) ??
      [];
    expect(Number(billed)).toBe(Math.ceil(Number((Number(duration) + Number(init)).toFixed(2))));
  });

  it("adds an XRAY line with the caller's own trace id only where tracing is active", async () => {
    const traced = await invoke("reserved");
    expect(traced.log).toMatch(
      /\t\nXRAY TraceId: 1-[0-9a-f]{8}-[0-9a-f]{24}\tSegmentId: [0-9a-f]{16}\tSampled: true\t\n$/,
    );
    expect((await invoke("echo")).log).not.toContain("XRAY");
  });

  it("marks what the handler throws as Unhandled, with Lambda's error payload", async () => {
    const failed = await invoke("echo", { fail: "no stock" });
    expect(failed).toMatchObject({
      status: 200,
      error: "Unhandled",
      payload: { errorType: "TypeError", errorMessage: "no stock" },
    });
    expect(failed.log).not.toContain("Status:");
  });

  it("ends an invocation at its timeout and starts the next one cold", async () => {
    await invoke("slow");
    const late = await invoke("slow", { waitMs: 5_000 });
    expect(late).toMatchObject({
      error: "Unhandled",
      payload: {
        errorType: "Sandbox.Timedout",
        errorMessage: `RequestId: ${late.requestId} Error: Task timed out after 1.00 seconds`,
      },
    });
    expect(late.log).toMatch(
      /Duration: 1000\.00 ms\tBilled Duration: 1000 ms\t.*\tStatus: timeout\n$/,
    );
    expect((await invoke("slow")).log).toContain("Init Duration");
  });

  it("reports a handler that ends its process as Runtime.ExitError", async () => {
    const crashed = await invoke("slow", { exit: true });
    expect(crashed).toMatchObject({
      error: "Unhandled",
      payload: { errorType: "Runtime.ExitError" },
    });
    expect(crashed.log).toMatch(/\tStatus: error\tError Type: Runtime\.ExitError\n$/);
  });

  it("reports code that cannot be loaded, with both of its inits before START", async () => {
    const broken = await invoke("broken");
    expect(broken).toMatchObject({
      error: "Unhandled",
      payload: { errorType: "Runtime.ImportModuleError" },
    });
    expect(broken.log).toMatch(/^START[^\n]*\nEND[^\n]*\nREPORT.*ImportModuleError\n$/);
  });

  it("refuses an answer over 6 MB as the function's error", async () => {
    const large = await invoke("echo", { bytes: 6_291_556 }); // and two quotation marks
    expect(large).toMatchObject({
      error: "Unhandled",
      payload: {
        errorType: "Function.ResponseSizeTooLarge",
        errorMessage:
          "Response payload size exceeded maximum allowed payload size (6291556 bytes).",
      },
    });
    expect((await invoke("echo", { bytes: 6_291_554 })).error).toBeUndefined();
  });

  it("answers 202 to an event, without a version, and runs it once under that request id", async () => {
    const answer = await lambda.send(
      new InvokeCommand({ FunctionName: "echo", InvocationType: "Event", Payload: "{}" }),
    );
    const { StatusCode, ExecutedVersion, $metadata } = answer;
    expect([StatusCode, ExecutedVersion]).toEqual([202, undefined]);
    await expect
      .poll(() => linesOf("/aws/lambda/echo", `"REPORT RequestId: ${$metadata.requestId}"`))
      .toHaveLength(1);
  });

  it("answers 204 to a dry run and runs nothing", async () => {
    const answer = await lambda.send(
      new InvokeCommand({ FunctionName: "echo", InvocationType: "DryRun" }),
    );
    expect(answer.StatusCode).toBe(204);
  });

  it("refuses a body that is no JSON", async () => {
    const call = lambda.send(new InvokeCommand({ FunctionName: "echo", Payload: "{oops" }));
    expect(await refusalOf(call)).toMatchObject({
      name: "InvalidRequestContentException",
      status: 400,
      message: expect.stringMatching(/^Could not parse request body into json: /),
    });
  });

  it("knows $LATEST and no other qualifier", async () => {
    expect((await invoke("echo:$LATEST")).status).toBe(200);
    expect(await refusalOf(invoke("echo:live"))).toMatchObject({
      name: "ResourceNotFoundException",
      message: "Cannot find alias arn: arn:aws:lambda:eu-west-1:000000000000:function:echo:live",
    });
  });
});

describe("a throttle", () => {
  it("has AWS's status, name, Reason, Type and text when nothing is reserved", async () => {
    await lambda.send(
      new PutFunctionConcurrencyCommand({ FunctionName: "echo", ReservedConcurrentExecutions: 0 }),
    );
    const refused = await refusalOf(invoke("echo"));
    await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName: "echo" }));
    expect(refused).toMatchObject({
      name: "TooManyRequestsException",
      status: 429,
      message: "Rate Exceeded.",
      Reason: "ReservedFunctionConcurrentInvocationLimitExceeded",
      Type: "User",
    });
    expect(refused.retryAfterSeconds).toBeUndefined();
  });

  it("has the recorded bytes", async () => {
    await lambda.send(
      new PutFunctionConcurrencyCommand({ FunctionName: "echo", ReservedConcurrentExecutions: 0 }),
    );
    const answer = await fetch(`${local.endpoint}/2015-03-31/functions/echo/invocations/`, {
      method: "POST",
      body: "{}",
      headers: {
        authorization:
          "AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-1/lambda/aws4_request, " +
          "SignedHeaders=host, Signature=0",
      },
    });
    await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName: "echo" }));
    expect([answer.status, answer.headers.get("x-amzn-errortype")]).toEqual([
      429,
      "TooManyRequestsException",
    ]);
    expect(await answer.text()).toBe(
      '{"Reason":"ReservedFunctionConcurrentInvocationLimitExceeded","Type":"User",' +
        '"message":"Rate Exceeded."}',
    );
  });

  it("lets exactly the reserved number in, of many at once", async () => {
    const calls = Array.from({ length: 45 }, () => invoke("reserved", { waitMs: 3_000 }));
    const settled = await Promise.allSettled(calls);
    const refused = settled.filter(({ status }) => status === "rejected");
    expect([settled.length - refused.length, refused.length]).toEqual([20, 25]);
  });
});

it("refuses an unsigned call", async () => {
  const answer = await fetch(`${local.endpoint}/2015-03-31/functions/`);
  expect([answer.status, answer.headers.get("x-amzn-errortype")]).toEqual([
    403,
    "MissingAuthenticationTokenException",
  ]);
});
