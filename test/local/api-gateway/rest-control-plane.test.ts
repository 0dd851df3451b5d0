// REST APIs as API Gateway's first control plane tells them, to AWS's own clients.
import { fileURLToPath } from "node:url";
import {
  APIGatewayClient,
  GetApiKeyCommand,
  GetApiKeysCommand,
  GetAuthorizersCommand,
  GetBasePathMappingsCommand,
  GetDomainNameCommand,
  GetDomainNamesCommand,
  GetIntegrationCommand,
  GetMethodCommand,
  GetResourcesCommand,
  GetRestApiCommand,
  GetRestApisCommand,
  GetStageCommand,
  GetStagesCommand,
  GetUsagePlanCommand,
  GetUsagePlanKeysCommand,
  GetUsagePlansCommand,
} from "@aws-sdk/client-api-gateway";
import { GetMetricDataCommand } from "@aws-sdk/client-cloudwatch";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalAws } from "../../../src/local/start.ts";
import { clientsOf, refusalOf, startSystem } from "../clients.ts";
import { AWS_CLIS, aws } from "../other-clients.ts";

const LAMBDA = "arn:aws:apigateway:eu-west-1:lambda:path/2015-03-31/functions";
const uriOf = (name: string): string =>
  `${LAMBDA}/arn:aws:lambda:eu-west-1:000000000000:function:${name}/invocations`;

let local: LocalAws;
let gateway: APIGatewayClient;
const ids: { [name: string]: string } = {};

beforeAll(async () => {
  const template = fileURLToPath(new URL("../rest-api/template.yaml", import.meta.url));
  local = await startSystem({ template });
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" };
  const { endpoint } = local;
  gateway = new APIGatewayClient({ endpoint, region: "eu-west-1", maxAttempts: 1, credentials });
  const { items = [] } = await gateway.send(new GetRestApisCommand({}));
  for (const { name = "", id = "", rootResourceId = "" } of items) {
    ids[name] ??= id;
    ids[`${name} root`] ??= rootResourceId;
  }
});
afterAll(() => local.stop());

