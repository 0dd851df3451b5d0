// What a SAM template says after loading: functions, APIs, log groups, outputs; `scale` is applied.
import type { ErrorPlace } from "../../core/error.ts";
import type { EventRule } from "../event-bus/event-buses.ts";
import type { KinesisMappingSpec } from "../event-sources/kinesis-spec.ts";
import type { FunctionSpec } from "../function-host.ts";
import type { StreamSettings } from "../kinesis/stream.ts";
import type { FunctionConfig } from "../lambda/function-version.ts";
import type { QueueSettings } from "../sqs/settings.ts";
import type { AccessLogSpec, DomainMapping, DomainSpec } from "./api-types.ts";
import type { EdgeSpecs } from "./edge-types.ts";
import type { HttpAuthorizerSpec } from "./http-authorizers.ts";
import type { RestApiSpec } from "./rest-types.ts";
import type { UsageSpec } from "./usage-types.ts";

/** One route of an HTTP API and the Lambda integration behind it. */
export interface HttpApiRoute {
  /** Upper case, or `ANY`. */
  readonly method: string;
  /** As in API Gateway (`/product/{id}`, `/{proxy+}`), or `$default` for all other requests. */
  readonly path: string;
  readonly integration: LambdaIntegration | SqsIntegration;
  /** Integration timeout; at most 30,000, which is also the default. */
  readonly timeoutMs: number;
  /** Absent = whoever calls. */
  readonly authorizer?: HttpAuthorizerSpec;
}

export interface LambdaIntegration {
  readonly kind: "lambda";
  readonly functionName: string;
  readonly payloadVersion: "1.0" | "2.0";
}

/** The gateway calls SendMessage by itself. */
export interface SqsIntegration {
  readonly kind: "sqs";
  /** `QueueUrl`, `MessageBody`, … → text with `$request.…` in it. */
  readonly parameters: { readonly [name: string]: string };
}

/** One HTTP API: a front on a port of its own. */
export interface HttpApiSpec {
  readonly logicalId: string;
  /** Ten lower-case letters and digits, derived from the logical id. */
  readonly apiId: string;
  /** `$default` (no prefix), or a name that is the first segment of every path. */
  readonly stage: string;
  readonly routes: readonly HttpApiRoute[];
  readonly accessLog: AccessLogSpec | null;
  /** Of custom domains. */
  readonly domains: readonly DomainMapping[];
  readonly account: string;
  readonly region: string;
}

/** A function, and what is deployed with it. */
export interface TemplateFunction extends FunctionConfig {
  readonly async: AsyncSpec;
  /** `AutoPublishAlias`: deployed as version 1, which this alias then names; null = neither. */
  readonly alias: string | null;
  /** The alias keeps version 1, which is `before`, and gives version 2 a share; null = none. */
  readonly canary: { readonly weight: number; readonly before: Partial<FunctionSpec> } | null;
  /** Environments provisioned for the alias; 0 = none. */
  readonly provisioned: number;
}

export interface QueueSpec {
  readonly name: string;
  readonly settings: QueueSettings;
}

export interface StreamSpec {
  readonly name: string;
  readonly settings: StreamSettings;
}

/** One event source mapping from a stream to a function. */
export interface StreamMappingSpec {
  readonly spec: KinesisMappingSpec;
  readonly enabled: boolean;
}

/** One event source mapping from a queue to a function. */
export interface SqsMappingSpec {
  readonly uuid: string;
  readonly queueArn: string;
  readonly functionName: string;
  readonly batchMax: number;
  readonly windowS: number;
  /** null = up to what AWS allows to one mapping. */
  readonly maximumConcurrency: number | null;
  readonly reportFailures: boolean;
  readonly enabled: boolean;
}

/** How a function's asynchronous events end; null = not set. */
export interface AsyncSpec {
  readonly retriesMax: number | null;
  readonly ageMaxS: number | null;
  /** ARNs of queues. */
  readonly onSuccess: string | null;
  readonly onFailure: string | null;
}

export interface FunctionUrlSpec {
  readonly logicalId: string;
  readonly urlId: string;
  readonly functionName: string;
  /** Host on AWS, which the front stands in for. */
  readonly onAws: string;
  /** `AuthType: AWS_IAM`: only for who signs, and whose policies let. */
  readonly iam: boolean;
  readonly account: string;
  readonly region: string;
}

/** A schedule that calls a function. */
export interface ScheduleSpec {
  readonly name: string;
  /** CreateSchedule's input. */
  readonly request: { readonly [member: string]: unknown };
  readonly place: ErrorPlace;
}

export interface TableSpec {
  readonly name: string;
  /** CreateTable's input. */
  readonly request: object;
}

export interface AlarmSpec {
  readonly name: string;
  readonly description: string | null;
  readonly namespace: string;
  readonly metric: string;
  readonly dimensions: readonly { readonly Name: string; readonly Value: string }[];
  /** `Sum`, `Maximum`, `p99`, … */
  readonly statistic: string;
  readonly periodMs: number;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly threshold: number;
  readonly comparison:
    | "GreaterThanThreshold"
    | "GreaterThanOrEqualToThreshold"
    | "LessThanThreshold"
    | "LessThanOrEqualToThreshold";
  readonly missing: "missing" | "notBreaching" | "breaching" | "ignore";
  readonly actionsEnabled: boolean;
  readonly actions: {
    readonly alarm: readonly string[];
    readonly ok: readonly string[];
    readonly insufficientData: readonly string[];
  };
}

export interface EventBusSpec {
  readonly name: string;
  readonly description: string | null;
}

/** Requests of functions that go through a proxy, which faults can tell to misbehave. */
export interface DependencySpec {
  readonly name: string;
  /** Environment variable that holds the dependency's URL. */
  readonly variable: string;
  /** Logical ids; null = every function. */
  readonly functions: readonly string[] | null;
  readonly place: ErrorPlace;
}

export interface Template {
  readonly dependencies: readonly DependencySpec[];
  readonly functions: readonly TemplateFunction[];
  readonly apis: readonly HttpApiSpec[];
  readonly restApis: readonly RestApiSpec[];
  readonly usage: UsageSpec;
  readonly domains: readonly DomainSpec[];
  readonly urls: readonly FunctionUrlSpec[];
  readonly queues: readonly QueueSpec[];
  readonly mappings: readonly SqsMappingSpec[];
  readonly streams: readonly StreamSpec[];
  readonly streamMappings: readonly StreamMappingSpec[];
  readonly tables: readonly TableSpec[];
  /** Their names. */
  readonly buckets: readonly string[];
  readonly schedules: readonly ScheduleSpec[];
  readonly alarms: readonly AlarmSpec[];
  readonly eventBuses: readonly EventBusSpec[];
  readonly eventRules: readonly EventRule[];
  readonly edges: EdgeSpecs;
  readonly logGroups: readonly string[];
  /** Where a function's property stands in the file. */
  placeOfProperty(logicalId: string, property: string): ErrorPlace;
  /** Resolved once every front listens: name → value. */
  outputs(fronts: readonly FrontAddress[]): { readonly [name: string]: string };
}

/** Where the front of an API or a function URL listens. */
export interface FrontAddress {
  /** The host it stands in for. */
  readonly onAws: string;
  /** `127.0.0.1:PORT`. */
  readonly host: string;
}
