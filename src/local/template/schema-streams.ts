// Streams of a template and the functions' events from them, as schemas.
import { z } from "zod";
import { around, ignored, text, truth, whole } from "./schema-words.ts";

export const STREAM_RESOURCES = {
  "AWS::Kinesis::Stream": z.strictObject({
    Type: z.literal("AWS::Kinesis::Stream"),
    Properties: z.strictObject({
      Name: text.regex(/^[a-zA-Z0-9_.-]{1,128}$/, "not a stream name").optional(),
      ShardCount: whole(1, 10_000),
      RetentionPeriodHours: whole(24, 8_760).optional(),
      MaxRecordSizeInKiB: whole(1_024, 10_240).optional(),
      StreamModeDetails: z
        .strictObject({
          StreamMode: z.literal("PROVISIONED", "local AWS has provisioned streams only"),
        })
        .optional(),
      StreamEncryption: ignored,
      Tags: ignored,
    }),
    ...around,
  }),
} as const;

export type StreamResource = z.infer<(typeof STREAM_RESOURCES)["AWS::Kinesis::Stream"]>;

const orForever = (low: number, high: number) =>
  z.union([z.literal(-1), z.literal("-1").transform(() => -1), whole(low, high)]);

/** SAM makes an event source mapping of it, with the logical id `<Function><Event>`. */
export const kinesisEvent = z.strictObject({
  Type: z.literal("Kinesis"),
  Properties: z.strictObject({
    /** The stream's ARN. */
    Stream: text,
    StartingPosition: z.enum(["TRIM_HORIZON", "LATEST", "AT_TIMESTAMP"]),
    StartingPositionTimestamp: z.number().optional(),
    BatchSize: whole(1, 10_000).optional(),
    MaximumBatchingWindowInSeconds: whole(0, 300).optional(),
    ParallelizationFactor: whole(1, 10).optional(),
    MaximumRetryAttempts: orForever(0, 10_000).optional(),
    MaximumRecordAgeInSeconds: orForever(60, 604_800).optional(),
    BisectBatchOnFunctionError: truth.optional(),
    FunctionResponseTypes: z.array(z.literal("ReportBatchItemFailures")).max(1).optional(),
    DestinationConfig: z
      .strictObject({
        OnFailure: z
          .strictObject({ Type: z.literal("SQS").optional(), Destination: text })
          .optional(),
      })
      .optional(),
    Enabled: truth.optional(),
  }),
});
