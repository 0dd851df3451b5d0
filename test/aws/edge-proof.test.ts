// Whose a distribution or a load balancer is, through a local AWS's control planes, real clients.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ProofPlace, traceUrl } from "../../src/aws/host-proof.ts";
import { AwsFailure, type ControlPlane } from "../../src/core/change.ts";
import type { LocalAws } from "../../src/local/start.ts";
import { type DeployedShop, deployShop } from "../support/deployed-shop.ts";

const OURS = "222222222222";
const THEIRS = "111111111111";
const REGION = "eu-west-1";
const MORE = `      FunctionUrlConfig: { AuthType: NONE }
      Events: { Any: { Type: HttpApi } }
  Front:
    Type: AWS::CloudFront::Distribution
    Properties:
      DistributionConfig:
        Enabled: true
        Aliases: [checkout.stg.shop.example]
        WebACLId: arn:aws:wafv2:us-east-1:${OURS}:global/webacl/shop/1
        Origins:
          - Id: api
            DomainName: !Sub "\${ServerlessHttpApi}.execute-api.\${AWS::Region}.amazonaws.com"
            CustomOriginConfig: { OriginProtocolPolicy: https-only }
          - { Id: assets, DomainName: "assets.s3.eu-west-1.amazonaws.com", S3OriginConfig: {} }
          - { Id: old, DomainName: old.example }
        DefaultCacheBehavior: { TargetOriginId: api, ViewerProtocolPolicy: https-only }
        CacheBehaviors: [{ PathPattern: "/static/*", TargetOriginId: assets, ViewerProtocolPolicy: allow-all }]
  Before:
    Type: AWS::CloudFront::Distribution
    Properties:
      DistributionConfig:
        Enabled: true
        Aliases: [www.stg.shop.example]
        Origins: [{ Id: next, DomainName: checkout.stg.shop.example }]
        DefaultCacheBehavior: { TargetOriginId: next, ViewerProtocolPolicy: allow-all }
  Astray:
    Type: AWS::CloudFront::Distribution
    Properties:
      DistributionConfig:
        Enabled: true
        Origins: [{ Id: else, DomainName: elsewhere.example }]
        DefaultCacheBehavior: { TargetOriginId: else, ViewerProtocolPolicy: allow-all }
  Circle:
    Type: AWS::CloudFront::Distribution
    Properties:
      DistributionConfig:
        Enabled: true
        Aliases: [circle.example]
        Origins: [{ Id: self, DomainName: circle.example }]
        DefaultCacheBehavior: { TargetOriginId: self, ViewerProtocolPolicy: allow-all }
  Balanced:
    Type: AWS::CloudFront::Distribution
    Properties:
      DistributionConfig:
        Enabled: true
        Aliases: [alb.stg.shop.example]
        Origins: [{ Id: alb, DomainName: !GetAtt Balancer.DNSName }]
        DefaultCacheBehavior: { TargetOriginId: alb, ViewerProtocolPolicy: allow-all }
  Balancer: { Type: "AWS::ElasticLoadBalancingV2::LoadBalancer", Properties: { Name: Shop-alb, Type: application } }
  Functions:
    Type: AWS::ElasticLoadBalancingV2::TargetGroup
    Properties: { Name: functions, TargetType: lambda, Targets: [{ Id: !GetAtt Shop.Arn }] }
  Machines:
    Type: AWS::ElasticLoadBalancingV2::TargetGroup
    Properties: { Name: machines, TargetType: instance }
  Listener:
    Type: AWS::ElasticLoadBalancingV2::Listener
    Properties:
      LoadBalancerArn: !Ref Balancer
      Port: 443
      Protocol: HTTPS
      DefaultActions: [{ Type: forward, TargetGroupArn: !Ref Functions }]
  Rule:
    Type: AWS::ElasticLoadBalancingV2::ListenerRule
    Properties:
      ListenerArn: !Ref Listener
      Priority: 1
      Actions: [{ Type: forward, TargetGroupArn: !Ref Machines }]
Outputs:
  Api: { Value: !Ref ServerlessHttpApi }
  Front: { Value: !Sub "https://\${ServerlessHttpApi}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}" }
  Distribution: { Value: !GetAtt Front.DomainName }
  DistributionId: { Value: !Ref Front }
  Astray: { Value: !GetAtt Astray.DomainName }
  Balancer: { Value: !GetAtt Balancer.DNSName }
  Url: { Value: !GetAtt ShopUrl.FunctionUrl }
`;