describe("a REST API", () => {
  it("is listed with where it answers here, in pages", async () => {
    const first = await gateway.send(new GetRestApisCommand({ limit: 1 }));
    expect(first.items).toEqual([
      expect.objectContaining({
        ...{ name: "shop", apiKeySource: "HEADER", createdDate: expect.any(Date) },
        tags: { "gatecrash:endpoint": new URL(local.outputs.Url ?? "").origin },
      }),
    ]);
    const rest = await gateway.send(new GetRestApisCommand({ position: first.position }));
    expect(rest.items?.map(({ name }) => name)).toEqual(["local", "local"]);
    expect(rest.position).toBeUndefined();
    const one = await gateway.send(new GetRestApiCommand({ restApiId: ids.shop }));
    expect(one).toMatchObject({ id: ids.shop, rootResourceId: ids["shop root"] });
  });

  it("has a stage with its throttles, log, tracing and web ACL", async () => {
    const { item } = await gateway.send(new GetStagesCommand({ restApiId: ids.shop }));
    expect(item).toEqual([
      expect.objectContaining({
        ...{ stageName: "prod", tracingEnabled: true, createdDate: expect.any(Date) },
        accessLogSettings: {
          destinationArn: "arn:aws:logs:eu-west-1:000000000000:log-group:/shop/access",
          format: expect.stringContaining("$context.requestId"),
        },
      }),
    ]);
    const settings = item?.[0]?.methodSettings ?? {};
    expect(
      Object.entries(settings).map(([key, { throttlingRateLimit, throttlingBurstLimit }]) => [
        ...[key, throttlingRateLimit, throttlingBurstLimit],
      ]),
    ).toEqual([
      ["*/*", 100, 50],
      ["~1carts~1{id}/POST", 0.5, 5_000],
    ]);
    const wanted = { restApiId: ids.local, stageName: "v1" };
    expect((await gateway.send(new GetStageCommand(wanted))).webAclArn).toMatch(/webacl\/acl\//);
  });

  it("has a tree of resources, with methods and integrations where asked for", async () => {
    const restApiId = ids.shop;
    const plain = await gateway.send(new GetResourcesCommand({ restApiId }));
    expect(
      plain.items?.map(({ path, pathPart, resourceMethods }) => [path, pathPart, resourceMethods]),
    ).toEqual([
      ["/", undefined, undefined],
      ["/carts", "carts", undefined],
      ["/carts/{id}", "{id}", { GET: {}, POST: {} }],
    ]);
    const [root, carts, cart] = plain.items ?? [];
    expect([root?.id, carts?.parentId, cart?.parentId]).toEqual([
      ...[ids["shop root"], root?.id, carts?.id],
    ]);
    const whole = await gateway.send(new GetResourcesCommand({ restApiId, embed: ["methods"] }));
    expect(whole.items?.[2]?.resourceMethods?.POST).toMatchObject({
      ...{ httpMethod: "POST", authorizationType: "NONE", apiKeyRequired: false },
      methodIntegration: {
        ...{ type: "AWS_PROXY", httpMethod: "POST", timeoutInMillis: 2_000 },
        uri: uriOf("echo:live"),
      },
    });
    const at = { restApiId, resourceId: cart?.id, httpMethod: "GET" };
    expect((await gateway.send(new GetMethodCommand(at))).methodIntegration?.uri).toBe(
      uriOf("echo:live"),
    );
    expect((await gateway.send(new GetIntegrationCommand(at))).timeoutInMillis).toBe(29_000);
  });

  it("has authorizers, which its methods name", async () => {
    const restApiId = ids.local;
    const { items: authorizers } = await gateway.send(new GetAuthorizersCommand({ restApiId }));
    expect(authorizers).toEqual([
      {
        ...{ id: expect.any(String), name: "Tokens", type: "TOKEN", authType: "custom" },
        ...{ identitySource: "method.request.header.x-token", authorizerResultTtlInSeconds: 0 },
        authorizerUri: uriOf("auth"),
      },
    ]);
    const wanted = new GetResourcesCommand({ restApiId, embed: ["methods"] });
    const { items = [] } = await gateway.send(wanted);
    expect(
      items.map(({ path, resourceMethods }) => {
        const { authorizationType, authorizerId, apiKeyRequired } = resourceMethods?.GET ?? {};
        return [path, authorizationType, authorizerId, apiKeyRequired];
      }),
    ).toEqual([
      ["/", undefined, undefined, undefined],
      ["/guarded", "CUSTOM", authorizers?.[0]?.id, true],
      ["/open", "NONE", undefined, false],
    ]);
  });
});

describe("keys and plans", () => {
  it("are listed; values of keys only where they are asked for", async () => {
    const plain = await gateway.send(new GetApiKeysCommand({}));
    expect(plain.items?.map(({ name, value }) => [name, value])).toEqual([
      ["partner", undefined],
      ["local-GuardedApiKey", undefined],
    ]);
    const wanted = new GetApiKeysCommand({ includeValues: true, nameQuery: "part" });
    const valued = await gateway.send(wanted);
    expect(valued.items?.map(({ value }) => value)).toEqual(["partner-key-0123456789"]);
    const own = new GetApiKeyCommand({ apiKey: local.outputs.KeyId, includeValue: true });
    expect((await gateway.send(own)).value).toMatch(/^[a-z0-9]{40}$/);
  });

  it("say what they allow, to whom and where", async () => {
    const { items = [] } = await gateway.send(new GetUsagePlansCommand({}));
    const stage = { apiId: ids.local, stage: "v1" };
    expect(items).toEqual([
      {
        ...{ id: expect.any(String), name: "local-Plan" },
        apiStages: [{ ...stage, throttle: { "/open/GET": { rateLimit: 2, burstLimit: 1 } } }],
      },
      {
        ...{ id: expect.any(String), name: "guarded", apiStages: [stage] },
        ...{ throttle: { rateLimit: 10, burstLimit: 20 } },
        quota: { limit: 40, period: "DAY", offset: 0 },
      },
    ]);
    const usagePlanId = items[1]?.id;
    const plan = await gateway.send(new GetUsagePlanCommand({ usagePlanId }));
    expect(plan.name).toBe("guarded");
    const keys = await gateway.send(new GetUsagePlanKeysCommand({ usagePlanId }));
    expect(keys.items?.map(({ id, type }) => [id, type])).toEqual([
      [local.outputs.KeyId, "API_KEY"],
    ]);
    const ofKey = await gateway.send(new GetUsagePlansCommand({ keyId: local.outputs.KeyId }));
    expect(ofKey.items?.map(({ name }) => name)).toEqual(["guarded"]);
  });
});

it("a custom domain has base path mappings", async () => {
  const domainName = "shop.example.test";
  const { items } = await gateway.send(new GetDomainNamesCommand({}));
  expect(items?.map((one) => one.domainName)).toEqual([domainName]);
  const domain = await gateway.send(new GetDomainNameCommand({ domainName }));
  expect(domain.regionalDomainName).toMatch(/^d-a\w{9}\.execute-api\./);
  const mappings = await gateway.send(new GetBasePathMappingsCommand({ domainName }));
  expect(mappings.items).toEqual([{ basePath: "store", restApiId: ids.shop, stage: "prod" }]);
});

it.each<[string, () => Promise<unknown>]>([
  ["API", () => gateway.send(new GetRestApiCommand({ restApiId: "nobody" }))],
  ["stage", () => gateway.send(new GetStageCommand({ restApiId: ids.shop, stageName: "x" }))],
  ["key", () => gateway.send(new GetApiKeyCommand({ apiKey: "x" }))],
  ["plan", () => gateway.send(new GetUsagePlanCommand({ usagePlanId: "x" }))],
  ["domain", () => gateway.send(new GetDomainNameCommand({ domainName: "x" }))],
])("an unknown %s is not found", async (_, call) => {
  expect(await refusalOf(call())).toMatchObject({ name: "NotFoundException", status: 404 });
});

it("CloudWatch counts requests and errors by the API's name", async () => {
  const before = Date.now();
  const statuses = [];
  for (const path of ["carts/1", "carts/2", "nowhere"])
    statuses.push((await fetch(`${local.outputs.Url}${path}`)).status);
  expect(statuses).toEqual([200, 200, 403]);
  const { metrics } = clientsOf(local.endpoint);
  const names = ["Count", "4XXError", "5XXError", "Latency", "IntegrationLatency"];
  const dimensions = [{ Name: "ApiName", Value: "shop" }];
  const { MetricDataResults: results = [] } = await metrics.send(
    new GetMetricDataCommand({
      StartTime: new Date(before - 60_000),
      EndTime: new Date(Date.now() + 60_000),
      MetricDataQueries: names.map((MetricName, at) => ({
        Id: `m${at}`,
        MetricStat: {
          Metric: { Namespace: "AWS/ApiGateway", MetricName, Dimensions: dimensions },
          ...{ Period: 60, Stat: at < 3 ? "Sum" : "SampleCount" },
        },
      })),
    }),
  );
  const sums = results.map(({ Values = [] }) => Values.reduce((sum, value) => sum + value, 0));
  expect(sums).toEqual([3, 1, 0, 3, 2]);
});

describe("aws", () => {
  it.skipIf(AWS_CLIS.length > 0)("is not on this machine: apt-get install awscli", () => {});

  it.each(AWS_CLIS)(
    "$version reads APIs, stages, resources, keys and plans",
    { timeout: 300_000 },
    async ({ program }) => {
      const read = (...args: string[]): Promise<unknown> =>
        aws(program, local.endpoint, ["apigateway", ...args]);
      expect(await read("get-rest-apis")).toMatchObject({
        items: [{ id: ids.shop, name: "shop" }, {}, {}],
      });
      const api = ["--rest-api-id", ids.shop ?? ""];
      expect(await read("get-stage", ...api, "--stage-name", "prod")).toMatchObject({
        ...{ stageName: "prod", methodSettings: { "*/*": { throttlingRateLimit: 100 } } },
      });
      expect(await read("get-resources", ...api, "--embed", "methods")).toMatchObject({
        items: [{}, {}, { resourceMethods: { GET: { httpMethod: "GET" } } }],
      });
      expect(await read("get-api-keys", "--include-values")).toMatchObject({
        items: [{ value: "partner-key-0123456789" }, {}],
      });
      expect(await read("get-usage-plans")).toMatchObject({ items: [{}, { name: "guarded" }] });
      expect(await read("get-domain-names")).toMatchObject({ items: [{}] });
    },
  );
});
