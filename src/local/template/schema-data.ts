// Queues, tables, alarms and roles of a template, as schemas.
import { z } from "zod";
import { around, ignored, text, truth, whole } from "./schema-words.ts";

const queueProperties = z.strictObject({
  QueueName: text.regex(/^[\w-]{1,80}$/, "not the name of a standard queue").optional(),
  VisibilityTimeout: whole(0, 43_200).optional(),
  DelaySeconds: whole(0, 900).optional(),
  MaximumMessageSize: whole(1_024, 1_048_576).optional(),
  MessageRetentionPeriod: whole(60, 1_209_600).optional(),
  ReceiveMessageWaitTimeSeconds: whole(0, 20).optional(),
  RedrivePolicy: z
    .strictObject({ deadLetterTargetArn: text, maxReceiveCount: whole(1, 1_000) })
    .optional(),
  RedriveAllowPolicy: z.looseObject({}).optional(),
  SqsManagedSseEnabled: truth.optional(),
  Tags: ignored,
});

const attributeDefinition = z.strictObject({
  AttributeName: text,
  AttributeType: z.enum(["S", "N", "B"]),
});
const keySchema = z
  .array(z.strictObject({ AttributeName: text, KeyType: z.enum(["HASH", "RANGE"]) }))
  .min(1)
  .max(2);
const throughput = z.strictObject({
  ReadCapacityUnits: whole(1, 1_000_000),
  WriteCapacityUnits: whole(1, 1_000_000),
});
const index = z.strictObject({
  IndexName: text,
  KeySchema: keySchema,
  Projection: z.strictObject({
    ProjectionType: z.enum(["ALL", "KEYS_ONLY", "INCLUDE"]).optional(),
    NonKeyAttributes: z.array(text).optional(),
  }),
});

const tableProperties = z.strictObject({
  TableName: text.regex(/^[\w.-]{3,255}$/, "not a table name").optional(),
  AttributeDefinitions: z.array(attributeDefinition).min(1),
  KeySchema: keySchema,
  BillingMode: z.enum(["PAY_PER_REQUEST", "PROVISIONED"]).optional(),
  ProvisionedThroughput: throughput.optional(),
  GlobalSecondaryIndexes: z
    .array(index.extend({ ProvisionedThroughput: throughput.optional() }))
    .optional(),
  LocalSecondaryIndexes: z.array(index).optional(),
  /** Nothing expires here. */
  TimeToLiveSpecification: ignored,
  PointInTimeRecoverySpecification: ignored,
  SSESpecification: ignored,
  DeletionProtectionEnabled: ignored,
  Tags: ignored,
});

const number = z.preprocess(
  (value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value),
  z.number(),
);

const alarmProperties = z.strictObject({
  AlarmName: text.optional(),
  AlarmDescription: z.string().optional(),
  Namespace: text,
  MetricName: text,
  Dimensions: z.array(z.strictObject({ Name: text, Value: text })).optional(),
  Statistic: z.enum(["SampleCount", "Average", "Sum", "Minimum", "Maximum"]).optional(),
  ExtendedStatistic: text.regex(/^p\d{1,2}(\.\d+)?$|^p100$/, "not a percentile").optional(),
  Period: z.preprocess((value) => Number(value), z.number().int().multipleOf(60).positive()),
  EvaluationPeriods: whole(1, 1_440),
  DatapointsToAlarm: whole(1, 1_440).optional(),
  Threshold: number,
  ComparisonOperator: z.enum([
    "GreaterThanThreshold",
    "GreaterThanOrEqualToThreshold",
    "LessThanThreshold",
    "LessThanOrEqualToThreshold",
  ]),
  TreatMissingData: z.enum(["missing", "notBreaching", "breaching", "ignore"]).optional(),
  Unit: ignored,
  ActionsEnabled: truth.optional(),
  /** Functions are called; what else there is shows in the history. */
  AlarmActions: z.array(text).optional(),
  OKActions: z.array(text).optional(),
  InsufficientDataActions: z.array(text).optional(),
  Tags: ignored,
});

const bucketProperties = z.strictObject({
  BucketName: text.regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "not a bucket name").optional(),
  /** Nobody's permissions are checked, and nothing expires here. */
  PublicAccessBlockConfiguration: ignored,
  OwnershipControls: ignored,
  BucketEncryption: ignored,
  LifecycleConfiguration: ignored,
  Tags: ignored,
});

export const DATA_RESOURCES = {
  "AWS::S3::Bucket": z.strictObject({
    Type: z.literal("AWS::S3::Bucket"),
    Properties: bucketProperties.optional(),
    ...around,
  }),
  "AWS::SQS::Queue": z.strictObject({
    Type: z.literal("AWS::SQS::Queue"),
    Properties: queueProperties.optional(),
    ...around,
  }),
  "AWS::DynamoDB::Table": z.strictObject({
    Type: z.literal("AWS::DynamoDB::Table"),
    Properties: tableProperties,
    ...around,
  }),
  "AWS::CloudWatch::Alarm": z.strictObject({
    Type: z.literal("AWS::CloudWatch::Alarm"),
    Properties: alarmProperties,
    ...around,
  }),
  /** Nobody's permissions are checked here; a role is a name and an ARN. */
  "AWS::IAM::Role": z.strictObject({
    Type: z.literal("AWS::IAM::Role"),
    Properties: z.looseObject({}),
    ...around,
  }),
} as const;

export type QueueResource = z.infer<(typeof DATA_RESOURCES)["AWS::SQS::Queue"]>;
export type BucketResource = z.infer<(typeof DATA_RESOURCES)["AWS::S3::Bucket"]>;
export type TableResource = z.infer<(typeof DATA_RESOURCES)["AWS::DynamoDB::Table"]>;
export type AlarmResource = z.infer<(typeof DATA_RESOURCES)["AWS::CloudWatch::Alarm"]>;