let deployed: DeployedShop;
let local: LocalAws;
let control: ControlPlane;

beforeAll(async () => {
  deployed = await deployShop(MORE, { account: OURS });
  local = deployed.local;
  control = deployed.control;
}, 60_000);
afterAll(() => deployed[Symbol.asyncDispose]());

const onAws = (more: Partial<ProofPlace> = {}): ProofPlace => {
  return { control, account: OURS, region: REGION, endpoint: "aws", ...more };
};
const output = (name: string): string => local.outputs[name] ?? "";
const shop = `arn:aws:lambda:${REGION}:${OURS}:function:shop`;

/** The account as it is, but for the answer to one read. */
const changed = (action: string, answer: object | AwsFailure): ControlPlane => ({
  async call(service, asks, input) {
    if (asks !== action) return control.call(service, asks, input);
    if (answer instanceof AwsFailure) throw answer;
    return { ...answer };
  },
});

describe("a distribution", () => {
  test.each([
    ["by its own host", () => output("Distribution")],
    ["by a name that it has", () => "checkout.stg.shop.example"],
  ])("%s is proven through its origin to the function", async (_, host) => {
    const api = `${output("Api")}.execute-api.${REGION}.amazonaws.com`;
    const assets = "assets.s3.eu-west-1.amazonaws.com";
    expect(await traceUrl(`https://${host()}/cart`, onAws())).toEqual({
      proof: {
        steps: [
          host(),
          `distribution ${output("DistributionId")}`,
          `${api} → HTTP API ${output("Api")} → function shop, ${assets}`,
        ],
        functions: [shop],
        names: [
          ["alias", "checkout.stg.shop.example"],
          ["API", "ServerlessHttpApi"],
          ["stage", "$default"],
          ["integration", "function shop"],
          ["origin", assets],
        ],
        apis: [
          {
            ...{ kind: "HTTP API", apiId: output("Api"), name: "ServerlessHttpApi" },
            ...{ stage: "$default", behind: `distribution ${output("DistributionId")}` },
          },
        ],
        firewalls: [`arn:aws:wafv2:us-east-1:${OURS}:global/webacl/shop/1`],
      },
    });
  });

  test("is reached in a rehearsal where its origin is", async () => {
    const place = onAws({ endpoint: local.endpoint });
    const connectTo = new URL(output("Front")).host;
    expect(await traceUrl("http://checkout.stg.shop.example/", place)).toMatchObject({
      proof: { connectTo },
    });
  });

  test("before another one, and before a load balancer, is proven to the end", async () => {
    const twice = await traceUrl("https://www.stg.shop.example/", onAws());
    expect(twice).toMatchObject({ proof: { functions: [shop] } });
    const balanced = await traceUrl("https://alb.stg.shop.example/", onAws());
    expect(balanced).toMatchObject({ proof: { functions: [shop] } });
    expect("proof" in balanced && balanced.proof.steps.at(-1)).toContain(
      "load balancer Shop-alb → function shop, target group machines",
    );
  });

  test("whose origin nothing proves is not proven, nor one that leads to itself", async () => {
    expect(await traceUrl(`https://${output("Astray")}/`, onAws())).toEqual({
      why: expect.stringMatching(
        /^distribution E[0-9A-F]{13} hands on to elsewhere.example: account 222222222222 has no such/,
      ),
    });
    const circle = await traceUrl("https://circle.example/", onAws());
    expect(circle).toMatchObject({ why: expect.stringContaining("too many distributions") });
  });

  test("before an API that hands on to another account belongs to that account", async () => {
    const IntegrationUri = `arn:aws:lambda:${REGION}:${THEIRS}:function:checkout:live`;
    const foreign = changed("GetIntegrations", { Items: [{ IntegrationUri }] });
    const traced = await traceUrl(
      `https://${output("Distribution")}/`,
      onAws({ control: foreign }),
    );
    expect(traced).toEqual({ why: expect.stringContaining(THEIRS), foreign: true });
  });

  test("on a later page is found", async () => {
    const paged: ControlPlane = {
      call: (service, action, input) =>
        control.call(
          service,
          action,
          action === "ListDistributions" ? { ...input, MaxItems: 1 } : input,
        ),
    };
    const found = await traceUrl("https://alb.stg.shop.example/", onAws({ control: paged }));
    expect(found).toHaveProperty("proof");
  });

  test("of nobody here is not proven; where nobody may look, that is said", async () => {
    expect(await traceUrl("https://d0000000000000.cloudfront.net/", onAws())).toEqual({
      why: `account ${OURS} has no distribution with this name`,
    });
    const denied = changed("ListDistributions", new AwsFailure("AccessDenied", "no", "", 403));
    expect(await traceUrl("https://checkout.shop.example/", onAws({ control: denied }))).toEqual({
      why: `account ${OURS} has no such domain in ${REGION}; whether a distribution has it is not known: AccessDenied`,
    });
  });
});

