// The schema of `notify:`: who is told what, for a scenario or one of its environments.
import { z } from "zod";
import { NOTICE_KINDS } from "../core/notice.ts";
import { object, ref } from "./scalars.ts";

const webhook = object({
  url: ref.describe("HTTPS; {{env.NAME}} where whoever knows it may write there."),
  headers: z.record(z.string(), ref).optional(),
  sign: ref.optional().describe("Secret, by reference: bodies are signed by HMAC-SHA256."),
});
const eventbridge = object({
  bus: ref.describe("Name or ARN of an event bus of the account."),
});

export const notifySchema = z
  .array(
    object({
      webhook: webhook.optional(),
      eventbridge: eventbridge.optional(),
      on: z.array(z.enum(NOTICE_KINDS)).min(1).optional().describe("Default: all of them."),
    }).meta({
      description: "One that is told: a webhook or a bus of EventBridge.",
      oneOf: [{ required: ["webhook"] }, { required: ["eventbridge"] }],
    }),
  )
  .describe("Who is told when a run starts, breaks, stops, ends, or could not put back.");

export type RawNotify = z.output<typeof notifySchema>[number];
