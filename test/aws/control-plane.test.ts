// The SDK clients: guarded, without retries, on loopback without the user's AWS configuration.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createControlPlane, identify } from "../../src/aws/control-plane.ts";
import { AwsFailure } from "../../src/core/change.ts";
import { GatecrashError } from "../../src/core/error.ts";
import { mayPass } from "../../src/run/pace.ts";
import { awsAnswers, type Told } from "../support/aws-answers.ts";

const EMPTY: Told = { status: 200, body: "{}" };
const GET = ["lambda", "GetFunctionConcurrency", { FunctionName: "checkout" }] as const;

function controlAt(endpoint: string, timeoutMs = 5_000) {
  return createControlPlane({
    endpoint,
    region: "eu-west-1",
    account: null,
    runId: "2026-11-30T19-02Z-k4",
    timeoutMs,
  });
}

async function failureOf(call: Promise<unknown>): Promise<AwsFailure> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AwsFailure) return error;
  throw new Error(`no AwsFailure: ${String(error)}`);
}

test("credentials that cannot be had say what to do, and may be had at the next try", async () => {
  await using aws = await awsAnswers(() => EMPTY);
  const control = createControlPlane({
    ...{ endpoint: aws.endpoint, region: "eu-west-1", account: null, runId: "r" },
    credentials: async () => {
      throw new GatecrashError("aws", "role x could not be taken", { hint: "look at its trust" });
    },
  });
  const failure = await failureOf(control.call(...GET));
  expect(failure).toMatchObject({
    ...{ name: "NoCredentials", message: "role x could not be taken", hint: "look at its trust" },
  });
  expect(mayPass(failure)).toBe(true);
  expect(aws.asked).toEqual([]);
});

describe("what goes over the wire", () => {
  test("an unset reservation is an answer without the key", async () => {
    await using aws = await awsAnswers(() => EMPTY);
    const output = await controlAt(aws.endpoint).call(...GET);
    expect(output.ReservedConcurrentExecutions).toBeUndefined();
    expect(aws.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /2019-09-30/functions/checkout/concurrency",
    ]);
  });

  test("every call names the run in its user agent", async () => {
    await using aws = await awsAnswers(() => EMPTY);
    await controlAt(aws.endpoint).call(...GET);
    expect(aws.asked[0]?.headers["user-agent"]).toContain("run/2026-11-30T19-02Z-k4");
  });

  test("the probe's payload arrives as it is", async () => {
    await using aws = await awsAnswers(() => EMPTY);
    const input = { FunctionName: "checkout", Payload: '{"gatecrash":"probe"}' };
    await controlAt(aws.endpoint).call("lambda", "Invoke", input);
    expect(aws.asked[0]?.body).toBe('{"gatecrash":"probe"}');
  });

  test("a caller is identified through STS", async () => {
    const body =
      "<GetCallerIdentityResponse><GetCallerIdentityResult><Account>000000000000</Account>" +
      "<Arn>arn:aws:iam::000000000000:root</Arn></GetCallerIdentityResult>" +
      "</GetCallerIdentityResponse>";
    await using aws = await awsAnswers(() => ({
      status: 200,
      headers: { "content-type": "text/xml" },
      body,
    }));
    expect(await identify(controlAt(aws.endpoint))).toEqual({
      account: "000000000000",
      arn: "arn:aws:iam::000000000000:root",
    });
  });
});

