// The gateway's own answers as a team has changed them: status, headers and words.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadTemplate } from "../../../src/local/template/load-template.ts";
import type { GatewayResponseSpec, RestApiSpec } from "../../../src/local/template/rest-types.ts";
import { formatOf, method, startRestGateway } from "./gateway.ts";

const spec = (more: Partial<GatewayResponseSpec>): GatewayResponseSpec => ({
  ...{ status: null, headers: [], templates: [] },
  ...more,
});
const accessLog = { group: "g", format: formatOf(["status", "error.responseType"]) };
const keyed = { methods: [method("GET", "/a/{id}", { apiKeyRequired: true })], accessLog };
const changed = (responses: { readonly [type: string]: Partial<GatewayResponseSpec> }) =>
  startRestGateway({
    ...keyed,
    gatewayResponses: new Map(
      Object.entries(responses).map(([type, more]) => [type, spec(more)] as const),
    ),
  });

describe("a changed answer", () => {
  it("has its status, headers and words, and keeps its error type", async () => {
    await using gateway = await changed({
      INVALID_API_KEY: {
        status: 401,
        headers: [
          ["X-Why", "'no key'"],
          ["X-Id", "method.request.path.id"],
          ["X-Asked", "method.request.querystring.q"],
          ["X-Type", "context.error.responseType"],
        ],
        templates: [
          [
            "application/json",
            '{"m":$context.error.messageString,"t":"$context.error.responseType",' +
              '"u":"$context.nobody"}',
          ],
          ["text/plain", "$context.error.message for $method.request.header.x-name"],
        ],
      },
    });
    const answer = await gateway.ask("GET", "/prod/a/7?q=why");
    expect([answer.status, answer.body]).toEqual([
      401,
      '{"m":"Forbidden","t":"INVALID_API_KEY","u":""}',
    ]);
    expect(answer.headers).toMatchObject({
      ...{ "x-why": "no key", "x-id": "7", "x-asked": "why", "x-type": "INVALID_API_KEY" },
      "x-amzn-errortype": "ForbiddenException",
    });
    const plain = await gateway.ask("GET", "/prod/a/7", ["Accept", "text/plain", "X-Name", "me"]);
    expect([plain.headers["content-type"], plain.body]).toEqual(["text/plain", "Forbidden for me"]);
    expect(gateway.lines.map(({ message }) => message)).toEqual([
      '{"status":"401","error.responseType":"INVALID_API_KEY"}',
      '{"status":"401","error.responseType":"INVALID_API_KEY"}',
    ]);
  });

  it("of the class stands for every type of it that has none", async () => {
    await using gateway = await changed({
      DEFAULT_4XX: { status: 200, headers: [["X-C", "'4'"]] },
      DEFAULT_5XX: { headers: [["X-C", "'5'"]] },
    });
    const refused = await gateway.ask("GET", "/prod/a/7");
    expect([refused.status, refused.headers["x-c"], refused.body]).toEqual([
      ...[200, "4", '{"message":"Forbidden"}'],
    ]);
    expect(gateway.answered.map(({ status }) => status)).toEqual([403]); // a 4XXError
    expect((await gateway.ask("GET", "/prod/nowhere")).status).toBe(200);
  });

  it.each<[object, number]>([
    [{}, 500],
    [{ INTEGRATION_FAILURE: { headers: [["X-C", "'1'"]] } }, 504],
    [{ INTEGRATION_FAILURE: { status: 503 } }, 503],
    [{ DEFAULT_5XX: {} }, 500],
  ])("of a failed integration, %j, is a %i", async (responses, status) => {
    const open: Partial<RestApiSpec> = { methods: [method("GET", "/a")], accessLog };
    await using gateway = await startRestGateway({
      ...open,
      gatewayResponses: new Map(
        Object.entries(responses).map(([type, more]) => [type, spec(more)] as const),
      ),
    });
    gateway.play({ kind: "throttled" });
    expect((await gateway.ask("GET", "/prod/a")).status).toBe(status);
  });

  it("is not the function's own", async () => {
    await using gateway = await startRestGateway({
      ...{ methods: [method("GET", "/a")], accessLog },
      gatewayResponses: new Map([["DEFAULT_4XX", spec({ status: 200 })]]),
    });
    gateway.play({ payload: '{"statusCode":404,"body":"mine"}' });
    expect(await gateway.ask("GET", "/prod/a")).toMatchObject({ status: 404, body: "mine" });
  });
});

