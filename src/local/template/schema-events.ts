// What a function may say about queues: event sources, destinations, dead letters; and its URL.
import { z } from "zod";
import { ignored, text, truth, whole } from "./schema-words.ts";

/** SAM makes an event source mapping of it, with the logical id `<Function><Event>`. */
export const sqsEvent = z.strictObject({
  Type: z.literal("SQS"),
  Properties: z.strictObject({
    /** The queue's ARN. */
    Queue: text,
    BatchSize: whole(1, 10_000).optional(),
    MaximumBatchingWindowInSeconds: whole(0, 300).optional(),
    ScalingConfig: z.strictObject({ MaximumConcurrency: whole(2, 1_000).optional() }).optional(),
    FunctionResponseTypes: z.array(z.literal("ReportBatchItemFailures")).max(1).optional(),
    Enabled: truth.optional(),
  }),
});

/** SAM makes a schedule of it, with the function as its target. */
export const scheduleEvent = z.strictObject({
  Type: z.literal("ScheduleV2"),
  Properties: z.strictObject({
    ScheduleExpression: text,
    Name: text.regex(/^[\w.-]{1,64}$/, "not the name of a schedule").optional(),
    Description: z.string().optional(),
    State: z.enum(["ENABLED", "DISABLED"]).optional(),
    /** JSON text. */
    Input: text.optional(),
    FlexibleTimeWindow: z.strictObject({ Mode: z.literal("OFF") }).optional(),
  }),
});

const destination = z.strictObject({ Type: z.literal("SQS").optional(), Destination: text });

export const asyncProperties = {
  EventInvokeConfig: z
    .strictObject({
      MaximumRetryAttempts: whole(0, 2).optional(),
      MaximumEventAgeInSeconds: whole(60, 21_600).optional(),
      DestinationConfig: z
        .strictObject({ OnSuccess: destination.optional(), OnFailure: destination.optional() })
        .optional(),
    })
    .optional(),
  DeadLetterQueue: z.strictObject({ Type: z.literal("SQS"), TargetArn: text }).optional(),
  /** SAM makes a resource of it, with the logical id `<Function>Url`. */
  FunctionUrlConfig: z
    .strictObject({
      AuthType: z.enum(["NONE", "AWS_IAM"]),
      InvokeMode: z.literal("BUFFERED").optional(),
      Cors: ignored,
    })
    .optional(),
};
