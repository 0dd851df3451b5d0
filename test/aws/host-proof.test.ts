// Whose a destination is: traced through a local AWS's control plane, and refused where it is not.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ProofPlace, traceUrl } from "../../src/aws/host-proof.ts";
import { traceResource } from "../../src/aws/resource-proof.ts";
import type { ControlPlane } from "../../src/core/change.ts";
import type { LocalAws } from "../../src/local/start.ts";
import { type DeployedShop, deployShop } from "../support/deployed-shop.ts";

const OURS = "222222222222";
const THEIRS = "111111111111";
const REGION = "eu-west-1";
const MORE = `      FunctionUrlConfig: { AuthType: NONE }
      Events: { Any: { Type: HttpApi } }
  Clicks: { Type: "AWS::Kinesis::Stream", Properties: { Name: clicks, ShardCount: 1 } }
  Jobs: { Type: "AWS::SQS::Queue", Properties: { QueueName: jobs } }
Outputs:
  Api: { Value: !Ref ServerlessHttpApi }
  Front: { Value: !Sub "https://\${ServerlessHttpApi}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}" }
  Url: { Value: !GetAtt ShopUrl.FunctionUrl }
  Queue: { Value: !Ref Jobs }
`;

let deployed: DeployedShop;
let local: LocalAws;
let control: ControlPlane;
let asked: string[] = [];

beforeAll(async () => {
  deployed = await deployShop(MORE, { account: OURS });
  local = deployed.local;
  const real = deployed.control;
  control = {
    call(service, action, input) {
      asked.push(action);
      return real.call(service, action, input);
    },
  };
}, 60_000);
afterAll(() => deployed[Symbol.asyncDispose]());

const rehearsed = (more: Partial<ProofPlace> = {}): ProofPlace => {
  return { control, account: OURS, region: REGION, endpoint: local.endpoint, ...more };
};
const onAws = (more: Partial<ProofPlace> = {}) => rehearsed({ endpoint: "aws", ...more });
const output = (name: string): string => local.outputs[name] ?? "";
const shop = `arn:aws:lambda:${REGION}:${OURS}:function:shop`;

/** The account as it is, but for the answer to one read. */
function changed(action: string, items: object): ControlPlane {
  return {
    call: async (service, asks, input) =>
      asks === action ? { ...items } : control.call(service, asks, input),
  };
}

const integrated = (...uris: string[]): ControlPlane =>
  changed("GetIntegrations", { Items: uris.map((IntegrationUri) => ({ IntegrationUri })) });

describe("the default host of an API", () => {
  const host = (): string => `${output("Api")}.execute-api.${REGION}.amazonaws.com`;

  test.each([
    ["prod", ["$default", "prod"]],
    ["$default", ["$default"]],
  ])("is proven by the function behind it; its stage is %s", async (stage, stages) => {
    const control = changed("GetStages", { Items: stages.map((StageName) => ({ StageName })) });
    const traced = await traceUrl(`https://${host()}/prod/cart`, onAws({ control }));
    expect(traced).toEqual({
      proof: {
        steps: [host(), `HTTP API ${output("Api")}`, "function shop"],
        functions: [shop],
        names: [
          ["API", "ServerlessHttpApi"],
          ["stage", stage],
          ["integration", "function shop"],
        ],
        apis: [{ kind: "HTTP API", apiId: output("Api"), name: "ServerlessHttpApi", stage }],
      },
    });
  });

  test("is reached in a rehearsal where the account has put it, never by its name", async () => {
    const traced = await traceUrl(`https://${host()}/`, rehearsed());
    const connectTo = new URL(output("Front")).host;
    expect(traced).toMatchObject({ proof: { functions: [shop], connectTo } });
    expect(connectTo).toMatch(/^127\.0\.0\.1:\d+$/);
  });

  test("of another account or region is not proven", async () => {
    const unknown = `https://zzzzzz9.execute-api.${REGION}.amazonaws.com/`;
    expect(await traceUrl(unknown, onAws())).toEqual({
      why: `account ${OURS} has no API zzzzzz9 in ${REGION}`,
    });
    const far = `https://${host().replace(REGION, "us-east-1")}/`;
    expect(await traceUrl(far, onAws())).toEqual({
      why: `it is in us-east-1, the environment in ${REGION}`,
    });
    const alike = `https://${host()}.shop.example/`;
    expect(await traceUrl(alike, onAws())).toMatchObject({
      why: expect.stringContaining("domain"),
    });
  });

  test.each([
    ["a function", `arn:aws:lambda:${REGION}:${THEIRS}:function:checkout:live`],
    [
      "a function by API Gateway's path",
      `arn:aws:apigateway:${REGION}:lambda:path/2015-03-31/functions/arn:aws:lambda:${REGION}:${THEIRS}:function:checkout:live/invocations`,
    ],
    [
      "a function named by a stage variable",
      `arn:aws:lambda:${REGION}:${THEIRS}:function:\${stageVariables.name}`,
    ],
    ["a load balancer", `arn:aws:elasticloadbalancing:${REGION}:${THEIRS}:listener/app/shop/5/6`],
  ])("that hands on to %s of another account belongs to that account", async (_, uri) => {
    const place = onAws({ control: integrated(`${shop}`, uri) });
    expect(await traceUrl(`https://${host()}/`, place)).toEqual({
      why: expect.stringMatching(new RegExp(`^API \\w+ hands on to arn:aws:[^ ]*:${THEIRS}:`)),
      foreign: true,
    });
  });

  test("that hands on to a host says which, for its name may be production's", async () => {
    const control = integrated("https://checkout.prod.shop.example/{proxy}", shop);
    const traced = await traceUrl(`https://${host()}/`, onAws({ control }));
    expect(traced).toMatchObject({ proof: { functions: [shop] } });
    expect("proof" in traced && traced.proof.steps.at(-1)).toBe(
      "function shop, checkout.prod.shop.example",
    );
    expect("proof" in traced && traced.proof.names).toContainEqual([
      "integration",
      "checkout.prod.shop.example",
    ]);
  });

  test("with an alias that a stage variable names is its function's", async () => {
    const control = integrated(`${shop}:\${stageVariables.alias}`);
    expect(await traceUrl(`https://${host()}/`, onAws({ control }))).toMatchObject({
      proof: { functions: [shop] },
    });
  });
});

