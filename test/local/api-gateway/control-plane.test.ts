// From a host to the function behind it, as API Gateway's control plane tells it.
import { request } from "node:http";
import { fileURLToPath } from "node:url";
import {
  ApiGatewayV2Client,
  GetApiCommand,
  GetApiMappingsCommand,
  GetApisCommand,
  GetDomainNameCommand,
  GetDomainNamesCommand,
  GetIntegrationCommand,
  GetIntegrationsCommand,
  GetRoutesCommand,
  GetStageCommand,
} from "@aws-sdk/client-apigatewayv2";
import { GetMetricDataCommand } from "@aws-sdk/client-cloudwatch";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { LocalAws } from "../../../src/local/start.ts";
import { clientsOf, refusalOf, startSystem } from "../clients.ts";

let local: LocalAws;
let gateway: ApiGatewayV2Client;

beforeAll(async () => {
  const template = fileURLToPath(new URL("./template.yaml", import.meta.url));
  local = await startSystem({ template });
  gateway = new ApiGatewayV2Client({
    endpoint: local.endpoint,
    region: "eu-west-1",
    maxAttempts: 1,
    credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" },
  });
});
afterAll(() => local.stop());

/** The function's answer to a request for a host, sent to one API's port. */
function ask(output: string, host: string, path: string): Promise<[number, object]> {
  const { port } = new URL(local.outputs[output] ?? "");
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path, headers: { host } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve([response.statusCode ?? 0, JSON.parse(text) as object]));
    })
      .on("error", reject)
      .end();
  });
}

it("a custom domain leads by its mapping, API, route and integration to the alias", async () => {
  const { Items: domains } = await gateway.send(new GetDomainNamesCommand({}));
  expect(domains?.map(({ DomainName }) => DomainName)).toEqual([
    "api.example.test",
    "shop.example.test",
  ]);
  const { Items: mappings = [] } = await gateway.send(
    new GetApiMappingsCommand({ DomainName: "shop.example.test" }),
  );
  const { ApiId, Stage } = mappings[0] ?? {};
  expect(mappings.map(({ ApiMappingKey }) => ApiMappingKey)).toEqual(["store", "store/eu"]);
  const api = await gateway.send(new GetApiCommand({ ApiId }));
  expect(api).toMatchObject({ Name: "Api", ApiEndpoint: local.outputs.Api, ProtocolType: "HTTP" });
  const stage = await gateway.send(new GetStageCommand({ ApiId, StageName: Stage }));
  expect(stage.StageName).toBe("$default");
  const { Items: routes = [] } = await gateway.send(new GetRoutesCommand({ ApiId }));
  expect(routes.map(({ RouteKey }) => RouteKey)).toEqual(["GET /carts/{id}"]);
  const IntegrationId = routes[0]?.Target?.replace("integrations/", "");
  const integration = await gateway.send(new GetIntegrationCommand({ ApiId, IntegrationId }));
  expect(integration).toMatchObject({
    IntegrationType: "AWS_PROXY",
    PayloadFormatVersion: "2.0",
    IntegrationUri:
      "arn:aws:apigateway:eu-west-1:lambda:path/2015-03-31/functions/" +
      "arn:aws:lambda:eu-west-1:000000000000:function:shop:live/invocations",
  });
  const { Items: all } = await gateway.send(new GetIntegrationsCommand({ ApiId }));
  expect(all?.map((each) => each.IntegrationId)).toEqual([IntegrationId]);
});

it("a domain's DNS target is the template's, and what is unknown is not found", async () => {
  const domain = await gateway.send(new GetDomainNameCommand({ DomainName: "api.example.test" }));
  expect(domain.DomainNameConfigurations).toEqual([
    expect.objectContaining({
      ApiGatewayDomainName: local.outputs.Target,
      DomainNameStatus: "AVAILABLE",
    }),
  ]);
  const other = new GetDomainNameCommand({ DomainName: "other.example.test" });
  expect(await refusalOf(gateway.send(other))).toMatchObject({
    name: "NotFoundException",
    status: 404,
  });
});

it("lists come in pages", async () => {
  const seen: (string | undefined)[] = [];
  let NextToken: string | undefined;
  do {
    const page = await gateway.send(new GetApisCommand({ MaxResults: "1", NextToken }));
    expect(page.Items?.length).toBe(1);
    seen.push(page.Items?.[0]?.Name);
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  expect(seen).toEqual(["Api", "Staged"]);
});

it("a request for a custom domain finds its route below the longest key that fits", async () => {
  const domain = { domainName: "shop.example.test", domainPrefix: "shop" };
  const routeKey = "GET /carts/{id}";
  expect(await ask("Api", "shop.example.test", "/store/carts/7")).toEqual([
    200,
    { ...domain, rawPath: "/store/carts/7", routeKey, id: "7" },
  ]);
  expect(await ask("Api", "Shop.Example.test:443", "/store/eu/carts/8")).toEqual([
    200,
    { ...domain, rawPath: "/store/eu/carts/8", routeKey, id: "8" },
  ]);
  expect(await ask("Api", "shop.example.test", "/carts/7")).toEqual([
    404,
    { message: "Not Found" },
  ]);
});

it("a custom domain stands for the stage, which the API's own domain has in its path", async () => {
  expect(await ask("Staged", "api.example.test", "/any")).toMatchObject([
    200,
    { rawPath: "/any", routeKey: "$default" },
  ]);
  expect(await ask("Staged", "127.0.0.1", "/prod/any")).toMatchObject([
    200,
    { rawPath: "/prod/any", domainName: expect.stringContaining(".execute-api.") },
  ]);
  expect(await ask("Staged", "127.0.0.1", "/any")).toEqual([404, { message: "Not Found" }]);
});

it("CloudWatch counts requests and errors by the API's id, and by its stage", async () => {
  const { Items: apis = [] } = await gateway.send(new GetApisCommand({}));
  const api = apis[0]!;
  const before = Date.now();
  const found = await fetch(`${api.ApiEndpoint}/nowhere-at-all`);
  expect(found.status).toBe(404);
  const { metrics } = clientsOf(local.endpoint);
  const ofApi = { Name: "ApiId", Value: api.ApiId ?? "" };
  const names = ["Count", "4xx", "5xx", "Latency", "IntegrationLatency"];
  for (const dimensions of [[ofApi], [ofApi, { Name: "Stage", Value: "$default" }]]) {
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
    const [count = 0, clientErrors = 0, serverErrors, latency, integrated = 0] = sums;
    expect([clientErrors > 0, serverErrors, latency]).toEqual([true, 0, count]);
    expect(integrated).toBe(count - clientErrors);
  }
});
