// The schema of one load: exactly one driver (when and what) and one target (how).
import { z } from "zod";
import { httpSchema } from "./http-schema.ts";
import {
  cellFields,
  count,
  duration,
  object,
  path,
  positiveDuration,
  rate,
  ref,
  share,
  text,
} from "./scalars.ts";

export const DRIVERS = ["replay", "rate", "burst", "saturate"] as const;
export const TARGETS = ["http", "lambda", "kinesis", "sqs"] as const;
const OUTCOMES = ["throttled", "errored", "unknown"] as const;

const BUSIEST = /^busiest (.+)$/;
const busiest = text
  .regex(BUSIEST, "a window reads like `busiest 30m`")
  .transform((value) => value.replace(BUSIEST, "$1"))
  .pipe(positiveDuration);

const replay = object({
  file: path.describe(
    "Capture file, relative to the scenario; any format `import` knows, or s3://…",
  ),
  speed: z.number().positive().optional().describe("Divides the time between arrivals. Default 1."),
  amplify: z.number().positive().optional().describe("Adds arrivals in unchanged time. Default 1."),
  window: busiest.optional().describe("Only this part: `busiest 30m`. Default: the whole capture."),
}).describe("Replays captured traffic at its recorded times.");

const step = object({
  at: rate.optional().describe("Constant rate."),
  from: rate.optional().describe("Start of a linear ramp."),
  to: rate.optional().describe("End of a linear ramp."),
  for: positiveDuration.describe("How long this step lasts."),
});

const rateDriver = object({
  at: rate.optional().describe("Constant arrival rate, e.g. 40/s."),
  from: rate.optional().describe("Start of a linear ramp (with `to`)."),
  to: rate.optional().describe("End of a linear ramp (with `from`)."),
  steps: z.array(step).min(1).optional().describe("Several rates after each other."),
  for: positiveDuration.optional().describe("How long; default until the load's phase ends."),
  count: count.optional().describe("At most so many arrivals."),
  arrivals: z.enum(["uniform", "poisson"]).optional().describe("Default uniform: evenly spaced."),
}).describe("Arrivals at a set rate that never wait for replies.");

const burst = object({
  count: count.describe("Arrivals due at one instant."),
  every: positiveDuration.optional().describe("Repeat after this time."),
  times: count.optional().describe("How often; default once, with `every` until the phase ends."),
}).describe("Many arrivals at the same instant.");

const saturate = object({
  connections: count.describe("Closed loop: each connection sends when its last answer came."),
  with: z.enum(["gatecrash", "autocannon"]).optional().describe("Who sends. Default gatecrash."),
}).describe("As fast as answers come; finds a ceiling, says nothing about response time.");

const timeout = positiveDuration
  .optional()
  .describe("Without an answer by then: unknown. Default 30s.");
const lambda = object({
  function: ref.describe("Name or ARN, qualifier included."),
  invocation: z.enum(["sync", "async"]).optional().describe("Default sync."),
  timeout,
}).describe("Lambda Invoke.");

const kinesis = object({
  stream: ref.describe("Name or ARN."),
  key: text.optional().describe("Field of the event that is the partition key. Default: its id."),
  linger: duration
    .optional()
    .describe("How long a call's first record waits for others. Default 100ms."),
  records: count.max(500).optional().describe("Most records in a call. Default 500."),
  pack: count.optional().describe("Events in one record, one a line. Default 1."),
  "max-record-kib": z
    .int()
    .min(1)
    .max(10_240)
    .optional()
    .describe("The stream's own limit for one record. Default 1024."),
  timeout,
}).describe("Kinesis PutRecords: records wait for a call to be full, or for `linger`.");
const sqs = object({
  queue: ref.describe("URL or ARN."),
  linger: duration
    .optional()
    .describe("How long a call's first message waits for others. Default 100ms."),
  timeout,
}).describe("SQS SendMessageBatch: messages wait for ten to be there, or for `linger`.");