describe("a load balancer", () => {
  test("is proven by its DNS name to the functions of its target groups", async () => {
    for (const prefix of ["", "dualstack."]) {
      const host = `${prefix}${output("Balancer")}`;
      expect(await traceUrl(`https://${host}/cart`, onAws())).toEqual({
        proof: {
          steps: [host, "load balancer Shop-alb", "function shop, target group machines"],
          functions: [shop],
          names: [
            ["load balancer", "Shop-alb"],
            ["target group", "functions"],
            ["target group", "machines"],
            ["target", "function shop"],
          ],
        },
      });
    }
  });

  test("stays on this machine in a rehearsal: nothing answers for it", async () => {
    const traced = await traceUrl(
      `https://${output("Balancer")}/`,
      onAws({ endpoint: local.endpoint }),
    );
    expect(traced).toMatchObject({ proof: { connectTo: new URL(local.endpoint).host } });
  });

  test("without a listener there, of another region, or of nobody here is not proven", async () => {
    expect(await traceUrl(`http://${output("Balancer")}/`, onAws())).toEqual({
      why: "load balancer Shop-alb has no listener on port 80",
    });
    const far = output("Balancer").replace(REGION, "us-east-1");
    expect(await traceUrl(`https://${far}/`, onAws())).toEqual({
      why: `it is in us-east-1, the environment in ${REGION}`,
    });
    expect(await traceUrl(`https://other-1.${REGION}.elb.amazonaws.com/`, onAws())).toEqual({
      why: `account ${OURS} has no load balancer with this name in ${REGION}`,
    });
  });

  test("with a target of another account belongs to that account", async () => {
    const Id = `arn:aws:lambda:${REGION}:${THEIRS}:function:checkout`;
    const foreign = changed("DescribeTargetHealth", {
      TargetHealthDescriptions: [{ Target: { Id } }],
    });
    expect(await traceUrl(`https://${output("Balancer")}/`, onAws({ control: foreign }))).toEqual({
      why: `load balancer Shop-alb hands on to ${Id}`,
      foreign: true,
    });
  });
});

test("a function URL is proven as before", async () => {
  const place = onAws({ endpoint: local.endpoint });
  expect(await traceUrl(output("Url"), place)).toMatchObject({ proof: { functions: [shop] } });
});
