// The part of SAM's REST APIs that local AWS models, as schemas.
import { z } from "zod";
import { GATEWAY_RESPONSE_RESOURCES, samGatewayResponses } from "./gateway-responses.ts";
import { samDomain } from "./schema-domains.ts";
import { samUsagePlan } from "./schema-usage.ts";
import { around, ignored, ratePerSecond, text, truth, whole } from "./schema-words.ts";

export const restApiEvent = z.strictObject({
  Type: z.literal("Api"),
  Properties: z.strictObject({
    Path: text.regex(/^\//, "a path begins with /"),
    Method: text,
    RestApiId: text.optional(),
    Auth: z
      .strictObject({ ApiKeyRequired: truth.optional(), Authorizer: text.optional() })
      .optional(),
    TimeoutInMillis: whole(50, 29_000).optional(),
  }),
});

const methodSetting = z.strictObject({
  HttpMethod: text,
  /** Slashes within it are written `~1`, as the control plane writes them. */
  ResourcePath: text.regex(/^\//, "a path begins with /"),
  ThrottlingRateLimit: ratePerSecond.optional(),
  ThrottlingBurstLimit: whole(0, 1_000_000).optional(),
  MetricsEnabled: ignored,
  LoggingLevel: ignored,
  DataTraceEnabled: ignored,
});

/** Seconds for which an authorizer's answer is kept; 0 = it is asked each time. */
const seconds = whole(0, 3_600);
const tokenIdentity = z.strictObject({
  Header: text.optional(),
  ValidationExpression: text.optional(),
  ReauthorizeEvery: seconds.optional(),
});
const requestIdentity = z.strictObject({
  Headers: z.array(text).optional(),
  QueryStrings: z.array(text).optional(),
  ReauthorizeEvery: seconds.optional(),
});
const lambdaAuthorizer = z.discriminatedUnion("FunctionPayloadType", [
  z.strictObject({
    FunctionPayloadType: z.literal("REQUEST"),
    FunctionArn: text,
    FunctionInvokeRole: ignored,
    Identity: requestIdentity.optional(),
  }),
  z.strictObject({
    FunctionPayloadType: z.literal("TOKEN"),
    FunctionArn: text,
    FunctionInvokeRole: ignored,
    Identity: tokenIdentity.optional(),
  }),
]);

const auth = z.strictObject({
  ApiKeyRequired: truth.optional(),
  UsagePlan: samUsagePlan.optional(),
  DefaultAuthorizer: text.optional(),
  /** Without FunctionPayloadType they take tokens, as SAM says. */
  Authorizers: z
    .record(
      text,
      z.preprocess(
        (given) =>
          typeof given === "object" && given !== null
            ? { FunctionPayloadType: "TOKEN", ...given }
            : given,
        lambdaAuthorizer,
      ),
    )
    .optional(),
  AddDefaultAuthorizerToCorsPreflight: ignored,
  AddApiKeyRequiredToCorsPreflight: ignored,
});

export const restApiProperties = {
  StageName: text.regex(/^\w{1,128}$/, "not the name of a stage"),
  Name: text.optional(),
  AccessLogSetting: z.strictObject({ DestinationArn: text, Format: text }).optional(),
  MethodSettings: z.array(methodSetting).optional(),
  TracingEnabled: truth.optional(),
  BinaryMediaTypes: z.array(text).optional(),
  Auth: auth.optional(),
  Domain: samDomain.optional(),
  GatewayResponses: samGatewayResponses.optional(),
  Description: ignored,
  EndpointConfiguration: ignored,
  OpenApiVersion: ignored,
  AlwaysDeploy: ignored,
  FailOnWarnings: ignored,
  Tags: ignored,
  PropagateTags: ignored,
};

export const REST_RESOURCES = {
  ...GATEWAY_RESPONSE_RESOURCES,
  "AWS::Serverless::Api": z.strictObject({
    Type: z.literal("AWS::Serverless::Api"),
    Properties: z.strictObject(restApiProperties),
    ...around,
  }),
} as const;

export type RestApiResource = z.infer<(typeof REST_RESOURCES)["AWS::Serverless::Api"]>;
export type RestAuthorizer = z.infer<typeof lambdaAuthorizer>;
