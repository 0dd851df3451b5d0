// An input that every operation of local AWS takes, or that looks as if: what fuzzing starts from.
import { JSON_SERVICES, QUERY_SERVICES, REST_ROUTES } from "../../../src/local/operations.ts";
import { resourceIdOf } from "../../../src/local/template/api-names.ts";

export type Input = { readonly [member: string]: unknown };

/** One operation in one protocol. */
export type Seed =
  | { readonly protocol: "json"; readonly name: string; readonly version: string; input: Input }
  | { readonly protocol: "query"; readonly name: string; readonly form: string }
  | {
      readonly protocol: "rest";
      readonly name: string;
      readonly method: string;
      readonly path: string;
      readonly input: Input;
    };

const QUEUE_URL = "http://127.0.0.1/000000000000/plain";
const QUEUE_ARN = "arn:aws:sqs:eu-west-1:000000000000:plain";
const STREAM_ARN = "arn:aws:kinesis:eu-west-1:000000000000:stream/s";
const KEY = { id: { S: "a" } };
const AN_ITEM = { TableName: "table", Item: { ...KEY, n: { N: "1" }, l: { L: [] } } };
const METRIC = {
  Namespace: "AWS/SQS",
  MetricName: "NumberOfMessagesSent",
  StartTime: 1_767_225_600,
  EndTime: 1_767_229_200,
  Period: 60,
};
const ATTRIBUTES = { a: { DataType: "String", StringValue: "x" } };
const SCHEDULE = {
  ScheduleExpression: "at(2027-01-01T00:00:00)",
  FlexibleTimeWindow: { Mode: "OFF" },
  Target: {
    Arn: "arn:aws:scheduler:::aws-sdk:lambda:putFunctionConcurrency",
    RoleArn: "arn:aws:iam::000000000000:role/r",
    Input: '{"FunctionName":"f","ReservedConcurrentExecutions":1}',
  },
  GroupName: "default",
};

/** For operations that have none of their own below: whatever any of them may ask for. */
const ANY: Input = {
  ...{ QueueUrl: QUEUE_URL, QueueName: "plain", MaxResults: 3, NextToken: "1", Limit: 2 },
  ...{ ReceiptHandle: "cGxhaW4vYS8x", VisibilityTimeout: 3, AttributeNames: ["All"] },
  ...{ StreamName: "s", StreamARN: STREAM_ARN, ShardId: "shardId-000000000000", ShardCount: 1 },
  ...{ Data: "eA==", PartitionKey: "k", ExplicitHashKey: "1", ShardIterator: "AAAA" },
  ...{
    TableName: "table",
    Key: KEY,
    ExclusiveStartTableName: "a",
    Tags: [{ Key: "a", Value: "b" }],
  },
  ...{ Name: "/a/b", Value: "x", Type: "SecureString", Overwrite: true, WithDecryption: true },
  ...{ FunctionName: "f", FunctionVersion: "1", Description: "d", RevisionId: "r" },
  ...{ RoutingConfig: { AdditionalVersionWeights: { 1: 0.5 } }, CodeSha256: "x" },
  ...{ Timeout: 3, MemorySize: 128, Environment: { Variables: { A: "b" } }, Layers: [] },
  ...{ ProvisionedConcurrentExecutions: 1, MaximumRetryAttempts: 1, Qualifier: "1" },
  ...{ Bucket: "b", StackName: "local", RoleArn: "arn:aws:iam::000000000000:role/r" },
};

