// API keys and usage plans of a template, as SAM's `UsagePlan` or as resources of their own.
import { z } from "zod";
import { around, ignored, ratePerSecond, text, truth, whole } from "./schema-words.ts";

const quota = z.strictObject({
  Limit: whole(1, 2_147_483_647),
  Period: z.enum(["DAY", "WEEK", "MONTH"]),
  Offset: whole(0, 2_147_483_647).optional(),
});
const throttle = z.strictObject({
  RateLimit: ratePerSecond,
  BurstLimit: whole(0, 1_000_000),
});

/** SAM makes a plan, a key and what joins them, one for each API or one for all. */
export const samUsagePlan = z.strictObject({
  CreateUsagePlan: z.enum(["PER_API", "SHARED", "NONE"]),
  UsagePlanName: text.optional(),
  Quota: quota.optional(),
  Throttle: throttle.optional(),
  Description: ignored,
  Tags: ignored,
});

export const USAGE_RESOURCES = {
  "AWS::ApiGateway::ApiKey": z.strictObject({
    Type: z.literal("AWS::ApiGateway::ApiKey"),
    Properties: z
      .strictObject({
        Name: text.optional(),
        Value: text.regex(/^.{20,128}$/, "an API key has 20 to 128 characters").optional(),
        Enabled: truth.optional(),
        StageKeys: ignored,
        Description: ignored,
        Tags: ignored,
      })
      .optional(),
    ...around,
  }),
  "AWS::ApiGateway::UsagePlan": z.strictObject({
    Type: z.literal("AWS::ApiGateway::UsagePlan"),
    Properties: z
      .strictObject({
        UsagePlanName: text.optional(),
        ApiStages: z
          .array(
            z.strictObject({
              ApiId: text,
              Stage: text,
              /** `/path/METHOD` → throttle. */
              Throttle: z.record(z.string(), throttle).optional(),
            }),
          )
          .optional(),
        Quota: quota.optional(),
        Throttle: throttle.optional(),
        Description: ignored,
        Tags: ignored,
      })
      .optional(),
    ...around,
  }),
  "AWS::ApiGateway::UsagePlanKey": z.strictObject({
    Type: z.literal("AWS::ApiGateway::UsagePlanKey"),
    Properties: z.strictObject({
      KeyId: text,
      KeyType: z.literal("API_KEY"),
      UsagePlanId: text,
    }),
    ...around,
  }),
} as const;

export type ApiKeyResource = z.infer<(typeof USAGE_RESOURCES)["AWS::ApiGateway::ApiKey"]>;
export type UsagePlanResource = z.infer<(typeof USAGE_RESOURCES)["AWS::ApiGateway::UsagePlan"]>;
export type UsagePlanKeyResource = z.infer<
  (typeof USAGE_RESOURCES)["AWS::ApiGateway::UsagePlanKey"]
>;
