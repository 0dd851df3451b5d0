// Plain CloudFormation, as the CDK writes it, becomes what SAM's words would have become.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GatecrashError } from "../../../src/core/error.ts";
import { loadTemplate } from "../../../src/local/template/load-template.ts";
import type { Template } from "../../../src/local/template/types.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "gatecrash-plain-"));
  mkdirSync(join(dir, "asset.1"));
  writeFileSync(join(dir, "asset.1", "index.mjs"), "");
});
afterEach(() => rmSync(dir, { recursive: true }));

function load(template: object): Template {
  const file = join(dir, "stack.template.json");
  writeFileSync(file, JSON.stringify({ ...FRAME, ...template }, null, 1));
  const place = { account: "000000000000", region: "eu-west-1", endpoint: "http://127.0.0.1:1" };
  return loadTemplate({ ...place, file, scale: 1 });
}

function complaintAbout(template: object): string {
  try {
    load(template);
  } catch (thrown) {
    if (thrown instanceof GatecrashError) return thrown.render().replace(`${dir}/`, "");
    throw thrown;
  }
  return "no complaint";
}

const attribute = (id: string, name = "Arn") => ({ "Fn::GetAtt": [id, name] });
const ref = (id: string) => ({ Ref: id });

const lambda = (more: object = {}) => ({
  Type: "AWS::Lambda::Function",
  Properties: {
    Code: { S3Bucket: "assets", S3Key: "1.zip" },
    ...{ Handler: "index.handler", Runtime: "nodejs22.x", Role: attribute("Role") },
    ...{ TracingConfig: { Mode: "Active" }, DeadLetterConfig: { TargetArn: attribute("Dead") } },
    ...more,
  },
  Metadata: { "aws:cdk:path": "Shop/F", "aws:asset:path": "asset.1" },
});

const AROUND = {
  Role: { Type: "AWS::IAM::Role", Properties: {} },
  RolePolicy: { Type: "AWS::IAM::Policy", Properties: { PolicyName: "p" } },
  Dead: { Type: "AWS::SQS::Queue" },
  Pager: { Type: "AWS::SNS::Topic" },
  CDKMetadata: { Type: "AWS::CDK::Metadata", Condition: "HasMetadata", Properties: {} },
};
const FRAME = {
  Conditions: { HasMetadata: { "Fn::Equals": [ref("AWS::Region"), "eu-west-1"] } },
  Parameters: { BootstrapVersion: { Type: "AWS::SSM::Parameter::Value<String>", Default: "/v" } },
  Rules: { CheckBootstrapVersion: { Assertions: [] } },
};

const invocation = (target: object) => ({
  "Fn::Join": ["", ["arn:aws:apigateway:", ref("AWS::Region"), "/functions/", target, "/x"]],
});
const httpApi = (route: object = {}) => ({
  Api: { Type: "AWS::ApiGatewayV2::Api", Properties: { Name: "shop", ProtocolType: "HTTP" } },
  Stage: {
    Type: "AWS::ApiGatewayV2::Stage",
    Properties: { ApiId: ref("Api"), StageName: "$default", AutoDeploy: true },
  },
  Integration: {
    Type: "AWS::ApiGatewayV2::Integration",
    Properties: {
      ...{ ApiId: ref("Api"), IntegrationType: "AWS_PROXY", PayloadFormatVersion: "1.0" },
      IntegrationUri: attribute("F"),
    },
  },
  Route: {
    Type: "AWS::ApiGatewayV2::Route",
    Properties: {
      ...{ ApiId: ref("Api"), RouteKey: "POST /orders" },
      Target: { "Fn::Join": ["", ["integrations/", ref("Integration")]] },
      ...route,
    },
  },
});

describe("functions", () => {
  it("take their code from the folder that synth names, their tracing and dead letters along", () => {
    const [fn] = load({ Resources: { ...AROUND, F: lambda() } }).functions;
    expect(fn).toMatchObject({
      activeTracing: true,
      deadLetterArn: "arn:aws:sqs:eu-west-1:000000000000:local-Dead",
      spec: { name: "local-F", codeDir: join(dir, "asset.1") },
    });
  });

  it("without code on this machine are an error that says what to add", () => {
    const { Metadata: _, ...unsaid } = lambda();
    const said = complaintAbout({ Resources: { ...AROUND, F: unsaid } });
    expect(said).toMatch(/^stack\.template\.json:\d+: F: where its code lies/);
    expect(said).toContain("CodeUri");
    const own = { ...unsaid, Metadata: { Gatecrash: { CodeUri: "asset.1" } } };
    expect(load({ Resources: { ...AROUND, F: own } }).functions).toHaveLength(1);
  });

  it("are published behind their alias, whose reference is its ARN", () => {
    const { functions, outputs } = load({
      Resources: {
        ...AROUND,
        F: lambda(),
        V: { Type: "AWS::Lambda::Version", Properties: { FunctionName: ref("F") } },
        Live: {
          Type: "AWS::Lambda::Alias",
          Properties: {
            ...{ FunctionName: ref("F"), FunctionVersion: attribute("V", "Version"), Name: "live" },
            ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 3 },
          },
        },
      },
      Outputs: { Alias: { Value: ref("Live") }, Version: { Value: ref("V") } },
    });
    expect(functions[0]).toMatchObject({ alias: "live", provisioned: 3 });
    const arn = "arn:aws:lambda:eu-west-1:000000000000:function:local-F";
    expect(outputs([])).toEqual({ Alias: `${arn}:live`, Version: `${arn}:1` });
  });

  it("read a queue through its mapping, whose reference is its id", () => {
    const { mappings, outputs } = load({
      Resources: {
        ...AROUND,
        F: lambda(),
        Mapping: {
          Type: "AWS::Lambda::EventSourceMapping",
          Properties: {
            ...{ FunctionName: ref("F"), EventSourceArn: attribute("Dead"), BatchSize: 7 },
            ScalingConfig: { MaximumConcurrency: 4 },
          },
        },
      },
      Outputs: { Mapping: { Value: ref("Mapping") } },
    });
    expect(mappings).toMatchObject([
      { functionName: "local-F", batchMax: 7, maximumConcurrency: 4, uuid: outputs([]).Mapping },
    ]);
  });

  it("with a mapping from what is not modelled are refused by its line", () => {
    const Mapping = {
      Type: "AWS::Lambda::EventSourceMapping",
      Properties: { FunctionName: ref("F"), EventSourceArn: "arn:aws:kafka:eu-west-1:1:cluster/a" },
    };
    expect(complaintAbout({ Resources: { ...AROUND, F: lambda(), Mapping } })).toContain(
      "AWS::Lambda::EventSourceMapping is not modelled by local AWS",
    );
  });
});

