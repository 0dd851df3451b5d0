// The part of SAM that local AWS models, as schemas; everything else is refused with its line.
import { z } from "zod";
import { httpAuth, httpEventAuth } from "./http-authorizers.ts";
import { DATA_RESOURCES } from "./schema-data.ts";
import { DOMAIN_RESOURCES, samDomain } from "./schema-domains.ts";
import { EDGE_RESOURCES } from "./schema-edges.ts";
import { EVENT_BUS_RESOURCES } from "./schema-event-buses.ts";
import { asyncProperties, scheduleEvent, sqsEvent } from "./schema-events.ts";
import { REST_RESOURCES, restApiEvent, restApiProperties } from "./schema-rest.ts";
import { kinesisEvent, STREAM_RESOURCES } from "./schema-streams.ts";
import { USAGE_RESOURCES } from "./schema-usage.ts";
import { WAF_RESOURCES } from "./schema-waf.ts";
import { around, ignored, text, whole } from "./schema-words.ts";

const variables = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

const httpApiEvent = z.strictObject({
  Type: z.literal("HttpApi"),
  Properties: z
    .strictObject({
      Path: text.regex(/^(\$default|\/.*)$/, "a path begins with /").optional(),
      Method: text.optional(),
      ApiId: text.optional(),
      PayloadFormatVersion: z.enum(["1.0", "2.0"]).optional(),
      TimeoutInMillis: whole(50, 30_000).optional(),
      Auth: httpEventAuth.optional(),
    })
    .optional(),
});

const functionProperties = {
  FunctionName: text.regex(/^[a-zA-Z0-9-_]{1,64}$/, "not a function name").optional(),
  Handler: text.optional(),
  Runtime: text.regex(/^nodejs\d+\.x$/, "local AWS runs nodejs runtimes only").optional(),
  CodeUri: text.optional(),
  Timeout: whole(1, 900).optional(),
  MemorySize: whole(128, 10_240).optional(),
  Environment: z.strictObject({ Variables: variables.optional() }).optional(),
  ReservedConcurrentExecutions: whole(0, 1_000_000).optional(),
  Events: z
    .record(
      z.string(),
      z.discriminatedUnion("Type", [
        httpApiEvent,
        restApiEvent,
        sqsEvent,
        kinesisEvent,
        scheduleEvent,
      ]),
    )
    .optional(),
  ...asyncProperties,
  LoggingConfig: z
    .strictObject({ LogGroup: text.optional(), LogFormat: z.literal("Text").optional() })
    .optional(),
  Tracing: z.enum(["Active", "PassThrough", "Disabled"]).optional(),
  Policies: ignored,
  Role: ignored,
  Description: z.string().max(256).optional(),
  /** Deployed as version 1; events, URLs and the event invoke configuration belong to the alias. */
  AutoPublishAlias: text.regex(/^(?!\d+$)[a-zA-Z0-9-_]{1,128}$/, "not an alias's name").optional(),
  /** For the alias; scaled as reservations are. */
  ProvisionedConcurrencyConfig: z
    .strictObject({ ProvisionedConcurrentExecutions: whole(1, 1_000_000) })
    .optional(),
  Layers: z.array(text).max(5).optional(),
  Architectures: ignored,
  Tags: ignored,
  PackageType: z.literal("Zip").optional(),
  EphemeralStorage: ignored,
  VpcConfig: ignored,
  KmsKeyArn: ignored,
  RuntimeManagementConfig: ignored,
  RecursiveLoop: ignored,
};

const accessLog = z.strictObject({ DestinationArn: text, Format: text });
const httpApiProperties = {
  StageName: text.optional(),
  /** OpenAPI, for routes that lead to SQS; read by open-api.ts. */
  DefinitionBody: z.looseObject({}).optional(),
  AccessLogSettings: accessLog.optional(),
  Auth: httpAuth.optional(),
  Domain: samDomain.optional(),
  /** A front answers no preflight and adds no headers. */
  CorsConfiguration: ignored,
  DefaultRouteSettings: z.strictObject({ DetailedMetricsEnabled: ignored }).optional(),
  PropagateTags: ignored,
  Name: ignored,
  Description: ignored,
  Tags: ignored,
  FailOnWarnings: ignored,
};