const JSON_INPUTS: { readonly [target: string]: Input } = {
  "AmazonSQS.SendMessage": {
    ...{ QueueUrl: QUEUE_URL, MessageBody: "x", MessageAttributes: ATTRIBUTES },
  },
  "AmazonSQS.SendMessageBatch": {
    ...{ QueueUrl: QUEUE_URL, Entries: [{ Id: "a", MessageBody: "x", DelaySeconds: 1 }] },
  },
  "AmazonSQS.DeleteMessageBatch": {
    ...{ QueueUrl: QUEUE_URL, Entries: [{ Id: "a", ReceiptHandle: "cGxhaW4vYS8x" }] },
  },
  "AmazonSQS.ChangeMessageVisibilityBatch": {
    QueueUrl: QUEUE_URL,
    Entries: [{ Id: "a", ReceiptHandle: "cGxhaW4vYS8x", VisibilityTimeout: 3 }],
  },
  "AmazonSQS.CreateQueue": { QueueName: "new", Attributes: { DelaySeconds: "3" } },
  "AmazonSQS.SetQueueAttributes": { QueueUrl: QUEUE_URL, Attributes: { RedrivePolicy: "{}" } },
  "AmazonSQS.ListQueues": { QueueNamePrefix: "p", MaxResults: 3 },
  "DynamoDB_20120810.CreateTable": {
    TableName: "new",
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    BillingMode: "PAY_PER_REQUEST",
  },
  "DynamoDB_20120810.PutItem": { ...AN_ITEM, ConditionExpression: "attribute_not_exists(id)" },
  "DynamoDB_20120810.DeleteItem": { TableName: "table", Key: KEY, ReturnValues: "ALL_OLD" },
  "DynamoDB_20120810.UpdateItem": {
    TableName: "table",
    Key: KEY,
    UpdateExpression: "ADD n :one",
    ExpressionAttributeValues: { ":one": { N: "1" } },
  },
  "DynamoDB_20120810.Query": {
    TableName: "table",
    KeyConditionExpression: "id = :id",
    ExpressionAttributeValues: { ":id": { S: "a" } },
  },
  "DynamoDB_20120810.Scan": { TableName: "table", Limit: 2, FilterExpression: "size(id) > :n" },
  "DynamoDB_20120810.BatchGetItem": { RequestItems: { table: { Keys: [KEY] } } },
  "DynamoDB_20120810.BatchWriteItem": {
    RequestItems: { table: [{ PutRequest: { Item: AN_ITEM.Item } }] },
  },
  "DynamoDB_20120810.TransactWriteItems": {
    TransactItems: [{ Put: AN_ITEM }, { ConditionCheck: { TableName: "table", Key: KEY } }],
    ClientRequestToken: "t",
  },
  "DynamoDB_20120810.TransactGetItems": {
    TransactItems: [{ Get: { TableName: "table", Key: KEY } }],
  },
  "GraniteServiceVersion20100801.GetMetricStatistics": { ...METRIC, Statistics: ["Sum"] },
  "GraniteServiceVersion20100801.GetMetricData": {
    StartTime: METRIC.StartTime,
    EndTime: METRIC.EndTime,
    MetricDataQueries: [{ Id: "m", MetricStat: { Metric: METRIC, Period: 60, Stat: "Sum" } }],
  },
  "GraniteServiceVersion20100801.DescribeAlarms": { AlarmNames: ["high"], MaxRecords: 1 },
  "GraniteServiceVersion20100801.SetAlarmState": {
    ...{ AlarmName: "high", StateValue: "ALARM", StateReason: "x" },
  },
  "GraniteServiceVersion20100801.ListMetrics": { Dimensions: [{ Name: "QueueName" }] },
  "GraniteServiceVersion20100801.DescribeAlarmHistory": {
    ...{ AlarmName: "high", HistoryItemType: "Action", MaxRecords: 2, StartDate: 1 },
  },
  "GraniteServiceVersion20100801.PutAlarmMuteRule": {
    Name: "mute",
    Rule: { Schedule: { Expression: "cron(0 2 * * SUN)", Duration: "PT4H", Timezone: "UTC" } },
    MuteTargets: { AlarmNames: ["high"] },
    ExpireDate: 1_798_761_600,
  },
  "GraniteServiceVersion20100801.GetAlarmMuteRule": { AlarmMuteRuleName: "mute" },
  "GraniteServiceVersion20100801.DeleteAlarmMuteRule": { AlarmMuteRuleName: "mute" },
  "GraniteServiceVersion20100801.ListAlarmMuteRules": {
    ...{ AlarmName: "high", Statuses: ["ACTIVE"], MaxRecords: 5, NextToken: "1" },
  },
  "AWSEvents.PutEvents": {
    Entries: [
      {
        ...{ Source: "a", DetailType: "b", Detail: '{"c":1}', Resources: ["r"] },
        ...{ EventBusName: "default", Time: 1_767_225_600 },
      },
    ],
  },
  "AWSEvents.DescribeEventBus": { Name: "default" },
  "AWSEvents.ListEventBuses": { NamePrefix: "d", Limit: 5, NextToken: "1" },
  "AWSEvents.DescribeRule": { Name: "every", EventBusName: "default" },
  "AWSEvents.ListRules": { NamePrefix: "e", EventBusName: "default", Limit: 5 },
  "AWSEvents.ListTargetsByRule": { Rule: "every", EventBusName: "default" },
  "Logs_20140328.FilterLogEvents": {
    ...{ logGroupName: "/g", filterPattern: "x", startTime: 1, limit: 5 },
  },
  "Logs_20140328.GetLogEvents": { logGroupName: "/g", logStreamName: "s", nextToken: "f/1" },
  "Logs_20140328.DescribeLogGroups": { logGroupNamePrefix: "/" },
  "Logs_20140328.DescribeLogStreams": { logGroupName: "/g", orderBy: "LastEventTime" },
  "Kinesis_20131202.PutRecords": {
    ...{ StreamName: "s", Records: [{ Data: "eA==", PartitionKey: "k" }] },
  },
  "Kinesis_20131202.GetShardIterator": {
    ...{ StreamName: "s", ShardId: "shardId-000000000000", ShardIteratorType: "LATEST" },
  },
};

