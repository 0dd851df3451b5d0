// Every operation that local AWS has, by protocol; one file each.
import { REST_API_ROUTES } from "./api-gateway/rest-routes.ts";
import { API_GATEWAY_ROUTES } from "./api-gateway/routes.ts";
import { describeStacks } from "./cloudformation/describe-stacks.ts";
import { CLOUDFRONT_ROUTES } from "./cloudfront/list-distributions.ts";
import { DYNAMODB_OPERATIONS } from "./dynamodb/operations.ts";
import { EVENT_OPERATIONS } from "./event-bus/operations.ts";
import { KINESIS_OPERATIONS } from "./kinesis/operations.ts";
import { LAMBDA_ROUTES } from "./lambda/routes.ts";
import { LOAD_BALANCER_NAMESPACE, LOAD_BALANCER_OPERATIONS } from "./load-balancers/operations.ts";
import { describeLogGroups } from "./logs/describe-log-groups.ts";
import { describeLogStreams } from "./logs/describe-log-streams.ts";
import { filterLogEvents } from "./logs/filter-log-events.ts";
import { getLogEvents } from "./logs/get-log-events.ts";
import { METRIC_OPERATIONS } from "./metrics/operations.ts";
import { METRIC_QUERY_OPERATIONS } from "./metrics/query.ts";
import { type RestRoute, routeMatcher } from "./rest-routes.ts";
import { SCHEDULER_ROUTES } from "./scheduler/routes.ts";
import { SQS_OPERATIONS } from "./sqs/operations.ts";
import { SQS_NAMESPACE, SQS_QUERY_OPERATIONS } from "./sqs/query.ts";
import { PARAMETER_OPERATIONS } from "./ssm/parameters.ts";
import { assumeRole, assumeRoleWithWebIdentity } from "./sts/assume-role.ts";
import { getCallerIdentity } from "./sts/get-caller-identity.ts";
import type { JsonInput, JsonService } from "./wire/aws-json.ts";
import type { QueryCall, XmlTree } from "./wire/aws-query.ts";
import type { World } from "./world.ts";

/** `caller`: the account of whoever calls. */
type JsonOperation = (world: World, input: JsonInput, caller: string) => object | Promise<object>;
type QueryOperation = (world: World, call: QueryCall) => XmlTree | null | Promise<XmlTree | null>;

export const REST_ROUTES: readonly RestRoute[] = [
  ...LAMBDA_ROUTES,
  ...SCHEDULER_ROUTES,
  ...API_GATEWAY_ROUTES,
  ...REST_API_ROUTES,
  ...CLOUDFRONT_ROUTES,
];
export const matchRest = routeMatcher(REST_ROUTES);

/** `X-Amz-Target` prefix → protocol and operations. */
export const JSON_SERVICES: {
  readonly [prefix: string]: JsonService & {
    readonly operations: { [name: string]: JsonOperation };
  };
} = {
  Logs_20140328: {
    version: "1.1",
    queryCompatible: false,
    operations: {
      DescribeLogGroups: describeLogGroups,
      DescribeLogStreams: describeLogStreams,
      FilterLogEvents: filterLogEvents,
      GetLogEvents: getLogEvents,
    },
  },
  Kinesis_20131202: {
    version: "1.1",
    queryCompatible: false,
    operations: KINESIS_OPERATIONS,
  },
  DynamoDB_20120810: {
    version: "1.0",
    queryCompatible: false,
    operations: DYNAMODB_OPERATIONS,
  },
  AWSEvents: { version: "1.1", queryCompatible: false, operations: EVENT_OPERATIONS },
  AmazonSSM: {
    version: "1.1",
    queryCompatible: false,
    operations: PARAMETER_OPERATIONS,
  },
  AmazonSQS: { version: "1.0", queryCompatible: true, operations: SQS_OPERATIONS },
  GraniteServiceVersion20100801: {
    version: "1.0",
    queryCompatible: true,
    operations: METRIC_OPERATIONS,
  },
};

/** Name in a universal target → `X-Amz-Target` prefix. */
const JSON_PREFIXES: { readonly [service: string]: string } = {
  cloudwatch: "GraniteServiceVersion20100801",
  cloudwatchlogs: "Logs_20140328",
  eventbridge: "AWSEvents",
  kinesis: "Kinesis_20131202",
  sqs: "AmazonSQS",
  ssm: "AmazonSSM",
};

export const jsonService = (service: string): (typeof JSON_SERVICES)[string] | undefined =>
  JSON_SERVICES[JSON_PREFIXES[service] ?? ""];

/** Query API version → namespace and operations. */
export const QUERY_SERVICES: {
  readonly [version: string]: {
    readonly namespace: string;
    readonly operations: { [action: string]: QueryOperation };
  };
} = {
  "2012-11-05": {
    namespace: SQS_NAMESPACE,
    operations: SQS_QUERY_OPERATIONS,
  },
  "2015-12-01": {
    namespace: LOAD_BALANCER_NAMESPACE,
    operations: LOAD_BALANCER_OPERATIONS,
  },
  "2010-08-01": {
    namespace: "http://monitoring.amazonaws.com/doc/2010-08-01/",
    operations: METRIC_QUERY_OPERATIONS,
  },
  "2011-06-15": {
    namespace: "https://sts.amazonaws.com/doc/2011-06-15/",
    operations: {
      GetCallerIdentity: getCallerIdentity,
      AssumeRole: assumeRole,
      AssumeRoleWithWebIdentity: assumeRoleWithWebIdentity,
    },
  },
  "2010-05-15": {
    namespace: "http://cloudformation.amazonaws.com/doc/2010-05-15/",
    operations: { DescribeStacks: describeStacks },
  },
};
