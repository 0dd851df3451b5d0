// Reserved concurrency through the SDK: bodies and errors as recorded on AWS.
import {
  DeleteFunctionConcurrencyCommand,
  GetAccountSettingsCommand,
  GetFunctionCommand,
  GetFunctionConcurrencyCommand,
  PutFunctionConcurrencyCommand,
} from "@aws-sdk/client-lambda";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalAws } from "../../src/local/start.ts";
import { type Clients, clientsOf, refusalOf, startSystem } from "./clients.ts";

let local: LocalAws;
let lambda: Clients["lambda"];

beforeAll(async () => {
  local = await startSystem({ scale: 0.5 });
  ({ lambda } = clientsOf(local.endpoint));
});
afterAll(() => local.stop());

const get = async (FunctionName: string): Promise<{ [key: string]: unknown }> => {
  const { $metadata: _, ...body } = await lambda.send(
    new GetFunctionConcurrencyCommand({ FunctionName }),
  );
  return body;
};
const put = (FunctionName: string, ReservedConcurrentExecutions: number) =>
  lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions }));

describe("reserved concurrency", () => {
  it("answers an empty object when it is unset", async () => {
    expect(await get("echo")).toEqual({});
  });

  it("holds the template's number after scale", async () => {
    expect(await get("reserved")).toEqual({ ReservedConcurrentExecutions: 10 });
  });

  it("is zero after it was put to zero, and unset after it was deleted", async () => {
    await put("echo", 0);
    expect(await get("echo")).toEqual({ ReservedConcurrentExecutions: 0 });
    const answer = await lambda.send(
      new DeleteFunctionConcurrencyCommand({ FunctionName: "echo" }),
    );
    expect(answer.$metadata.httpStatusCode).toBe(204);
    expect(await get("echo")).toEqual({});
  });

  it("refuses what would leave less than the minimum to the others", async () => {
    // 500 in all, 10 reserved by another function, 50 must stay.
    await put("echo", 440);
    expect(await refusalOf(put("echo", 441))).toMatchObject({
      name: "InvalidParameterValueException",
      status: 400,
      message:
        "Specified ReservedConcurrentExecutions for function decreases account's " +
        "UnreservedConcurrentExecution below its minimum value of [50].",
    });
    await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName: "echo" }));
  });

  it.each(["arn:aws:lambda:eu-west-1:000000000000:function:echo:live", "echo:1", "echo:$LATEST"])(
    "refuses the qualified name %s",
    async (name) => {
      expect(await refusalOf(put(name, 1))).toMatchObject({
        name: "InvalidParameterValueException",
        message:
          "This operation is permitted on Lambda functions only. Aliases and versions do not " +
          "support this operation. Please specify either a function name or an unqualified " +
          "function ARN.",
      });
    },
  );

  it("knows no function of another name, and says $LATEST only when it puts", async () => {
    const arn = "arn:aws:lambda:eu-west-1:000000000000:function:nobody";
    expect(await refusalOf(put("nobody", 1))).toMatchObject({
      name: "ResourceNotFoundException",
      status: 404,
      message: `Function not found: ${arn}:$LATEST`,
    });
    expect(await refusalOf(get("nobody"))).toMatchObject({
      message: `Function not found: ${arn}`,
    });
  });

  it("takes a negative number for a validation error", async () => {
    expect(await refusalOf(put("echo", -1))).toMatchObject({
      name: "ValidationException",
      status: 400,
    });
  });

  it.each([
    "reserved",
    "000000000000:function:reserved",
    "arn:aws:lambda:eu-west-1:000000000000:function:reserved",
  ])("finds the function as %s", async (name) => {
    expect(await get(name)).toEqual({ ReservedConcurrentExecutions: 10 });
  });

  it("shows in GetFunction only when it is set", async () => {
    const of = async (FunctionName: string) =>
      (await lambda.send(new GetFunctionCommand({ FunctionName }))).Concurrency;
    expect(await of("reserved")).toEqual({ ReservedConcurrentExecutions: 10 });
    expect(await of("echo")).toBeUndefined();
  });

  it("leaves its rest to the account's unreserved pool", async () => {
    const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
    expect(AccountLimit).toMatchObject({
      ConcurrentExecutions: 500,
      UnreservedConcurrentExecutions: 490,
    });
  });

  it("leaves every write in the audit, in order, and no refused one", async () => {
    const before = await auditOf(local.endpoint);
    await put("slow", 3);
    await refusalOf(put("slow", 100_000));
    await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName: "slow" }));
    const arn = "arn:aws:lambda:eu-west-1:000000000000:function:slow";
    expect((await auditOf(local.endpoint)).slice(before.length)).toEqual([
      `PutFunctionConcurrency ${arn} {"ReservedConcurrentExecutions":3}`,
      `DeleteFunctionConcurrency ${arn} {}`,
    ]);
  });
});

async function auditOf(endpoint: string): Promise<string[]> {
  const answer = await fetch(`${endpoint}/_local/audit`);
  const { writes } = (await answer.json()) as {
    writes: { action: string; resource: string; input: object }[];
  };
  return writes.map((w) => `${w.action} ${w.resource} ${JSON.stringify(w.input)}`);
}
