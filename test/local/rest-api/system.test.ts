// REST APIs of a template, from the file to the function's log.
import { request } from "node:http";
import { fileURLToPath } from "node:url";
import { FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalAws } from "../../../src/local/start.ts";
import { loadTemplate } from "../../../src/local/template/load-template.ts";
import { clientsOf, startSystem } from "../clients.ts";

const TEMPLATE = fileURLToPath(new URL("./template.yaml", import.meta.url));
const PLACE = { account: "000000000000", region: "eu-west-1", endpoint: "http://127.0.0.1:1" };
const load = (scale: number) => loadTemplate({ ...PLACE, file: TEMPLATE, scale });

describe("a template's REST APIs", () => {
  it("are the declared ones and SAM's implicit one, each with a stage", () => {
    const { restApis, apis } = load(1);
    expect(apis).toEqual([]);
    const [shop, guarded, implicit] = restApis;
    expect(guarded?.logicalId).toBe("Guarded");
    expect(
      [shop, implicit].map((api) => ({
        ...{ ...api, methods: 0, domains: 0, throttles: 0, gatewayResponses: 0 },
      })),
    ).toEqual([
      {
        ...{ logicalId: "Shop", apiId: expect.stringMatching(/^[a-z0-9]{10}$/), name: "shop" },
        ...{ stage: "prod", tracing: true, binaryTypes: [], webAcl: null },
        ...{ methods: 0, domains: 0, throttles: 0, gatewayResponses: 0 },
        accessLog: { group: "/shop/access", format: expect.stringMatching(/^\{.*\}$/) },
        ...{ account: PLACE.account, region: PLACE.region },
      },
      {
        ...{ logicalId: "ServerlessRestApi", apiId: expect.stringMatching(/^[a-z0-9]{10}$/) },
        ...{ name: "local", stage: "Prod", tracing: true, binaryTypes: [], accessLog: null },
        ...{ methods: 0, domains: 0, throttles: 0, webAcl: null, gatewayResponses: 0 },
        ...{ account: PLACE.account, region: PLACE.region },
      },
    ]);
  });

  it("have methods from events, and throttles in scale", () => {
    const [shop] = load(0.1).restApis;
    const open = { apiKeyRequired: false, authorizer: null, functionName: "echo:live" };
    expect([shop?.methods, shop?.throttles, shop?.domains]).toEqual([
      [
        { method: "GET", path: "/carts/{id}", timeoutMs: 29_000, ...open },
        { method: "POST", path: "/carts/{id}", timeoutMs: 2_000, ...open },
      ],
      [
        { method: "*", path: "/*", ratePerSecond: 10, burst: 5 },
        { method: "POST", path: "/carts/{id}", ratePerSecond: 0.05, burst: 500 },
      ],
      [{ domain: "shop.example.test", key: "store", apiId: shop?.apiId, stage: "prod" }],
    ]);
  });
});

describe("what guards a template's REST API", () => {
  it("are authorizers, keys and plans, in scale", () => {
    const { restApis, usage } = load(0.5);
    const [, guarded] = restApis;
    const tokens = {
      ...{ name: "Tokens", type: "TOKEN", functionName: "auth", pattern: null, cacheS: 0 },
      identity: [{ in: "header", name: "x-token" }],
    };
    expect(
      guarded?.methods.map(({ path, apiKeyRequired, authorizer }) => [
        ...[path, apiKeyRequired, authorizer],
      ]),
    ).toEqual([
      ["/guarded", true, tokens],
      ["/open", false, null],
    ]);
    const [partner, own] = usage.keys;
    expect(usage.keys).toEqual([
      {
        ...{ id: expect.stringMatching(/^[a-z0-9]{10}$/), name: "partner" },
        ...{ value: "partner-key-0123456789", enabled: true },
      },
      {
        ...{ id: expect.stringMatching(/^[a-z0-9]{10}$/), name: "local-GuardedApiKey" },
        ...{ value: expect.stringMatching(/^[a-z0-9]{40}$/), enabled: true },
      },
    ]);
    const stage = { apiId: guarded?.apiId, stage: "v1" };
    const id = expect.stringMatching(/^[a-z0-9]{6}$/);
    const throttle = { method: "GET", path: "/open", ratePerSecond: 1, burst: 1 };
    expect(usage.plans).toEqual([
      {
        ...{ id, name: "local-Plan", quota: null, throttle: null, keys: [partner] },
        stages: [{ ...stage, throttles: [throttle] }],
      },
      {
        ...{ id, name: "guarded", keys: [own], stages: [{ ...stage, throttles: [] }] },
        quota: { limit: 20, period: "DAY", offset: 0 },
        throttle: { ratePerSecond: 5, burst: 10 },
      },
    ]);
  });

  it("is a web ACL, its rules by their priority", () => {
    const user = { kind: "header", name: "user-agent" };
    expect(load(0.5).restApis[1]?.webAcl).toEqual({
      arn: expect.stringMatching(
        /^arn:aws:wafv2:eu-west-1:000000000000:regional\/webacl\/acl\/\w+$/,
      ),
      defaultAction: "ALLOW",
      rules: [
        {
          ...{ name: "bots", action: "BLOCK" },
          statement: {
            kind: "and",
            statements: [
              { kind: "bytes", field: user, how: "STARTS_WITH", text: "badbot", lowercase: true },
              {
                kind: "not",
                statement: { kind: "address", cidrs: ["192.0.2.0/24"], of: "connection" },
              },
            ],
          },
        },
        {
          ...{ name: "rate", action: "BLOCK" },
          statement: { kind: "rate", limit: 50, windowS: 60, by: "connection", scope: null },
        },
      ],
    });
  });
});

