// Distributions and load balancers: what their control planes say; nothing answers there.
import { z } from "zod";
import { around, ignored, text, whole } from "./schema-words.ts";

const origin = z.strictObject({
  Id: text,
  DomainName: text,
  OriginPath: z.string().optional(),
  CustomOriginConfig: ignored,
  S3OriginConfig: ignored,
  OriginAccessControlId: ignored,
  OriginCustomHeaders: ignored,
  ConnectionAttempts: ignored,
  ConnectionTimeout: ignored,
});

const ignoredOfBehavior = {
  ViewerProtocolPolicy: ignored,
  AllowedMethods: ignored,
  CachedMethods: ignored,
  CachePolicyId: ignored,
  OriginRequestPolicyId: ignored,
  ResponseHeadersPolicyId: ignored,
  ForwardedValues: ignored,
  Compress: ignored,
  MinTTL: ignored,
  DefaultTTL: ignored,
  MaxTTL: ignored,
};

const targetAction = z.strictObject({
  Type: z.enum(["forward", "redirect", "fixed-response"]),
  TargetGroupArn: text.optional(),
  ForwardConfig: ignored,
  RedirectConfig: ignored,
  FixedResponseConfig: ignored,
  Order: ignored,
});

export const EDGE_RESOURCES = {
  "AWS::CloudFront::Distribution": z.strictObject({
    Type: z.literal("AWS::CloudFront::Distribution"),
    Properties: z.strictObject({
      DistributionConfig: z.strictObject({
        Enabled: ignored,
        Comment: ignored,
        Aliases: z.array(text).optional(),
        WebACLId: z.string().optional(),
        Origins: z.array(origin).min(1),
        DefaultCacheBehavior: z.strictObject({ TargetOriginId: text, ...ignoredOfBehavior }),
        CacheBehaviors: z
          .array(z.strictObject({ PathPattern: text, TargetOriginId: text, ...ignoredOfBehavior }))
          .optional(),
        ViewerCertificate: ignored,
        PriceClass: ignored,
        HttpVersion: ignored,
        IPV6Enabled: ignored,
        DefaultRootObject: ignored,
        Restrictions: ignored,
        Logging: ignored,
      }),
      Tags: ignored,
    }),
    ...around,
  }),
  "AWS::ElasticLoadBalancingV2::LoadBalancer": z.strictObject({
    Type: z.literal("AWS::ElasticLoadBalancingV2::LoadBalancer"),
    Properties: z
      .strictObject({
        Name: text.regex(/^[a-zA-Z0-9-]{1,32}$/, "not a load balancer's name").optional(),
        Type: z.literal("application").optional(),
        Scheme: z.enum(["internet-facing", "internal"]).optional(),
        Subnets: ignored,
        SecurityGroups: ignored,
        IpAddressType: ignored,
        LoadBalancerAttributes: ignored,
        Tags: ignored,
      })
      .optional(),
    ...around,
  }),
  "AWS::ElasticLoadBalancingV2::TargetGroup": z.strictObject({
    Type: z.literal("AWS::ElasticLoadBalancingV2::TargetGroup"),
    Properties: z.strictObject({
      Name: text.optional(),
      TargetType: z.enum(["lambda", "instance", "ip"]),
      Targets: z.array(z.strictObject({ Id: text, Port: ignored })).optional(),
      TargetGroupAttributes: ignored,
      Protocol: ignored,
      Port: ignored,
      VpcId: ignored,
      HealthCheckEnabled: ignored,
      Tags: ignored,
    }),
    ...around,
  }),
  "AWS::ElasticLoadBalancingV2::Listener": z.strictObject({
    Type: z.literal("AWS::ElasticLoadBalancingV2::Listener"),
    Properties: z.strictObject({
      LoadBalancerArn: text,
      Port: whole(1, 65_535),
      Protocol: z.enum(["HTTP", "HTTPS"]),
      DefaultActions: z.array(targetAction).min(1),
      Certificates: ignored,
      SslPolicy: ignored,
    }),
    ...around,
  }),
  "AWS::ElasticLoadBalancingV2::ListenerRule": z.strictObject({
    Type: z.literal("AWS::ElasticLoadBalancingV2::ListenerRule"),
    Properties: z.strictObject({
      ListenerArn: text,
      Priority: whole(1, 50_000),
      Actions: z.array(targetAction).min(1),
      Conditions: ignored,
    }),
    ...around,
  }),
} as const;

type Resource<T extends keyof typeof EDGE_RESOURCES> = z.infer<(typeof EDGE_RESOURCES)[T]>;
export type DistributionResource = Resource<"AWS::CloudFront::Distribution">;
export type BalancerResource = Resource<"AWS::ElasticLoadBalancingV2::LoadBalancer">;
export type TargetGroupResource = Resource<"AWS::ElasticLoadBalancingV2::TargetGroup">;
export type ListenerResource = Resource<"AWS::ElasticLoadBalancingV2::Listener">;
export type ListenerRuleResource = Resource<"AWS::ElasticLoadBalancingV2::ListenerRule">;
