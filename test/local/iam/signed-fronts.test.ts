// Fronts with IAM authorization: signatures by keys of local AWS, and what their roles may.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createControlPlane } from "../../../src/aws/control-plane.ts";
import { type Credentials, requestSigner } from "../../../src/aws/sigv4.ts";
import { type LocalAws, startLocalAws } from "../../../src/local/start.ts";
import { enforce } from "../../support/permissions.ts";

const ACCOUNT = "222222222222";
const REGION = "eu-west-1";
const dir = mkdtempSync(join(tmpdir(), "gatecrash-signed-"));

const TEMPLATE = `Transform: AWS::Serverless-2016-10-31
Resources:
  Http:
    Type: AWS::Serverless::HttpApi
    Properties: { Auth: { EnableIamAuthorizer: true, DefaultAuthorizer: AWS_IAM } }
  Rest:
    Type: AWS::Serverless::Api
    Properties: { StageName: v1, Auth: { DefaultAuthorizer: AWS_IAM } }
  Shop:
    Type: AWS::Serverless::Function
    Properties:
      FunctionName: shop
      Runtime: nodejs22.x
      CodeUri: functions/
      Handler: shop.handler
      FunctionUrlConfig: { AuthType: AWS_IAM }
      Events:
        H: { Type: HttpApi, Properties: { ApiId: !Ref Http, Method: ANY, Path: "/{all+}" } }
        R: { Type: Api, Properties: { RestApiId: !Ref Rest, Method: ANY, Path: "/{all+}" } }
Outputs:
  http: { Value: !Sub "https://\${Http}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}/a" }
  rest: { Value: !Sub "https://\${Rest}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}/v1/a" }
  url: { Value: !Sub "\${ShopUrl.FunctionUrl}a" }
`;
const HANDLER = `export const handler = async ({ requestContext: { authorizer, identity } }) => ({
  statusCode: 200, body: JSON.stringify(authorizer?.iam ?? identity ?? {}),
});
`;
const FRONTS = ["http", "rest", "url"] as const;
type Front = (typeof FRONTS)[number];
const serviceOf = (front: Front) => (front === "url" ? "lambda" : "execute-api");