describe("a deployed REST API", () => {
  let local: LocalAws;
  beforeAll(async () => {
    local = await startSystem({ template: TEMPLATE });
  });
  afterAll(() => local.stop());

  /** To the API's port, whatever host is asked for. */
  function ask(
    output: string,
    path: string,
    headers: { [name: string]: string } = {},
  ): Promise<{ [key: string]: unknown }> {
    const { hostname, port } = new URL(local.outputs[output] ?? "");
    return new Promise((resolve, reject) => {
      request({ hostname, port, path, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.on("end", () =>
          resolve({
            status: response.statusCode,
            id: response.headers["x-amzn-requestid"],
            ...(JSON.parse(text) as object),
          }),
        );
      })
        .on("error", reject)
        .end();
    });
  }

  it("is reached by its outputs, below its stage", async () => {
    const { Url = "", Stage } = local.outputs;
    expect([Stage, new URL(Url).pathname, new URL(Url).hostname]).toEqual([
      ...["prod", "/prod/", "127.0.0.1"],
    ]);
    expect(await ask("Url", "/prod/carts/a%20b")).toMatchObject({
      ...{ status: 200, resource: "/carts/{id}", path: "/carts/a%20b", id: "a b" },
      ...{ requestPath: "/prod/carts/a%20b", shop: Url.replace(/\/$/, "") },
      domainName: expect.stringMatching(/^a\w{9}\.execute-api\.eu-west-1\.amazonaws\.com$/),
    });
    expect(await ask("Implicit", "/Prod/x/y")).toMatchObject({ status: 200, path: "/x/y" });
    expect(await ask("Url", "/prod/nowhere")).toMatchObject({
      ...{ status: 403, message: "Missing Authentication Token" },
    });
  });

  it("is below its mapping on a custom domain", async () => {
    expect(await ask("Url", "/store/carts/7", { host: "shop.example.test" })).toMatchObject({
      ...{ status: 200, domainName: "shop.example.test", id: "7" },
      ...{ path: "/store/carts/7", requestPath: "/store/carts/7" },
    });
    const outside = await ask("Url", "/carts/7", { host: "shop.example.test" });
    expect(outside).toMatchObject({ status: 403, message: "Forbidden" });
  });

  it("is guarded by its web ACL, its authorizer and its key", async () => {
    const key = { "x-api-key": "partner-key-0123456789" };
    const asked = async (headers: { [name: string]: string }): Promise<unknown[]> => {
      const { status, message } = await ask("Guarded", "/v1/guarded", headers);
      return [status, message];
    };
    expect(await asked({ ...key, "x-token": "good" })).toEqual([200, undefined]);
    expect(await asked({ "x-token": "good" })).toEqual([403, "Forbidden"]);
    expect(await asked({ ...key, "x-token": "nobody" })).toEqual([401, "Unauthorized"]);
    const denied = "User is not authorized to access this resource with an explicit deny";
    expect(await asked({ ...key, "x-token": "bad" })).toEqual([403, denied]);
    expect(await asked(key)).toEqual([401, "Unauthorized"]);
    expect(await asked({ ...key, "x-token": "good", "user-agent": "BadBot" })).toEqual([
      ...[403, "Forbidden"],
    ]);
    expect(await ask("Guarded", "/v1/open")).toMatchObject({ status: 200 });
  });

  it("leads from its request id to the function's REPORT line", async () => {
    const { status } = await ask("Url", "/prod/carts/1");
    expect(status).toBe(200);
    const { logs } = clientsOf(local.endpoint);
    const lines = async (logGroupName: string): Promise<string[]> => {
      const { events = [] } = await logs.send(new FilterLogEventsCommand({ logGroupName }));
      return events.map(({ message = "" }) => message);
    };
    const access = (await lines("/shop/access")).map((line) => JSON.parse(line));
    const reports = await lines("/aws/lambda/echo");
    const { requestId, awsEndpointRequestId } = access.at(-1);
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(
      reports.filter((line) => line.includes(`REPORT RequestId: ${awsEndpointRequestId}`)),
    ).toHaveLength(1);
  });
});
