// The keys of every kind of fault. A new fault is one line here.
import { z } from "zod";
import type { FaultSpec } from "../core/scenario.ts";
import {
  count,
  countFromZero,
  duration,
  object,
  positiveDuration,
  ref,
  share,
  text,
} from "./scalars.ts";

export interface FaultShape {
  readonly schema: z.ZodType<{
    readonly [key: string]: string | number | boolean | undefined;
  }>;
  /**
   * Keys that hold ARNs the fault writes to: they must be in `allow.change`. The value is which
   * part of the resource: two faults may not change the same part at once.
   */
  readonly resources: { readonly [key: string]: string };
  /** Keys that are concurrencies or rates, which `scale` multiplies. */
  readonly scaled: readonly string[];
}

const TO =
  "Reserved concurrency while the fault lasts; 0 refuses everything. `scale` multiplies it.";

const someShare = share
  .refine((of) => of > 0 && of <= 1, "a share is above 0% and at most 100%")
  .optional()
  .describe("Of the requests, evenly spread by the seed. Default 100%.");
const STATUS = "an HTTP status from 400 to 599 is needed here";
const failingStatus = z
  .int({ error: () => STATUS })
  .min(400, STATUS)
  .max(599, STATUS);
const only = text
  .optional()
  .describe("Operations (`PutItem, UpdateItem`) or beginnings of `METHOD /path`. Default: all.");
const dependency = ref.describe(
  "ARN of the rule's parameter, `…:parameter/gatecrash/dependency/<name>`; in allow.change.",
);

const invoked = ref.describe(
  "ARN of the alias that is invoked (or, without any, of the function); in allow.change.",
);

/** One of the groups is there, and nothing of the others. */
function oneForm(
  given: object,
  forms: readonly { readonly needs: readonly string[]; readonly may?: readonly string[] }[],
): boolean {
  const keys = Object.keys(given);
  return forms.some(
    ({ needs, may = [] }) =>
      needs.every((key) => keys.includes(key)) &&
      keys.every((key) => needs.includes(key) || may.includes(key)),
  );
}

const SLOW = [
  { needs: ["dependency", "delay"], may: ["delay-p99", "share", "only"] },
  { needs: ["dependency", "error"], may: ["share", "only"] },
  { needs: ["dependency", "reset"], may: ["share", "only"] },
  { needs: ["dependency", "hang"], may: ["share", "only"] },
];
const SOURCE = ["enabled", "batch-size", "maximum-concurrency"].map((key) => ({
  needs: ["mapping", key],
}));
const RETRIES = [
  { needs: ["dependency", "crash"], may: ["share", "only"] },
  { needs: ["queue", "visibility"] },
  { needs: ["function", "timeout"] },
];

export const FAULT_SHAPES: { readonly [kind: string]: FaultShape } = {
  "reserved-concurrency": {
    schema: object({
      function: ref.describe("ARN of the function; must be in allow.change."),
      to: countFromZero.describe(TO),
    }).describe(
      "Sets a function's reserved concurrency, and puts back what it was, unset included.",
    ),
    resources: { function: "reservation" },
    scaled: ["to"],
  },
  "event-source": {
    schema: object({
      mapping: ref.describe("ARN of the event source mapping; must be in allow.change."),
      enabled: z
        .literal(false, { error: () => "only `false`: a fault switches nothing on" })
        .optional()
        .describe("It reads no more, and keeps its position."),
      "batch-size": count.optional().describe("Largest batch."),
      "maximum-concurrency": count.optional().describe("Most batches at once, of a queue; 2 on."),
    })
      .refine(
        (given) => oneForm(given, SOURCE),
        "one of `enabled: false`, `batch-size`, `maximum-concurrency` is needed",
      )
      .describe("Switches an event source mapping off, or makes it read otherwise."),
    resources: { mapping: "mapping" },
    scaled: ["maximum-concurrency"],
  },
  "recycle-environments": {
    schema: object({ function: invoked }).describe(
      "Replaces a function's execution environments: every caller meets a cold start.",
    ),
    resources: { function: "configuration" },
    scaled: [],
  },
  "slow-dependency": {
    schema: object({
      dependency,
      delay: positiveDuration.optional().describe("Added to each request; with delay-p99: median."),
      "delay-p99": positiveDuration.optional().describe("99th percentile of a distributed delay."),
      error: failingStatus.optional().describe("HTTP status answered at once."),
      reset: z.literal(true).optional().describe("The connection is reset, nothing is forwarded."),
      hang: z.literal(true).optional().describe("No answer comes."),
      share: someShare,
      only,
    })
      .refine((given) => oneForm(given, SLOW), "one of `delay`, `error`, `reset`, `hang` is needed")
      .refine(
        (given) => (given["delay-p99"] ?? Number.POSITIVE_INFINITY) >= (given.delay ?? 0),
        "`delay-p99` is below `delay`, which is the median",
      )
      .describe("Slows or breaks requests to a dependency, in its proxy."),
    resources: { dependency: "rule" },
    scaled: [],
  },
  "force-retries": {
    schema: object({
      dependency: dependency.optional(),
      crash: z
        .enum(["before-commit", "after-commit"])
        .optional()
        .describe(
          "The client's connection is reset before, or after, its request was carried out.",
        ),
      share: someShare,
      only,
      queue: ref.optional().describe("ARN of the queue; must be in allow.change."),
      function: invoked.optional(),
      timeout: positiveDuration
        .refine((us) => us % 1_000_000 === 0 && us <= 900_000_000, "whole seconds up to 15m")
        .optional()
        .describe("Its timeout while the fault lasts: shorter than what it has to do."),
      visibility: duration
        .refine((us) => us % 1_000_000 === 0 && us <= 43_200_000_000, "whole seconds up to 12h")
        .optional()
        .describe("Messages come again after so long, done or not: 0s."),
    })
      .refine(
        (given) => oneForm(given, RETRIES),
        "one of `dependency` and `crash` (with `share`, `only`), `function` and `timeout`, " +
          "`queue` and `visibility` is needed",
      )
      .describe("Makes work be done twice: by crashes at a commit, timeouts or early redelivery."),
    resources: { dependency: "rule", function: "configuration", queue: "attributes" },
    scaled: [],
  },
};

/** The ARNs that a fault writes to, each with the part of it. */
export function resourcesOf({
  kind,
  input,
}: Pick<FaultSpec, "kind" | "input">): (readonly [resource: string, part: string])[] {
  return Object.entries(FAULT_SHAPES[kind]!.resources).flatMap(([key, part]) =>
    input[key] === undefined ? [] : [[String(input[key]), part] as const],
  );
}
