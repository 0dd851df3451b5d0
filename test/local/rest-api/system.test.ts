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
    expect(restApis.map(({ methods, domains, throttles, ...api }) => api)).toEqual([
      {
        ...{ logicalId: "Shop", apiId: expect.stringMatching(/^[a-z0-9]{10}$/), name: "shop" },
        ...{ stage: "prod", tracing: true, binaryTypes: [] },
        accessLog: { group: "/shop/access", format: expect.stringMatching(/^\{.*\}$/) },
        ...{ account: PLACE.account, region: PLACE.region },
      },
      {
        ...{ logicalId: "ServerlessRestApi", apiId: expect.stringMatching(/^[a-z0-9]{10}$/) },
        ...{ name: "local", stage: "Prod", tracing: false, binaryTypes: [], accessLog: null },
        ...{ account: PLACE.account, region: PLACE.region },
      },
    ]);
  });

  it("have methods from events, and throttles in scale", () => {
    const [shop] = load(0.1).restApis;
    const functionName = "echo:live";
    expect([shop?.methods, shop?.throttles, shop?.domains]).toEqual([
      [
        { method: "GET", path: "/carts/{id}", functionName, timeoutMs: 29_000 },
        { method: "POST", path: "/carts/{id}", functionName, timeoutMs: 2_000 },
      ],
      [
        { method: "*", path: "/*", ratePerSecond: 10, burst: 5 },
        { method: "POST", path: "/carts/{id}", ratePerSecond: 0.05, burst: 500 },
      ],
      [{ domain: "shop.example.test", key: "store", apiId: shop?.apiId, stage: "prod" }],
    ]);
  });
});

describe("a deployed REST API", () => {
  let local: LocalAws;
  beforeAll(async () => {
    local = await startSystem({ template: TEMPLATE });
  });
  afterAll(() => local.stop());

  /** To the API's port, whatever host is asked for. */
  function ask(output: string, path: string, host?: string): Promise<{ [key: string]: unknown }> {
    const { hostname, port } = new URL(local.outputs[output] ?? "");
    const headers = host === undefined ? {} : { host };
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
    expect(await ask("Url", "/store/carts/7", "shop.example.test")).toMatchObject({
      ...{ status: 200, domainName: "shop.example.test", id: "7" },
      ...{ path: "/store/carts/7", requestPath: "/store/carts/7" },
    });
    const outside = await ask("Url", "/carts/7", "shop.example.test");
    expect(outside).toMatchObject({ status: 403, message: "Forbidden" });
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
