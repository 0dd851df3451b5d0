// Which templates are taken, what they become, and where complaints point.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GatecrashError } from "../../../src/core/error.ts";
import { loadTemplate } from "../../../src/local/template/load-template.ts";
import { apiIdOf } from "../../../src/local/template/names.ts";
import type { Template } from "../../../src/local/template/types.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "gatecrash-template-"));
  mkdirSync(join(dir, "functions"));
  writeFileSync(join(dir, "functions", "a.mjs"), "");
  writeFileSync(join(dir, "a.mjs"), ""); // for templates without CodeUri
});
afterEach(() => rmSync(dir, { recursive: true }));

function load(text: string, scale = 1): Template {
  const file = join(dir, "template.yaml");
  writeFileSync(file, text);
  const place = { account: "000000000000", region: "eu-west-1" };
  return loadTemplate({ ...place, file, scale, endpoint: "http://127.0.0.1:1" });
}

function complaintAbout(text: string): string {
  try {
    load(text);
  } catch (thrown) {
    if (thrown instanceof GatecrashError) return thrown.render().replace(`${dir}/`, "");
    throw thrown;
  }
  return "no complaint";
}

const ONE = `
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties:
      Handler: a.handler
      Runtime: nodejs22.x
      CodeUri: functions
`;

describe("a template", () => {
  it("gives functions SAM's defaults", () => {
    const [fn] = load(ONE).functions;
    expect(fn?.spec).toMatchObject({
      name: "local-F",
      arn: "arn:aws:lambda:eu-west-1:000000000000:function:local-F",
      timeoutMs: 3_000,
      memoryMb: 128,
      reserved: null,
      initMs: 0,
      isolation: "shared",
      logGroup: "/aws/lambda/local-F",
    });
  });

  it("merges globals under the function's own properties", () => {
    const text = `
Globals:
  Function: { Timeout: 9, MemorySize: 512, Environment: { Variables: { A: shared, B: shared } } }
${ONE}      Timeout: 4
      Environment: { Variables: { B: own, C: 3 } }
`;
    const spec = load(text).functions[0]?.spec;
    expect([spec?.timeoutMs, spec?.memoryMb]).toEqual([4_000, 512]);
    expect(spec?.environment).toMatchObject({ A: "shared", B: "own", C: "3" });
  });

  it.each([
    [0, 0],
    [1, 1],
    [50, 5],
    [800, 80],
  ])("scales a reservation of %i by a tenth to %i", (reserved, scaled) => {
    const text = `${ONE}      ReservedConcurrentExecutions: ${reserved}\n`;
    expect(load(text, 0.1).functions[0]?.spec.reserved).toBe(scaled);
  });

  it("makes the implicit API for events without ApiId", () => {
    const text = `${ONE}      Events:
        Any: { Type: HttpApi }
        One: { Type: HttpApi, Properties: { Path: "/p/{id}", Method: get } }
Outputs:
  Url: { Value: !Sub "https://\${ServerlessHttpApi}.execute-api.\${AWS::Region}.amazonaws.com/x" }
`;
    const template = load(text);
    const integration = { kind: "lambda", functionName: "local-F", payloadVersion: "2.0" };
    const route = { integration, timeoutMs: 30_000 };
    expect(template.apis).toEqual([
      {
        logicalId: "ServerlessHttpApi",
        apiId: apiIdOf("ServerlessHttpApi"),
        stage: "$default",
        accessLog: null,
        domains: [],
        account: "000000000000",
        region: "eu-west-1",
        routes: [
          { ...route, method: "ANY", path: "$default" },
          { ...route, method: "GET", path: "/p/{id}" },
        ],
      },
    ]);
    const onAws = `${apiIdOf("ServerlessHttpApi")}.execute-api.eu-west-1.amazonaws.com`;
    const fronts = [{ onAws, host: "127.0.0.1:8080" }];
    expect(template.outputs(fronts)).toEqual({ Url: "http://127.0.0.1:8080/x" });
  });

  it("resolves long and short forms alike", () => {
    const text = `
Parameters: { Stage: { Type: String, Default: dev } }
${ONE}Outputs:
  Short: { Value: !Join [":", [!Ref Stage, !Select [1, !Split [",", "a,b"]], !GetAtt F.Arn]] }
  Long: { Value: { "Fn::Sub": ["\${Stage}:\${B}:\${F.Arn}", { B: b }] } }
`;
    const joined = "dev:b:arn:aws:lambda:eu-west-1:000000000000:function:local-F";
    expect(load(text).outputs([])).toEqual({ Short: joined, Long: joined });
  });
});

const restEvent = (method: string, path: string, more = ""): string =>
  `{ Type: Api, Properties: { Method: ${method}, Path: ${path}, ${more} } }`;