describe("failures are data", () => {
  test("a throttle keeps its name, its Reason and its status", async () => {
    const body =
      '{"Reason":"ReservedFunctionConcurrentInvocationLimitExceeded","Type":"User",' +
      '"message":"Rate Exceeded."}';
    await using aws = await awsAnswers(() => ({
      status: 429,
      headers: { "x-amzn-errortype": "TooManyRequestsException" },
      body,
    }));
    const failure = await failureOf(controlAt(aws.endpoint).call(...GET));
    expect({ ...failure, message: failure.message }).toEqual({
      name: "TooManyRequestsException",
      message: "Rate Exceeded.",
      reason: "ReservedFunctionConcurrentInvocationLimitExceeded",
      status: 429,
    });
  });

  test.each([429, 500, 503])("status %i is asked once: no retries are hidden", async (status) => {
    await using aws = await awsAnswers(() => ({ status, body: "{}" }));
    const failure = await failureOf(controlAt(aws.endpoint).call(...GET));
    expect([failure.status, aws.asked.length]).toEqual([status, 1]);
  });

  test("a page that is no JSON keeps its status", async () => {
    await using aws = await awsAnswers(() => ({ status: 502, body: "<html>bad gateway" }));
    expect((await failureOf(controlAt(aws.endpoint).call(...GET))).status).toBe(502);
  });

  test("nobody listening is ECONNREFUSED with status 0", async () => {
    const gone = await awsAnswers(() => EMPTY);
    await gone[Symbol.asyncDispose]();
    const failure = await failureOf(controlAt(gone.endpoint).call(...GET));
    expect([failure.name, failure.status]).toEqual(["ECONNREFUSED", 0]);
  });

  test("no answer ends at the timeout, with status 0", async () => {
    await using aws = await awsAnswers(() => null);
    const failure = await failureOf(controlAt(aws.endpoint, 50).call(...GET));
    expect([failure.name, failure.status]).toEqual(["TimeoutError", 0]);
  });
});

describe("the guard", () => {
  test.each([
    "https://lambda.eu-west-1.amazonaws.com",
    "http://10.0.0.7:4566",
    "http://127.0.0.1.example.com",
    "http://localhost.example.com",
    "file:///etc/passwd",
    "not a url",
    "aws",
  ])("refuses %s when no environment on AWS is declared", (endpoint) => {
    expect(() => controlAt(endpoint)).toThrow(expect.objectContaining({ code: "refused" }));
  });

  test("allows AWS's own endpoints for a declared account, and no other host", () => {
    const options = { region: "eu-west-1", account: "222222222222", runId: "r" };
    expect(() => createControlPlane({ ...options, endpoint: "aws" })).not.toThrow();
    expect(() => createControlPlane({ ...options, endpoint: "http://10.0.0.7" })).toThrow();
  });
});

describe("on loopback", () => {
  let home = "";
  afterEach(() => {
    vi.unstubAllEnvs();
    if (home !== "") rmSync(home, { recursive: true });
    home = "";
  });

  test("nothing of the user's credentials and configuration is used", async () => {
    home = mkdtempSync(join(tmpdir(), "gatecrash-home-"));
    mkdirSync(join(home, ".aws"));
    const secret = "aws_access_key_id = AKIAREALPROFILE\naws_secret_access_key = real\n";
    writeFileSync(join(home, ".aws", "credentials"), `[default]\n${secret}`);
    const config = "use_fips_endpoint = true\nregion = us-gov-west-1\ndefaults_mode = legacy\n";
    writeFileSync(join(home, ".aws", "config"), `[default]\n${config}max_attempts = 9\n`);
    vi.stubEnv("HOME", home);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAREALENVIRONMENT");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "real");
    vi.stubEnv("AWS_SESSION_TOKEN", "real-token");
    vi.stubEnv("AWS_REGION", "us-east-2");
    vi.stubEnv("AWS_ENDPOINT_URL", "https://lambda.us-east-1.amazonaws.com");
    vi.stubEnv("AWS_SDK_UA_APP_ID", "someone");
    await using aws = await awsAnswers(() => EMPTY);
    await controlAt(aws.endpoint).call(...GET);
    const headers = JSON.stringify(aws.asked[0]?.headers);
    expect(headers).toContain("Credential=LOCALGATECRASH/");
    expect(headers).toContain("/eu-west-1/lambda/aws4_request");
    expect(headers).not.toMatch(/AKIAREAL|real-token|someone|x-amz-security-token/);
  });
});