/** `Metadata: { Gatecrash: … }` is ours; AWS ignores it. */
const canary = z.strictObject({
  /** Share of the invocations that the template's own version has, 0 to 1. */
  Weight: z.number().min(0).max(1),
  /** What of the version before was otherwise; what is not given is the template's. */
  Before: z.strictObject({
    Handler: text.optional(),
    CodeUri: text.optional(),
    Timeout: whole(1, 900).optional(),
    MemorySize: whole(128, 10_240).optional(),
    Environment: z.strictObject({ Variables: variables.optional() }).optional(),
    InitMs: whole(0, 120_000).optional(),
  }),
});

const gatecrashMetadata = z.strictObject({
  /** In the middle of a gradual deployment: AutoPublishAlias stands for two versions by weight. */
  Canary: canary.optional(),
  InitMs: whole(0, 120_000).optional(),
  /** Where the code of a plain AWS::Lambda::Function lies. */
  CodeUri: text.optional(),
  /** Events of the function that do not happen in local AWS, by name. */
  IgnoreEvents: z.array(text).optional(),
  Isolation: z.enum(["shared", "process"]).optional(),
});

export const RESOURCES = {
  ...DATA_RESOURCES,
  ...STREAM_RESOURCES,
  ...DOMAIN_RESOURCES,
  ...EVENT_BUS_RESOURCES,
  ...REST_RESOURCES,
  ...USAGE_RESOURCES,
  ...WAF_RESOURCES,
  ...EDGE_RESOURCES,
  "AWS::Serverless::Function": z.strictObject({
    Type: z.literal("AWS::Serverless::Function"),
    Properties: z.strictObject(functionProperties),
    ...around,
    Metadata: z.looseObject({ Gatecrash: gatecrashMetadata.optional() }).optional(),
  }),
  "AWS::Serverless::HttpApi": z.strictObject({
    Type: z.literal("AWS::Serverless::HttpApi"),
    Properties: z.strictObject(httpApiProperties).optional(),
    ...around,
  }),
  "AWS::Logs::LogGroup": z.strictObject({
    Type: z.literal("AWS::Logs::LogGroup"),
    Properties: z
      .strictObject({ LogGroupName: text.optional(), RetentionInDays: ignored, Tags: ignored })
      .optional(),
    ...around,
  }),
} as const;

export type TemplateMetadata = z.infer<typeof templateMetadata>;
export type FunctionResource = z.infer<(typeof RESOURCES)["AWS::Serverless::Function"]>;
export type HttpApiResource = z.infer<(typeof RESOURCES)["AWS::Serverless::HttpApi"]>;
export type LogGroupResource = z.infer<(typeof RESOURCES)["AWS::Logs::LogGroup"]>;
export type ResourceType = keyof typeof RESOURCES;

const { FunctionName: _name, Events: _events, ...sharedFunction } = functionProperties;

/** `Metadata: { Gatecrash: … }` of the whole template. */
const dependency = z.strictObject({
  Variable: text.regex(/^[A-Za-z]\w*$/, "not the name of an environment variable"),
  Functions: z.array(text).min(1).optional(),
});
const templateMetadata = z.looseObject({
  Gatecrash: z
    .strictObject({
      Dependencies: z
        .record(text.regex(/^[\w.-]{1,100}$/, "not the name of a dependency"), dependency)
        .optional(),
    })
    .optional(),
});

/** The template around its resources; intrinsic functions are still in it. */
export const templateSchema = z.strictObject({
  AWSTemplateFormatVersion: ignored,
  Transform: ignored,
  Description: ignored,
  Metadata: templateMetadata.optional(),
  Globals: z
    .strictObject({
      Function: z
        .partialRecord(z.enum(Object.keys(sharedFunction) as [string]), z.unknown())
        .optional(),
      HttpApi: z
        .partialRecord(z.enum(Object.keys(httpApiProperties) as [string]), z.unknown())
        .optional(),
      Api: z
        .partialRecord(z.enum(Object.keys(restApiProperties) as [string]), z.unknown())
        .optional(),
    })
    .optional(),
  Parameters: z
    .record(z.string(), z.looseObject({ Type: text, Default: z.unknown().optional() }))
    .optional(),
  Conditions: z.record(z.string(), z.unknown()).optional(),
  Mappings: z
    .record(z.string(), z.record(z.string(), z.record(z.string(), z.unknown())))
    .optional(),
  /** Checks of parameters and of the CDK's bootstrap, which deploying makes. */
  Rules: ignored,
  Resources: z.record(z.string(), z.looseObject({ Type: text })),
  Outputs: z.record(z.string(), z.looseObject({ Value: z.unknown() })).optional(),
});