const REST_API =
  "  A:\n    Type: AWS::Serverless::Api\n    Properties:\n      StageName: s\n" +
  "      Auth: { Authorizers:";

const aclOf = (statement: string): string =>
  `${ONE}  A:\n    Type: AWS::WAFv2::WebACL\n    Properties:\n      Scope: REGIONAL\n` +
  "      DefaultAction: { Allow: {} }\n" +
  `      Rules: [{ Name: r, Priority: 1, Action: { Block: {} }, Statement: ${statement} }]\n`;

describe("a complaint names the line", () => {
  it.each([
    [
      "an unknown resource type",
      `${ONE}  Q:\n    Type: AWS::Neptune::DBCluster\n`,
      "10: AWS::Neptune::DBCluster is not",
    ],
    ["an unknown property", `${ONE}      Timeuot: 3\n`, "9: Resources.F.Properties.Timeuot is not"],
    ["a value out of range", `${ONE}      Timeout: 901\n`, "9: Resources.F.Properties.Timeout: "],
    ["an unknown name", `${ONE}      FunctionName: !Ref Nobody\n`, '9: Ref to "Nobody"'],
    [
      "an unknown attribute",
      `${ONE}      Description: !GetAtt F.Url\n`,
      '9: there is no attribute "F.Url"',
    ],
    ["an unknown tag", `${ONE}      Timeout: !Cidr [A, 1, 2]\n`, "9: !Cidr is not modelled"],
    ["a runtime that is no Node.js", ONE.replace("nodejs22.x", "python3.12"), "7: Resources.F"],
    [
      "code outside the folder",
      ONE.replace("CodeUri: functions", "CodeUri: .."),
      "8: CodeUri .. leads",
    ],
    [
      "code that is not there",
      ONE.replace("CodeUri: functions", "CodeUri: lost"),
      "8: CodeUri lost is no",
    ],
    ["an event of another kind", `${ONE}      Events: { E: { Type: SNS } }\n`, "9: Resources.F"],
    ["no resources", "Description: empty\n", "1: Resources is missing"],
    ["an empty file", "", "1: Resources is missing"],
    ["a file of bytes", "\0\u0001", "1: this is no text file"],
    ["a resource that stands twice", `${ONE}  F: {}\n`, "9: key `F` is given a second time"],
    [
      "provisioned concurrency without an alias",
      `${ONE}      ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 1 }\n`,
      "9: function F: ProvisionedConcurrencyConfig needs AutoPublishAlias",
    ],
    ["an alias that is a number", `${ONE}      AutoPublishAlias: "7"\n`, "9: Resources.F"],
    [
      "a mapping without its domain",
      `${ONE}  A: { Type: AWS::Serverless::HttpApi }\n  M:\n` +
        "    Type: AWS::ApiGatewayV2::ApiMapping\n    Properties: { ApiId: !Ref A, " +
        "DomainName: a.example, Stage: $default }\n",
      "12: a.example is no domain name of this template",
    ],
    [
      "a mapping to a stage that is not there",
      `${ONE}  A: { Type: AWS::Serverless::HttpApi }\n  M:\n` +
        "    Type: AWS::ApiGatewayV2::ApiMapping\n    Properties: { ApiId: !Ref A, " +
        "DomainName: a.example, Stage: prod }\n",
      "12: no API a",
    ],
    [
      "two mappings of one path",
      `${ONE}  A:\n    Type: AWS::Serverless::HttpApi\n    Properties:\n      Domain: ` +
        "{ DomainName: a.example, BasePath: [x, /x] }\n",
      "12: a.example has two mappings for x",
    ],
    [
      "a distribution without the origin of its behaviour",
      `${ONE}  D:\n    Type: AWS::CloudFront::Distribution\n    Properties:\n      DistributionConfig: ` +
        "{ Origins: [{ Id: a, DomainName: a.example }], DefaultCacheBehavior: { TargetOriginId: b } }\n",
      "12: b is no origin of D",
    ],
    [
      "a listener of no load balancer",
      `${ONE}  L:\n    Type: AWS::ElasticLoadBalancingV2::Listener\n    Properties: ` +
        "{ LoadBalancerArn: none, Port: 80, Protocol: HTTP, DefaultActions: [{ Type: forward }] }\n",
      "11: none is no load balancer of this template",
    ],
    [
      "a listener that forwards to nothing",
      `${ONE}  B: { Type: AWS::ElasticLoadBalancingV2::LoadBalancer }\n  L:\n` +
        "    Type: AWS::ElasticLoadBalancingV2::Listener\n    Properties: { LoadBalancerArn: !Ref B, " +
        "Port: 80, Protocol: HTTP, DefaultActions: [{ Type: forward, TargetGroupArn: gone }] }\n",
      "12: gone is no target group of this template",
    ],
    [
      "a load balancer's kind that is not modelled",
      `${ONE}  B:\n    Type: AWS::ElasticLoadBalancingV2::LoadBalancer\n    Properties: { Type: network }\n`,
      "11: Resources.B.Properties.Type",
    ],
    [
      "an event of a REST API that is not there",
      `${ONE}      Events: { E: ${restEvent("get", "/a", "RestApiId: x")} }\n`,
      "9: event E: RestApiId names no REST API here",
    ],
    [
      "a method that is no method",
      `${ONE}      Events: { E: ${restEvent("gte", "/a")} }\n`,
      "9: event E: method GTE",
    ],
    [
      "a method that stands twice",
      `${ONE}      Events: { E: ${restEvent("get", "/a")}, G: ${restEvent("GET", "/a/")} }\n`,
      "9: event G: GET /a is already taken",
    ],
    [
      "a REST API without a stage",
      `${ONE}  A:\n    Type: AWS::Serverless::Api\n    Properties: { Name: a }\n`,
      "11: Resources.A.Properties.StageName is missing",
    ],
    [
      "an authorizer that is not there",
      `${ONE}      Events: { E: ${restEvent("get", "/a", "Auth: { Authorizer: Who }")} }\n`,
      "9: event E: the API has no authorizer Who",
    ],
    [
      "an authorizer that is no function here",
      `${ONE}${REST_API} { A: { FunctionArn: "arn:aws:lambda:eu-west-1:000000000000:function:x" } } }\n`,
      "13: authorizer A: FunctionArn is no function of this template",
    ],
    [
      "an authorizer that keeps answers for nothing",
      `${ONE}${REST_API} { A: { FunctionArn: !GetAtt F.Arn, FunctionPayloadType: REQUEST } } }\n`,
      "13: authorizer A: without Headers or QueryStrings",
    ],
    [
      "an authorizer's expression that is none",
      `${ONE}${REST_API} { A: { FunctionArn: !GetAtt F.Arn, Identity: { ValidationExpression: "(" } } } }\n`,
      "13: authorizer A: ValidationExpression (",
    ],
    [
      "a usage plan of a stage that is not there",
      `${ONE}  P:\n    Type: AWS::ApiGateway::UsagePlan\n    Properties:\n` +
        "      ApiStages: [{ ApiId: a, Stage: b }]\n",
      "12: ApiStages: no REST API a here has a stage b",
    ],
    [
      "a plan's key that is not there",
      `${ONE}  P: { Type: AWS::ApiGateway::UsagePlan }\n  K:\n` +
        "    Type: AWS::ApiGateway::UsagePlanKey\n" +
        "    Properties: { KeyId: a, KeyType: API_KEY, UsagePlanId: !Ref P }\n",
      "12: KeyId: no API key here",
    ],
    ["a web ACL's rule without a statement", aclOf("{}"), "14: Rules: rule r: exactly one"],
    [
      "a web ACL's rule of a set that is not there",
      aclOf("{ IPSetReferenceStatement: { Arn: a } }"),
      "14: Rules: rule r: no IP set here has this Arn",
    ],
    [
      "an address range that is none",
      `${ONE}  A:\n    Type: AWS::WAFv2::IPSet\n    Properties:\n` +
        "      { Scope: REGIONAL, IPAddressVersion: IPV4, Addresses: [10.0.0.0/33] }\n",
      "12: Resources.A.Properties.Addresses.0: not an address range",
    ],
    [
      "an association with nothing",
      `${ONE}  A:\n    Type: AWS::WAFv2::WebACLAssociation\n` +
        "    Properties: { ResourceArn: a, WebACLArn: b }\n",
      "11: WebACLArn: no web ACL here",
    ],
    [
      "an HTTP API's authorizer that is no function here",
      `${ONE}  A:\n    Type: AWS::Serverless::HttpApi\n    Properties:\n` +
        "      Auth: { Authorizers: { W: { FunctionArn: x } } }\n",
      "12: authorizer W: FunctionArn is no function of this template",
    ],
    [
      "a route's authorizer that is not there",
      `${ONE}      Events: { E: { Type: HttpApi, Properties: { Auth: { Authorizer: W } } } }\n`,
      "9: event E: the API has no authorizer W",
    ],
    ["broken YAML", "Resources: [\n", "2: "],
  ])("for %s", (_, text, complaint) => {
    expect(complaintAbout(text)).toContain(`template.yaml:${complaint}`);
  });

  it("and the nearest property for a mistyped one", () => {
    expect(complaintAbout(`${ONE}      Timeuot: 3\n`)).toContain("hint: did you mean `Timeout`?");
  });

  it("also for code that a symbolic link leads out of the folder", () => {
    symlinkSync(tmpdir(), join(dir, "outside"));
    const text = ONE.replace("CodeUri: functions", "CodeUri: outside");
    expect(complaintAbout(text)).toContain("leads out of the template's folder");
  });
});
