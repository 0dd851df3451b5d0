// The details of result.json: what a person sees in tables and drawings.
import { z } from "zod";

const count = z.int().min(0);
const known = z.number().nullable().describe("null = not known, or without end");
const share = z.number();
const byName = z.record(z.string(), count);
const part = z.strictObject({ p50_ms: known, p99_ms: known }).nullable();

export const DETAILS = {
  phases: z
    .array(
      z.strictObject({
        name: z.string(),
        start_ms: known,
        end_ms: known,
        sent: count,
        dropped: count,
        ok: count.describe("degraded ones too"),
        throttled: count,
        errored: count,
        unknown: count,
        degraded: count,
        attempts: count,
      }),
    )
    .optional()
    .describe("arrivals due in each phase as it was planned, all loads together"),
  time_parts: z
    .array(
      z.strictObject({
        load: z.string(),
        arm: z.string(),
        start: z.enum(["cold", "warm", "provisioned", "unjoined"]),
        n: count.describe("answers ok at the first attempt, with a REPORT line"),
        init: part,
        handler: part,
        front: part.describe("the access line's response latency without these two"),
        way: part.describe("the rest: network, our own lateness, the front where not known"),
      }),
    )
    .optional()
    .describe("where the time went; parts have percentiles of their own, which do not add up"),
  cold_causes: z
    .array(
      z.strictObject({
        function: z.string(),
        invocations: count,
        cold: count,
        first_of_version: count,
        scale_out: count.describe("as many were never there at once before"),
        after_pause: count.describe("nothing had run for a minute"),
        in_place: count.describe("as many had been there, and some were gone"),
      }),
    )
    .optional()
    .describe("cold starts of each function, other callers' too, by what made them"),
  streams: z
    .strictObject({
      shards: z.array(
        z.strictObject({ load: z.string(), shard: count, records: count, most_per_s: share }),
      ),
      most_over_s: share.describe("seconds over which most_per_s is the mean: a bucket's width"),
      refused: byName.describe("records, each attempt counted, by load"),
    })
    .optional(),
  statuses: byName.optional().describe("attempts by HTTP status; 0 = no answer"),
  answered_by: z
    .array(z.strictObject({ function: z.string(), version: z.string(), invocations: count }))
    .optional()
    .describe("by REPORT lines"),
  spilled: byName
    .optional()
    .describe("invocations beyond provisioned concurrency, by alias or version"),
};

const moment = z.strictObject({ at_ms: known });

export const EFFECT = z
  .strictObject({
    noticed: moment
      .extend({ by: z.string() })
      .nullable()
      .describe("first second in which a steady criterion did not hold"),
    alarm: moment.extend({ name: z.string() }).nullable(),
    worst_second: moment.extend({ not_ok: share, n: count }).nullable(),
    spent: z
      .array(z.strictObject({ criterion: z.string(), share }))
      .describe("of what each steady limit allows in the whole run, from asking to recovery"),
    while_acting: z
      .array(
        z.strictObject({
          name: z.string().describe("load, or load.route"),
          sent: count,
          ok: count,
          degraded: count,
          attempts: count,
        }),
      )
      .describe("arrivals due from its onset until undo was asked"),
    recovered_after_ms: known.describe("from clearing; null = not seen, or no steady state"),
    watched_for_ms: known,
  })
  .nullable()
  .describe("what it did to callers; null = it was never asked");

const ratio = z.strictObject({ estimate: known, low: known, high: known });

export const RATIOS = z
  .array(z.strictObject({ load: z.string(), p50: ratio, p95: ratio, p99: ratio }))
  .describe("new ÷ old with its 95 % interval; null = too little to have one");

export const CLOCK_OFFSET = z
  .strictObject({
    offset_ms: known.describe("the system's clock minus the generator's"),
    within_ms: known,
    n: count.describe("answers that both sides have stamped"),
    by: z.enum(["access_log", "report"]),
  })
  .nullable();
