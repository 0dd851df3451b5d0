// Handlers behind a dependency's proxy: their SDK clients go through it, and meet its rules.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createControlPlane } from "../../../src/aws/control-plane.ts";
import type { ControlPlane } from "../../../src/core/change.ts";
import { type LocalAws, startLocalAws } from "../../../src/local/start.ts";

const HANDLER = `
import { DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
const db = new DynamoDBClient({});
export const handler = async ({ id }) => {
  await db.send(new PutItemCommand({ TableName: "orders", Item: { id: { S: id } } }));
  const answer = await fetch(process.env.SUPPLIER_URL + "/stock");
  return { supplier: answer.status, through: process.env.SUPPLIER_URL };
};
`;

const template = (supplier: string, dependencies: string): string => `
AWSTemplateFormatVersion: "2010-09-09"
Transform: AWS::Serverless-2016-10-31
Metadata:
  Gatecrash:
    Dependencies:
${dependencies}
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: orders
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{ AttributeName: id, AttributeType: S }]
      KeySchema: [{ AttributeName: id, KeyType: HASH }]
  Order:
    Type: AWS::Serverless::Function
    Properties:
      FunctionName: order
      Runtime: nodejs20.x
      Handler: index.handler
      CodeUri: functions/
      Timeout: 20
      Environment: { Variables: { SUPPLIER_URL: "${supplier}" } }
`;
const BOTH =
  "      orders: { Variable: AWS_ENDPOINT_URL_DYNAMODB }\n      supplier: { Variable: SUPPLIER_URL }";

let folder = "";
let supplier: Server;
let supplierUrl = "";
let asked: string[] = [];

function write(dependencies: string, url = supplierUrl): string {
  const file = join(folder, "template.yaml");
  writeFileSync(file, template(url, dependencies));
  return file;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gatecrash-dependencies-"));
  mkdirSync(join(folder, "functions"));
  writeFileSync(join(folder, "functions", "index.mjs"), HANDLER);
  supplier = createServer((req, res) => {
    asked.push(req.url ?? "");
    res.end("ok");
  });
  await new Promise<void>((go) => supplier.listen(0, "127.0.0.1", go));
  supplierUrl = `http://127.0.0.1:${(supplier.address() as AddressInfo).port}/v1`;
});

afterAll(async () => {
  supplier.closeAllConnections();
  await new Promise((go) => supplier.close(go));
  rmSync(folder, { recursive: true });
});

describe("a function with two declared dependencies", () => {
  let local: LocalAws;
  let control: ControlPlane;
  beforeAll(async () => {
    local = await startLocalAws({ template: write(BOTH) });
    const where = { endpoint: local.endpoint, region: "eu-west-1", account: null, runId: "test" };
    control = createControlPlane(where);
  });
  afterAll(() => local.stop());

  const put = (name: string, rule: object): Promise<unknown> =>
    control.call("ssm", "PutParameter", {
      Name: `/gatecrash/dependency/${name}`,
      Value: JSON.stringify({ v: 1, for_s: 60, share: 1, seed: 1, ...rule }),
      Type: "String",
      Overwrite: true,
    });
  const clear = (name: string): Promise<unknown> =>
    control.call("ssm", "DeleteParameters", { Names: [`/gatecrash/dependency/${name}`] });
  const invoke = async (id: string) => {
    const input = { FunctionName: "order", Payload: JSON.stringify({ id }) };
    const output = await control.call("lambda", "Invoke", input);
    const text = Buffer.from(output.Payload as Uint8Array).toString();
    return { error: output.FunctionError, answer: JSON.parse(text) };
  };
  const isStored = async (id: string): Promise<boolean> => {
    const input = { TableName: "orders", Key: { id: { S: id } } };
    return (await control.call("dynamodb", "GetItem", input)).Item !== undefined;
  };

  test("reaches both through their proxies, with the path that its variable has", async () => {
    asked = [];
    const { error, answer } = await invoke("plain");
    expect([error, answer.supplier, asked]).toEqual([undefined, 200, ["/v1/stock"]]);
    expect(answer.through).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect(answer.through).not.toBe(supplierUrl);
    expect(await isStored("plain")).toBe(true);
  });

  test("crashes before the commit: the SDK's own retries do not save it", async () => {
    await put("orders", { act: "reset", per_call: true });
    const { error } = await invoke("before");
    await clear("orders");
    expect([error, await isStored("before")]).toEqual(["Unhandled", false]);
  });

  test("crashes after the commit: it fails, and what it wrote is there", async () => {
    await put("orders", { act: "drop", per_call: true });
    const { error } = await invoke("after");
    await clear("orders");
    expect([error, await isStored("after")]).toEqual(["Unhandled", true]);
  });

  test("meets a rule for the one, not for the other", async () => {
    await put("supplier", { act: "error", status: 503 });
    const { answer } = await invoke("one");
    const state = { Names: ["/gatecrash/dependency/supplier/state"] };
    const { Parameters } = await control.call("ssm", "GetParameters", state);
    await clear("supplier");
    expect([answer.supplier, await isStored("one")]).toEqual([503, true]);
    const [{ Value = "" } = {}] = Parameters as { Value?: string }[];
    expect(JSON.parse(Value)).toMatchObject({ seen: 1, chosen: 1 });
    expect((await invoke("two")).answer.supplier).toBe(200);
  });

  test.each([
    ["nobody", { act: "reset" }, /No dependency nobody is declared here; there are: orders, supp/],
    ["orders", { act: "explode" }, /No rule of a dependency: act/],
  ])("a rule for %s %o is refused", async (name, rule, why) => {
    await expect(put(name, rule)).rejects.toThrow(why);
  });
});

describe("the proxies' process", () => {
  const childOf = (pid: number): number | undefined =>
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .filter((name) => fileOf(`/proc/${name}/cmdline`).includes("proxy-child.js"))
      .find((name) => fileOf(`/proc/${name}/stat`).split(") ")[1]?.split(" ")[1] === String(pid))
      ?.match(/^\d+$/)
      ?.map(Number)[0];
  const fileOf = (name: string): string => {
    try {
      return readFileSync(name, "utf8");
    } catch {
      return ""; // it has ended
    }
  };

  test.skipIf(!existsSync("/proc/self/stat"))(
    "takes local AWS with it when it dies: nothing may be measured without it",
    async () => {
      const local = await startLocalAws({ template: write(BOTH) });
      process.kill(childOf(process.pid) ?? Number.NaN, "SIGKILL");
      await local.stopAsked;
      await local.stop();
    },
  );
});

describe("a declaration that cannot be", () => {
  test.each([
    ["x: { Variable: OTHER }", /dependency x: no function has a variable OTHER/],
    ["x: { Variable: SUPPLIER_URL, Functions: [Nobody] }", /there is no function Nobody/],
    ["x: { Variable: AWS_ENDPOINT_URL_KINESIS }", /speaks HTTP\/2/],
    ["x: { To: y }", /Dependencies.x/],
  ])("%s is refused with its line", async (line, why) => {
    const started = startLocalAws({ template: write(`      ${line}`) });
    await expect(started).rejects.toThrow(why);
    await expect(started).rejects.toMatchObject({ place: { line: 7 } });
  });

  test("a dependency that is not on this machine is refused", async () => {
    const started = startLocalAws({ template: write(BOTH, "https://supplier.example/v1") });
    await expect(started).rejects.toThrow(/leads to supplier.example, which is not plain HTTP/);
  });
});
