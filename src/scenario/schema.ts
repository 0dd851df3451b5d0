// The schema of scenario.yaml: from it come validation, defaults' documentation and the JSON
// Schema.
import { z } from "zod";
import { environmentSchema } from "./environment-schema.ts";
import { FAULT_SHAPES } from "./fault-shapes.ts";
import { loadSchema, resendSchema } from "./load-schema.ts";
import { muteSchema } from "./mute-alarms.ts";
import { notifySchema } from "./notify-schema.ts";
import {
  count,
  countFromZero,
  duration,
  object,
  path,
  positiveDuration,
  ref,
  share,
  text,
} from "./scalars.ts";
import { SINK_SHAPES } from "./sink-shapes.ts";

const expectation = z
  .union([z.enum(["pass", "fail"]), object({ fail: text })], {
    error: () => "expect is pass, fail, or { fail: <text of the deciding criterion> }",
  })
  .describe("The verdict that this variant must give under `run --all`.");

const variant = object({
  template: path.optional().describe("SAM template, relative to the scenario."),
  expect: expectation.optional(),
  resend: z.record(z.string(), resendSchema).optional().describe("By load: replaces its resend."),
}).describe("The same loads, faults and criteria on another system.");

const phase = z
  .record(z.string(), positiveDuration)
  .refine((entry) => Object.keys(entry).length === 1, "a phase is one `name: time`");

const limits = object({
  duration: positiveDuration.optional().describe("Longest load. Default: the phases + 60s, or 1h."),
  requests: count.optional().describe("Most arrivals. Default 1000000."),
  "in-flight": count.optional().describe("Most attempts at once. Default 1000."),
  undo: positiveDuration.optional().describe("Time for undoing one fault. Default 60s."),
}).describe("Finite always; what is not given has a default.");

const generator = object({
  "lag-p99": positiveDuration.optional().describe("Default 20ms."),
  dropped: countFromZero.optional().describe("Default 0."),
  cpu: share.optional().describe("Of one core, busiest worker. Default 90%."),
}).describe("The generator's own limits: beyond any of these the run is INVALID.");

const faultKinds = Object.fromEntries(
  Object.entries(FAULT_SHAPES).map(([kind, { schema }]) => [kind, schema.optional()]),
);
const fault = object({
  ...faultKinds,
  during: text.optional().describe("Phase in which it is in force."),
  name: text.optional().describe("Its own window; with `at` and `for`, or beside `during`."),
  at: duration.optional().describe("Start on the run's clock."),
  for: positiveDuration.optional().describe("How long."),
}).meta({
  description: "One kind of fault, and when: `during:` or `name:` with `at:` and `for:`.",
  oneOf: Object.keys(FAULT_SHAPES).map((kind) => ({ required: [kind] })),
});

const sinkKinds = Object.fromEntries(
  Object.entries(SINK_SHAPES).map(([kind, schema]) => [kind, schema.optional()]),
);
const settle = object({
  quiet: positiveDuration.optional().describe("Settled after so long without change. Default 10s."),
  "at-most": positiveDuration.optional().describe("Longest wait. Default 5m."),
});
const sink = object({
  ...sinkKinds,
  of: z.array(text).min(1).describe("Loads whose events end here."),
  settle: settle.optional(),
}).meta({
  description: "Where the effects of loads are counted, event by event.",
  oneOf: Object.keys(SINK_SHAPES).map((kind) => ({ required: [kind] })),
});

const observe = object({
  reports: object({ functions: z.array(ref) })
    .optional()
    .describe("REPORT lines: cold or warm."),
  "access-log": object({ group: ref }).optional().describe("Joins requests with invocations."),
  metrics: object({
    functions: z.array(ref).optional(),
    account: z.boolean().optional(),
    queues: z
      .record(z.string(), ref)
      .optional()
      .describe("Name → URL, ARN or name of a queue: `<name>.depth` in criteria."),
  })
    .optional()
    .describe("CloudWatch metrics, one-minute; those of the API before an http load always."),
  wait: positiveDuration.optional().describe("Longest wait for late lines. Default 5m."),
}).describe("What the platform says about the run.");

const criteria = z.array(text).describe("See docs/criteria.md.");
const stopCondition = z.union([text, object({ alarm: ref.describe("Its name or ARN.") })], {
  error: () => "a stop condition is a criterion, or `alarm:` with the name or ARN of one",
});

export const scenarioSchema = object({
  gatecrash: z.literal(1, { error: () => "this version reads `gatecrash: 1`" }),
  title: text.describe("The question, one sentence: first line of the report."),
  seed: z.int().min(0).optional().describe("All randomness comes from it. Default 1."),
  variants: z.record(z.string(), variant).optional(),
  template: path.optional().describe("SAM template of a scenario without variants."),
  environments: z.record(z.string(), environmentSchema).optional(),
  allow: object({
    hosts: z.array(ref).optional().describe("Where loads may be sent: hosts, or ARNs and queues."),
    change: z
      .array(ref)
      .optional()
      .describe("ARNs that faults may change, or out of which `clean-up` may delete."),
    lose: z
      .array(ref)
      .optional()
      .describe("ARNs of functions, queues and streams whose data faults may destroy."),
  }).optional(),
  limits: limits.optional(),
  generator: generator.optional(),
  scale: z
    .record(z.string(), z.number().positive())
    .optional()
    .describe("By environment: multiplies rates, counts, concurrencies and limits, never times."),
  phases: z.array(phase).min(1).optional().describe("Fixed on the run's clock, one after another."),
  loads: z.record(z.string(), loadSchema),
  faults: z.array(fault).optional(),
  sinks: z.record(z.string(), sink).optional(),
  observe: observe.optional(),
  steady: criteria.optional().describe("Must hold in `before`; recovery = these hold again."),
  "stop-when": z
    .array(stopCondition)
    .optional()
    .describe("Criteria, looked at once a second over the last 10 s, and alarms of CloudWatch."),
  accept: criteria.optional().describe("What is judged."),
  local: object({
    account: object({
      concurrency: count.optional().describe("Default 1000."),
      "unreserved-minimum": countFromZero.optional().describe("Default 100."),
      "scaling-bucket": count.optional().describe("Default 1000, refilled at a tenth a second."),
    }).optional(),
  }).optional(),
  downstreams: z
    .record(z.string(), text)
    .optional()
    .describe("What the load reaches behind the system, and what that is in this test."),
  brake: object({
    errors: share.optional().describe("Of the first answers. Default 50%."),
    within: positiveDuration.optional().describe("Default 10s."),
    of: count.optional().describe("Fewer answers say too little. Default 20."),
  })
    .optional()
    .describe("Stops a load that goes wrong at once; in an account by default."),
  "mute-alarms": muteSchema.optional(),
  notify: notifySchema.optional(),
  budget: positiveDuration.optional().describe("Most wall time from start to verdict."),
});

export type RawScenario = z.output<typeof scenarioSchema>;
export type RawFault = z.output<typeof fault>;
export type RawSink = z.output<typeof sink>;
export type RawVariant = z.output<typeof variant>;
