// The part of SAM's REST APIs that local AWS models, as schemas.
import { z } from "zod";
import { samDomain } from "./schema-domains.ts";
import { around, ignored, text, truth, whole } from "./schema-words.ts";

export const restApiEvent = z.strictObject({
  Type: z.literal("Api"),
  Properties: z.strictObject({
    Path: text.regex(/^\//, "a path begins with /"),
    Method: text,
    RestApiId: text.optional(),
    TimeoutInMillis: whole(50, 29_000).optional(),
  }),
});

const rate = z.preprocess(
  (value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value),
  z.number().min(0).max(1_000_000),
);

const methodSetting = z.strictObject({
  HttpMethod: text,
  /** Slashes within it are written `~1`, as the control plane writes them. */
  ResourcePath: text.regex(/^\//, "a path begins with /"),
  ThrottlingRateLimit: rate.optional(),
  ThrottlingBurstLimit: whole(0, 1_000_000).optional(),
  MetricsEnabled: ignored,
  LoggingLevel: ignored,
  DataTraceEnabled: ignored,
});

export const restApiProperties = {
  StageName: text.regex(/^\w{1,128}$/, "not the name of a stage"),
  Name: text.optional(),
  AccessLogSetting: z.strictObject({ DestinationArn: text, Format: text }).optional(),
  MethodSettings: z.array(methodSetting).optional(),
  TracingEnabled: truth.optional(),
  BinaryMediaTypes: z.array(text).optional(),
  Domain: samDomain.optional(),
  Description: ignored,
  EndpointConfiguration: ignored,
  OpenApiVersion: ignored,
  AlwaysDeploy: ignored,
  FailOnWarnings: ignored,
  Tags: ignored,
  PropagateTags: ignored,
};

export const REST_RESOURCES = {
  "AWS::Serverless::Api": z.strictObject({
    Type: z.literal("AWS::Serverless::Api"),
    Properties: z.strictObject(restApiProperties),
    ...around,
  }),
} as const;

export type RestApiResource = z.infer<(typeof REST_RESOURCES)["AWS::Serverless::Api"]>;
