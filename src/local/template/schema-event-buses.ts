// Event buses, their rules, and who may send where, as schemas.
import { z } from "zod";
import { around, ignored, text } from "./schema-words.ts";

const BUS = /^[/.\-\w]{1,256}$/;

const target = z.strictObject({
  Id: text.max(64),
  Arn: text.regex(/^arn:[^:]+:(sqs|lambda):/, "local AWS sends events to queues and functions"),
  Input: text.optional(),
  InputPath: text.regex(/^\$(\.[\w-]+)*$/, "a path reads like $.detail.name").optional(),
  /** Nobody's permissions are checked, and what cannot be delivered is gone. */
  RoleArn: ignored,
  DeadLetterConfig: ignored,
  RetryPolicy: ignored,
});

const rule = z.strictObject({
  Name: text.regex(/^[.\-\w]{1,64}$/, "not the name of a rule").optional(),
  EventBusName: text.optional(),
  EventPattern: z.looseObject({}),
  Description: z.string().optional(),
  State: z.enum(["ENABLED", "DISABLED"]).optional(),
  Targets: z.array(target).max(5).optional(),
  Tags: ignored,
});

export const EVENT_BUS_RESOURCES = {
  "AWS::Events::EventBus": z.strictObject({
    Type: z.literal("AWS::Events::EventBus"),
    Properties: z.strictObject({
      Name: text.regex(BUS, "not the name of an event bus"),
      Description: z.string().optional(),
      Tags: ignored,
    }),
    ...around,
  }),
  "AWS::Events::Rule": z.strictObject({
    Type: z.literal("AWS::Events::Rule"),
    Properties: rule,
    ...around,
  }),
  /** What AWS needs before an event may reach a queue or a function; here all may. */
  "AWS::SQS::QueuePolicy": z.strictObject({
    Type: z.literal("AWS::SQS::QueuePolicy"),
    Properties: z.looseObject({}),
    ...around,
  }),
  "AWS::Lambda::Permission": z.strictObject({
    Type: z.literal("AWS::Lambda::Permission"),
    Properties: z.looseObject({}),
    ...around,
  }),
} as const;

export type EventBusResource = z.infer<(typeof EVENT_BUS_RESOURCES)["AWS::Events::EventBus"]>;
export type EventRuleResource = z.infer<(typeof EVENT_BUS_RESOURCES)["AWS::Events::Rule"]>;