describe("an HTTP API", () => {
  it("has the routes, payload versions and stage of its parts", () => {
    const { apis } = load({ Resources: { ...AROUND, F: lambda(), ...httpApi() } });
    expect(apis).toMatchObject([
      {
        stage: "$default",
        routes: [
          {
            ...{ method: "POST", path: "/orders" },
            integration: { functionName: "local-F", payloadVersion: "1.0" },
          },
        ],
      },
    ]);
  });

  it("takes a default route", () => {
    const parts = httpApi({ RouteKey: "$default" });
    const { apis } = load({ Resources: { ...AROUND, F: lambda(), ...parts } });
    expect(apis[0]?.routes).toMatchObject([{ method: "ANY", path: "$default" }]);
  });

  it("with an authorizer is refused, never opened", () => {
    const parts = httpApi({ AuthorizationType: "JWT" });
    expect(complaintAbout({ Resources: { ...AROUND, F: lambda(), ...parts } })).toContain(
      "route Route: JWT of a plain route is not modelled",
    );
  });

  it("with a route to another stack's function is refused", () => {
    const parts = httpApi({ Target: "integrations/abc" });
    expect(complaintAbout({ Resources: { ...AROUND, F: lambda(), ...parts } })).toContain(
      "route Route leads to no function of this template",
    );
  });
});

describe("a REST API", () => {
  const method = (more: object = {}) => ({
    Type: "AWS::ApiGateway::Method",
    Properties: {
      ...{ RestApiId: ref("Rest"), ResourceId: ref("Id"), HttpMethod: "GET" },
      Integration: { Type: "AWS_PROXY", Uri: invocation(attribute("F")) },
      ...more,
    },
  });
  const parts = (more: object = {}) => ({
    Rest: { Type: "AWS::ApiGateway::RestApi", Properties: { Name: "shop" } },
    Orders: {
      Type: "AWS::ApiGateway::Resource",
      Properties: {
        ...{ ParentId: attribute("Rest", "RootResourceId"), PathPart: "orders" },
        RestApiId: ref("Rest"),
      },
    },
    Id: {
      Type: "AWS::ApiGateway::Resource",
      Properties: { ParentId: ref("Orders"), PathPart: "{id}", RestApiId: ref("Rest") },
    },
    Get: method(),
    Cors: method({ HttpMethod: "OPTIONS", Integration: { Type: "MOCK" } }),
    Deployment: { Type: "AWS::ApiGateway::Deployment", Properties: { RestApiId: ref("Rest") } },
    Stage: {
      Type: "AWS::ApiGateway::Stage",
      Properties: {
        ...{ RestApiId: ref("Rest"), DeploymentId: ref("Deployment"), StageName: "prod" },
        TracingEnabled: true,
      },
    },
    ...more,
  });

  it("has the methods of its resources, and its stage by name", () => {
    const { restApis, outputs } = load({
      Resources: { ...AROUND, F: lambda(), ...parts() },
      Outputs: { Stage: { Value: ref("Stage") } },
    });
    expect(restApis).toMatchObject([
      {
        ...{ name: "shop", stage: "prod", tracing: true },
        methods: [{ method: "GET", path: "/orders/{id}", functionName: "local-F" }],
      },
    ]);
    expect(outputs([])).toEqual({ Stage: "prod" });
  });

  it("is refused with authorizers, without a stage, or where it leads to no function", () => {
    const about = (more: object) =>
      complaintAbout({ Resources: { ...AROUND, F: lambda(), ...parts(more) } });
    expect(about({ Get: method({ AuthorizationType: "AWS_IAM" }) })).toContain(
      "AWS_IAM of a plain",
    );
    expect(about({ Get: method({ Integration: { Type: "HTTP" } }) })).toContain("no function");
    expect(about({ Stage: { Type: "AWS::SQS::Queue" } })).toContain("no AWS::ApiGateway::Stage");
  });
});