const QUERY_FORMS: { readonly [action: string]: string } = {
  SendMessage:
    `QueueUrl=${QUEUE_URL}&MessageBody=x&MessageAttribute.1.Name=a` +
    "&MessageAttribute.1.Value.DataType=String&MessageAttribute.1.Value.StringValue=x",
  SendMessageBatch:
    `QueueUrl=${QUEUE_URL}&SendMessageBatchRequestEntry.1.Id=a` +
    "&SendMessageBatchRequestEntry.1.MessageBody=x",
  CreateQueue: "QueueName=q&Attribute.1.Name=DelaySeconds&Attribute.1.Value=3",
  GetMetricStatistics:
    "Namespace=AWS/SQS&MetricName=M&Period=60&Statistics.member.1=Sum" +
    "&StartTime=2026-01-01T00:00:00Z&EndTime=2026-01-01T01:00:00Z" +
    "&Dimensions.member.1.Name=QueueName&Dimensions.member.1.Value=plain",
  DescribeAlarms: "AlarmNames.member.1=high&MaxRecords=1",
  PutAlarmMuteRule:
    "Name=mute&Rule.Schedule.Expression=at(2026-01-01T00:00)&Rule.Schedule.Duration=PT4H" +
    "&MuteTargets.AlarmNames.member.1=high&StartDate=2026-01-01T00:00:00Z",
  GetAlarmMuteRule: "AlarmMuteRuleName=mute",
  DeleteAlarmMuteRule: "AlarmMuteRuleName=mute",
  ListAlarmMuteRules: "AlarmName=high&Statuses.member.1=ACTIVE&MaxRecords=5",
  DescribeAlarmHistory: "AlarmName=high&MaxRecords=5&StartDate=2026-01-01T00:00:00Z",
  SetAlarmState: "AlarmName=high&StateValue=OK&StateReason=x",
  AssumeRole: "RoleArn=arn:aws:iam::000000000000:role/r&RoleSessionName=s&DurationSeconds=900",
  DescribeStacks: "StackName=local",
};
const ANY_FORM =
  `QueueUrl=${QUEUE_URL}&AttributeName.1=All&ReceiptHandle=cGxhaW4vYS8x&VisibilityTimeout=3` +
  "&QueueName=plain&MaxResults=1&NextToken=1&Id=a&Entry.1.Id=a&MaxNumberOfMessages=1";