describe("the URL of a function", () => {
  const named = "https://abcdefghijklmnop.lambda-url.eu-west-1.on.aws/";

  test("is proven by the function that has it", async () => {
    const traced = await traceUrl(output("Url"), rehearsed());
    const steps = [new URL(output("Url")).host, "function shop"];
    expect(traced).toEqual({ proof: { steps, functions: [shop], names: [] } });
    const FunctionUrlConfigs = [{ FunctionUrl: named, FunctionArn: `${shop}:live` }];
    const control = changed("ListFunctionUrlConfigs", { FunctionUrlConfigs });
    expect(await traceUrl(`${named}cart`, onAws({ control }))).toMatchObject({
      proof: { functions: [`${shop}:live`] },
    });
  });

  test("of nobody here, or of another region, is not proven", async () => {
    expect(await traceUrl(named, onAws())).toEqual({
      why: `account ${OURS} has no API and no function with it in ${REGION}`,
    });
    const far = named.replace(REGION, "us-east-1");
    expect(await traceUrl(far, onAws())).toMatchObject({
      why: expect.stringContaining("us-east-1"),
    });
  });

  test("on this machine is none of an account on AWS", async () => {
    expect(await traceUrl(output("Url"), onAws())).toEqual({
      why: "it is this machine, not the account",
    });
  });
});

describe("a stream, queue or function", () => {
  const stream = (account: string, region = REGION): string =>
    `arn:aws:kinesis:${region}:${account}:stream/clicks`;
  const queue = (account: string, region = REGION): string =>
    `https://sqs.${region}.amazonaws.com/${account}/jobs`;
  const queueArn = (account: string, region = REGION): string =>
    `arn:aws:sqs:${region}:${account}:jobs`;

  test.each([
    ["kinesis", "clicks", "stream clicks"],
    ["kinesis", stream(OURS), "stream clicks"],
    ["sqs", queue(OURS), "queue jobs"],
    ["sqs", queue(OURS).replace("sqs.eu-west-1", "eu-west-1.queue"), "queue jobs"],
    ["sqs", queueArn(OURS), "queue jobs"],
    ["lambda", "shop", "function shop"],
    ["lambda", shop, "function shop"],
  ] as const)("%s %s is proven", async (kind, name, step) => {
    expect(await traceResource(kind, name, onAws())).toMatchObject({ proof: { steps: [step] } });
  });

  test("a queue is proven in a rehearsal by the URL that it has there", async () => {
    expect(await traceResource("sqs", output("Queue"), rehearsed())).toHaveProperty("proof");
  });

  test.each([
    ["kinesis", stream(THEIRS)],
    ["sqs", queue(THEIRS)],
    ["sqs", queueArn(THEIRS)],
    ["lambda", `arn:aws:lambda:${REGION}:${THEIRS}:function:shop:live`],
  ] as const)("%s %s of another account is refused and not even asked for", async (kind, name) => {
    asked = [];
    expect(await traceResource(kind, name, onAws())).toEqual({
      why: expect.stringContaining(`of account ${THEIRS}`),
      foreign: true,
    });
    expect(asked).toEqual([]);
  });

  test.each([
    ["sqs", queue(OURS, "us-east-1"), /in us-east-1, not in eu-west-1/],
    ["sqs", queueArn(OURS, "us-east-1"), /in us-east-1, not in eu-west-1/],
    ["kinesis", "none", /does not know it: ResourceNotFoundException/],
    ["sqs", queueArn(OURS).replace("jobs", "none"), /does not know it: QueueDoesNotExist/],
    ["lambda", "none", /does not know it: ResourceNotFoundException/],
    ["sqs", `https://sqs.shop.example/${OURS}/jobs`, /is no URL or ARN of a queue/],
    ["sqs", `http://127.0.0.1:1/${OURS}/jobs`, /is no URL or ARN of a queue/],
    ["sqs", "jobs", /is no URL or ARN of a queue/],
  ] as const)("%s %s is not proven", async (kind, name, why) => {
    expect(await traceResource(kind, name, onAws())).toEqual({ why: expect.stringMatching(why) });
  });
});