const why = text.describe("Why it may be written; printed in the report.");
const STATUS = "a status is 404, or a range as 200-299";
const statusRange = z
  .string()
  .regex(/^[1-5]\d\d-[1-5]\d\d$/, STATUS)
  .refine((range) => range.slice(0, 3) <= range.slice(4), STATUS);
const status = z.union([z.int().min(100).max(599), statusRange], {
  error: () => STATUS,
});

export const resendSchema = object({
  attempts: count.describe("Attempts in all, the first included."),
  on: z.array(z.enum(OUTCOMES)).optional().describe("Default [throttled, errored]."),
  backoff: duration
    .optional()
    .describe("Before the second attempt; doubles each time. Default 100ms."),
  max: duration.optional().describe("Longest wait between attempts. Default 30s."),
  jitter: z
    .enum(["none", "full"])
    .optional()
    .describe("Default full: uniform from 0 to the backoff."),
  "retry-after": z
    .enum(["honour", "ignore"])
    .optional()
    .describe("Default honour: waits as long as an answer's Retry-After asks, at most `max`."),
}).describe("What the client does after a refusal or failure. Default: nothing.");

const CLEAN_UP_MAX_US = 3_600_000_000;
const cleanUp = object({
  queue: ref.describe("ARN of the on-failure or dead-letter queue; must be in allow.change."),
  settle: object({
    quiet: positiveDuration.optional().describe("Nothing new for so long. Default 5s."),
    "at-most": positiveDuration
      .refine((us) => us <= CLEAN_UP_MAX_US, "messages can be held back for an hour at most")
      .optional()
      .describe("Longest time of receiving. Default 60s."),
  }).optional(),
}).describe("After the load, its own messages are deleted from this queue, and nobody else's.");

const exactlyOne = (keys: readonly string[]) => ({
  oneOf: keys.map((key) => ({ required: [key] })),
});

export const loadSchema = object({
  replay: replay.optional(),
  rate: rateDriver.optional(),
  burst: burst.optional(),
  saturate: saturate.optional(),
  http: httpSchema.optional(),
  lambda: lambda.optional(),
  kinesis: kinesis.optional(),
  sqs: sqs.optional(),
  during: text
    .optional()
    .describe("Phase it runs in; default from 0 to the end of the last phase."),
  routes: z
    .record(z.string(), text.regex(/^[A-Z]+ \/\S*$/, "a route reads like `GET /product/{id}`"))
    .optional()
    .describe("Name → `METHOD /path/{param}`: the names can be used in criteria."),
  writes: z
    .record(z.string(), object({ body: path.describe("File of bodies."), why }))
    .optional()
    .describe("Mutating routes that a replay may send."),
  body: object({ template: path.describe("JSON file."), why }).optional(),
  ok: object({ status: z.array(status).min(1) })
    .optional()
    .describe("Default status 200-399."),
  smoke: object({
    status: z.array(status).min(1).optional().describe("What matches. Default: what is ok."),
    off: text.optional().describe("Why no request is sent before the load."),
  })
    .optional()
    .describe("One request for each reading route before the load; in an account by default."),
  degraded: object({ header: text, value: text.optional() })
    .optional()
    .describe("How an ok answer says that it is second best."),
  "request-id": object({ header: text.regex(/^[\w-]+$/, "a header's name, as x-request-id") })
    .optional()
    .describe("The answer's header in which the handler echoes its request id."),
  resend: resendSchema.optional(),
  ledger: object({ id: text, cell: cellFields.default([]) })
    .optional()
    .describe("Fields that identify an event, and the aggregate it counts in, if any."),
  "in-flight": count.optional().describe("Most attempts at once; default limits.in-flight."),
  duplicates: share
    .optional()
    .describe("This share of the arrivals is sent twice on purpose, as a producer may."),
  "clean-up": cleanUp.optional(),
}).meta({
  description: "One stream of arrivals: one driver (replay, rate, burst, saturate), one target.",
  allOf: [exactlyOne(DRIVERS), exactlyOne(TARGETS)],
});

export type RawLoad = z.output<typeof loadSchema>;
export type RawRate = z.output<typeof rateDriver>;
export type RawResend = z.output<typeof resendSchema>;