const REST_INPUTS: { readonly [name: string]: Input } = {
  Invoke: { a: 1 },
  PutFunctionConcurrency: { ReservedConcurrentExecutions: 1 },
  CreateEventSourceMapping: { EventSourceArn: QUEUE_ARN, FunctionName: "f", BatchSize: 5 },
  UpdateEventSourceMapping: { Enabled: false, BatchSize: 5, ScalingConfig: {} },
  CreateAlias: {
    ...{ Name: "canary", FunctionVersion: "1", Description: "d" },
    RoutingConfig: { AdditionalVersionWeights: { 2: 0.5 } },
  },
  UpdateAlias: {
    FunctionVersion: "1",
    RoutingConfig: { AdditionalVersionWeights: { 2: 0.5 } },
  },
  UpdateFunctionConfiguration: {
    ...{ Timeout: 3, MemorySize: 128, Handler: "a.handler", Runtime: "nodejs22.x" },
    ...{ Description: "d", TracingConfig: { Mode: "Active" } },
    DeadLetterConfig: { TargetArn: QUEUE_ARN },
    Environment: { Variables: { A: "b" } },
    Layers: ["arn:aws:lambda:eu-west-1:000000000000:layer:l:1"],
  },
  PutProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 2 },
  CreateSchedule: SCHEDULE,
  UpdateSchedule: SCHEDULE,
};

/** A query that the operation needs to get past its first check. */
const REST_QUERIES: { readonly [name: string]: string } = {
  GetRestApis: "?limit=1&position=0",
  GetResources: "?embed=methods",
  GetApiKeys: "?includeValues=true&name=k",
  GetUsagePlans: "?keyId=key0000000",
  DeleteFunction: "?Qualifier=2",
  PutProvisionedConcurrencyConfig: "?Qualifier=live",
  GetProvisionedConcurrencyConfig: "?Qualifier=live",
  DeleteProvisionedConcurrencyConfig: "?Qualifier=1",
  ListProvisionedConcurrencyConfigs: "?List=ALL",
};

/** `live` is an alias of `f`, beside its versions 1 and 2; the REST API has one of everything. */
const LABELS: { readonly [member: string]: string } = {
  ...{ FunctionName: "f", UUID: "0-0", Name: "live" },
  ...{ restApiId: "abcdefghij", stageName: "prod", httpMethod: "POST", domainName: "a.example" },
  ...{ resourceId: resourceIdOf("Api", "/checkout"), basePath: "(none)", apiKey: "key0000000" },
  ...{ usagePlanId: "plan00", keyId: "key0000000" },
};

/** Every operation, by each protocol that it is there in. */
export function allSeeds(): Seed[] {
  const json = Object.entries(JSON_SERVICES).flatMap(([prefix, { version, operations }]) =>
    Object.keys(operations).map((operation): Seed => {
      const name = `${prefix}.${operation}`;
      return { protocol: "json", name, version, input: JSON_INPUTS[name] ?? ANY };
    }),
  );
  const query = Object.entries(QUERY_SERVICES).flatMap(([version, { operations }]) =>
    Object.keys(operations).map((name): Seed => {
      const form = `Action=${name}&Version=${version}&${QUERY_FORMS[name] ?? ANY_FORM}`;
      return { protocol: "query", name, form };
    }),
  );
  const rest = REST_ROUTES.map(({ name, method, path }): Seed => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, member: string) => LABELS[member] ?? "x");
    const input = REST_INPUTS[name] ?? ANY;
    const asked = `${filled}${REST_QUERIES[name] ?? ""}`;
    return { protocol: "rest", name, method, path: asked, input };
  });
  return [...json, ...query, ...rest];
}
