// `gatecrash init`: a first scenario that lints clean, about the routes of the template at hand.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { gatecrash } from "../support/in-process.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "gatecrash-init-"));
  writeFileSync(join(dir, "get.mjs"), "export const handler = async () => ({ statusCode: 404 });");
});
afterEach(() => rmSync(dir, { recursive: true }));

const shop = (api: "HttpApi" | "Api", outputs: string): string => `
Resources:
  Front: { Type: "AWS::Serverless::${api}", Properties: { StageName: ${api === "Api" ? "prod" : "$default"} } }
  Get:
    Type: AWS::Serverless::Function
    Properties:
      Handler: get.handler
      Runtime: nodejs22.x
      Events:
        Post:
          Type: ${api}
          Properties: { ${api === "Api" ? "RestApiId" : "ApiId"}: !Ref Front, Path: /orders, Method: POST }
        Get:
          Type: ${api}
          Properties: { ${api === "Api" ? "RestApiId" : "ApiId"}: !Ref Front, Path: "/orders/{id}", Method: GET }
Outputs:
${outputs}
`;
const URL_OF = {
  HttpApi: "  Url: { Value: !GetAtt Front.ApiEndpoint }",
  Api: '  Url: { Value: !Join ["", ["https://", !Ref Front, ".execute-api.eu-west-1.amazonaws.com/prod/"]] }',
};
const ARN = "  GetArn: { Value: !GetAtt Get.Arn }";

async function init(template: string) {
  const [file, out] = [join(dir, "template.yaml"), join(dir, "scenario.yaml")];
  writeFileSync(file, template);
  const answered = await gatecrash("init", file, "--out", out);
  return { ...answered, file: out };
}

describe("gatecrash init", () => {
  it.each([
    ["HttpApi", "{{outputs.Url}}/orders/1"],
    ["Api", "{{outputs.Url}}orders/1"],
  ] as const)(
    "writes a scenario for a route that reads of an %s",
    async (api, url) => {
      const { code, out, err, file } = await init(shop(api, `${URL_OF[api]}\n${ARN}`));
      expect([code, err]).toEqual([0, ""]);
      expect(out).toContain(`gatecrash lint ${file}`);
      const text = readFileSync(file, "utf8");
      expect(text).toMatch(/^# yaml-language-server: \$schema=.*scenario\.schema\.json\n/);
      expect(text).toContain("POST /orders, GET /orders/{id}");
      expect(parse(text)).toMatchObject({
        template: "template.yaml",
        allow: { hosts: ["{{outputs.Url}}"], change: ["{{outputs.GetArn}}"] },
        loads: { callers: { http: { url }, ok: { status: ["200-299", 404] } } },
        faults: [{ "reserved-concurrency": { function: "{{outputs.GetArn}}", to: 0 } }],
      });
      const linted = await gatecrash("lint", file);
      expect([linted.code, linted.out]).toEqual([
        0,
        expect.stringContaining("0 errors, 0 warnings"),
      ]);
      const planned = await gatecrash("plan", file);
      expect([planned.code, planned.err]).toEqual([0, ""]);
    },
    120_000,
  );

  it("takes the next function that reads where the first has no output", async () => {
    const more = `  List:
    Type: AWS::Serverless::Function
    Properties:
      Handler: get.handler
      Runtime: nodejs22.x
      Events:
        Get: { Type: HttpApi, Properties: { ApiId: !Ref Front, Path: /orders, Method: GET } }
Outputs:`;
    const outputs = `${URL_OF.HttpApi}\n  ListArn: { Value: !GetAtt List.Arn }`;
    const { code, err, file } = await init(shop("HttpApi", outputs).replace("Outputs:", more));
    expect([code, err]).toEqual([0, ""]);
    expect(parse(readFileSync(file, "utf8"))).toMatchObject({
      allow: { change: ["{{outputs.ListArn}}"] },
      loads: { callers: { http: { url: "{{outputs.Url}}/orders" } } },
      faults: [{ "reserved-concurrency": { function: "{{outputs.ListArn}}", to: 0 } }],
    });
    expect((await gatecrash("lint", file)).out).toContain("0 errors, 0 warnings");
  }, 120_000);

  it("writes one without a fault where no output is the function, and says how to have one", async () => {
    const { code, file } = await init(shop("HttpApi", URL_OF.HttpApi));
    const text = readFileSync(file, "utf8");
    expect([code, parse(text).faults]).toEqual([0, undefined]);
    expect(text).toContain("No fault yet");
    expect((await gatecrash("lint", file)).code).toBe(0);
  }, 120_000);

  it("says what is missing where no output is a URL", async () => {
    const { file } = await init(shop("HttpApi", ARN));
    expect(readFileSync(file, "utf8")).toContain("No output of the template is a URL");
  }, 120_000);

  it("never writes over a file", async () => {
    writeFileSync(join(dir, "scenario.yaml"), "mine");
    const { code, err, file } = await init(shop("HttpApi", URL_OF.HttpApi));
    expect([code, readFileSync(file, "utf8")]).toEqual([64, "mine"]);
    expect(err).toContain("is there already");
  }, 120_000);

  it("names the template that it wants, or the line that it cannot read", async () => {
    mkdirSync(join(dir, "empty"));
    const none = await gatecrash("init", join(dir, "no.yaml"));
    expect([none.code, none.err]).toEqual([64, expect.stringContaining("no.yaml: no such file")]);
    const { code, err } = await init("Resources:\n  A: { Type: AWS::Neptune::DBCluster }\n");
    expect([code, err]).toEqual([64, expect.stringContaining("template.yaml:2: AWS::Neptune")]);
  }, 120_000);
});