describe("a template", () => {
  const dir = mkdtempSync(join(tmpdir(), "gatecrash-responses-"));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  const API = `Resources:
  Api:
    Type: AWS::Serverless::Api
    Properties:
      StageName: v1
`;
  const load = (yaml: string) => {
    const file = join(dir, "template.yaml");
    writeFileSync(file, `Transform: AWS::Serverless-2016-10-31\n${yaml}`);
    const place = { account: "222222222222", region: "eu-west-1", scale: 1 };
    return loadTemplate({ file, endpoint: "http://127.0.0.1:1", ...place }).restApis[0]
      ?.gatewayResponses;
  };
  const resource = (properties: string): string =>
    `${API}  One:\n    Type: AWS::ApiGateway::GatewayResponse\n    Properties: ${properties}\n`;

  it("says it by a resource, or on the API in SAM's words", () => {
    const said = spec({
      ...{ status: 429, headers: [["Retry-After", "'5'"]] },
      templates: [["application/json", "{}"]],
    });
    const own = load(
      resource(
        "{ RestApiId: !Ref Api, ResponseType: THROTTLED, StatusCode: '429', " +
          `ResponseParameters: { gatewayresponse.header.Retry-After: "'5'" }, ` +
          "ResponseTemplates: { application/json: '{}' } }",
      ),
    );
    const sam = load(
      `${API}      GatewayResponses:\n        THROTTLED: { StatusCode: 429, ` +
        `ResponseParameters: { Headers: { Retry-After: "'5'" } }, ` +
        "ResponseTemplates: { application/json: '{}' } }\n",
    );
    expect([...(own ?? [])]).toEqual([["THROTTLED", said]]);
    expect([...(sam ?? [])]).toEqual([["THROTTLED", said]]);
  });

  it.each([
    ["{ RestApiId: x, ResponseType: THROTTLED }", "RestApiId names no REST API here"],
    ["{ RestApiId: !Ref Api, ResponseType: TEAPOT }", "ResponseType"],
    ["{ RestApiId: !Ref Api, ResponseType: THROTTLED, StatusCode: 999 }", "not an HTTP status"],
    [
      "{ RestApiId: !Ref Api, ResponseType: THROTTLED, ResponseParameters: { X: \"'1'\" } }",
      "gatewayresponse.header.NAME",
    ],
    [
      "{ RestApiId: !Ref Api, ResponseType: THROTTLED, " +
        "ResponseParameters: { gatewayresponse.header.X: 5x } }",
      "a 'literal', context",
    ],
  ])("with %s is refused with its line", (properties, message) => {
    let error: unknown;
    try {
      load(resource(properties));
    } catch (thrown) {
      error = thrown;
    }
    const text = JSON.stringify(error, (_, value: unknown) =>
      value instanceof Error
        ? {
            ...value,
            message: value.message,
            ...(value instanceof AggregateError ? { errors: value.errors } : {}),
          }
        : value,
    );
    expect(text).toContain(message);
    expect(text).toMatch(/"line":\d+/);
  });

  it("may not change one type twice", () => {
    const twice = resource("{ RestApiId: !Ref Api, ResponseType: THROTTLED }").replace(
      "      StageName: v1\n",
      "      StageName: v1\n      GatewayResponses: { THROTTLED: {} }\n",
    );
    expect(() => load(twice)).toThrow("the API has a response THROTTLED already");
  });
});