let local: LocalAws;
beforeAll(async () => {
  mkdirSync(join(dir, "functions"));
  writeFileSync(join(dir, "functions", "shop.mjs"), HANDLER);
  writeFileSync(join(dir, "template.yaml"), TEMPLATE);
  local = await startLocalAws({ template: join(dir, "template.yaml"), account: ACCOUNT });
}, 60_000);
afterAll(async () => {
  await local.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Credentials that local AWS gives out for a role. */
async function as(role: string): Promise<Credentials> {
  const place = { endpoint: local.endpoint, region: REGION, account: null, runId: "owner" };
  const input = { RoleArn: `arn:aws:iam::${ACCOUNT}:role/${role}`, RoleSessionName: "tests" };
  const { Credentials } = await createControlPlane(place).call("sts", "AssumeRole", input);
  const given = Credentials as { readonly [name: string]: string };
  return {
    ...{ accessKeyId: given.AccessKeyId ?? "", secretAccessKey: given.SecretAccessKey ?? "" },
    sessionToken: given.SessionToken ?? "",
  };
}

interface Ask {
  readonly service?: string;
  readonly region?: string;
  readonly atMs?: number;
  /** After signing. */
  readonly path?: string;
  readonly sent?: string;
}

async function ask(front: Front, credentials: Credentials | null, more: Ask = {}) {
  const { service = serviceOf(front), region = REGION, atMs = Date.now(), path = "" } = more;
  const url = new URL(`${local.outputs[front]}/b%20c?z=1&a=%2F&a=`);
  const body = Buffer.from("hello");
  const signer =
    credentials === null ? null : { service, region, credentials: async () => credentials };
  const request = {
    ...{ method: "POST", path: `${url.pathname}${url.search}`, host: url.host, body },
    headers: { "content-type": "text/plain" },
  };
  const signed = signer === null ? [] : await requestSigner(signer)(request, atMs);
  const headers = Object.fromEntries(signed.filter(([name]) => name !== "content-length"));
  const target = `${url.origin}${url.pathname}${path}${url.search}`;
  const answer = await fetch(target, { method: "POST", headers, body: more.sent ?? "hello" });
  const text = await answer.text();
  return { status: answer.status, type: answer.headers.get("x-amzn-errortype"), text };
}

describe.each(FRONTS)("%s, without roles,", (front) => {
  test("lets in a key that local AWS gave out, and tells the function whose", async () => {
    const { status, text } = await ask(front, await as("anybody"));
    expect([status, JSON.parse(text)]).toEqual([
      200,
      expect.objectContaining({
        userArn: `arn:aws:sts::${ACCOUNT}:assumed-role/anybody/tests`,
        accountId: ACCOUNT,
      }),
    ]);
  });

  test("lets in any other key as the account's owner, whose secret nobody knows", async () => {
    const { status, text } = await ask(front, { accessKeyId: "AKID", secretAccessKey: "x" });
    expect([status, text]).toEqual([200, expect.stringContaining(`${ACCOUNT}:root`)]);
  });

  test.each<[string, (own: Credentials) => Credentials | null, Ask]>([
    ["no signature", () => null, {}],
    ["another secret", (own) => ({ ...own, secretAccessKey: "x" }), {}],
    ["another token", (own) => ({ ...own, sessionToken: "x" }), {}],
    ["another service", (own) => own, { service: "s3" }],
    ["another region", (own) => own, { region: "us-east-1" }],
    ["another path", (own) => own, { path: "/d" }],
    ["another body", (own) => own, { sent: "hellO" }],
    ["a time long ago", (own) => own, { atMs: Date.now() - 6 * 60_000 }],
  ])("refuses %s", async (_, change, more) => {
    const { status, type } = await ask(front, change(await as("anybody")), more);
    expect(status).toBe(403);
    if (front === "url") expect(type).toBe("AccessDeniedException");
  });
});

test("the control plane says which URL wants signatures", async () => {
  const place = { endpoint: local.endpoint, region: REGION, account: null, runId: "owner" };
  const input = { FunctionName: "shop" };
  const found = await createControlPlane(place).call("lambda", "ListFunctionUrlConfigs", input);
  expect(found.FunctionUrlConfigs).toMatchObject([{ AuthType: "AWS_IAM" }]);
});

describe("with roles", () => {
  const policy = (...Statement: object[]) => ({ Version: "2012-10-17", Statement });
  const role = (RoleName: string, Action: string[], Resource: string[]) => ({
    Type: "AWS::IAM::Role",
    Properties: {
      RoleName,
      AssumeRolePolicyDocument: policy({
        ...{ Effect: "Allow", Action: "sts:AssumeRole" },
        Principal: { AWS: `arn:aws:iam::${ACCOUNT}:root` },
      }),
      Policies: [
        { PolicyName: "own", PolicyDocument: policy({ Effect: "Allow", Action, Resource }) },
      ],
    },
  });

  test.each<[string, { readonly [front in Front]: number }]>([
    ["api", { http: 200, rest: 200, url: 403 }],
    ["invoker", { http: 403, rest: 403, url: 200 }],
    ["half", { http: 403, rest: 403, url: 403 }],
  ])("a session of %s gets in where its policy says so", async (name, statuses) => {
    const shop = `arn:aws:lambda:${REGION}:${ACCOUNT}:function:shop`;
    const any = `arn:aws:execute-api:${REGION}:${ACCOUNT}:*`;
    const Resources = {
      Api: role("api", ["execute-api:Invoke"], [any]),
      Invoker: role("invoker", ["lambda:InvokeFunctionUrl", "lambda:InvokeFunction"], [shop]),
      Half: role("half", ["lambda:InvokeFunctionUrl"], [shop]),
    };
    await enforce(local.endpoint, JSON.stringify({ Resources }));
    const own = await as(name);
    for (const front of FRONTS)
      expect([front, (await ask(front, own)).status]).toEqual([front, statuses[front]]);
    if (name !== "half") return;
    const { type, text } = await ask("rest", own);
    expect([type, text]).toEqual([
      "AccessDeniedException",
      expect.stringContaining("is not authorized to perform: execute-api:Invoke on resource"),
    ]);
  });
});
