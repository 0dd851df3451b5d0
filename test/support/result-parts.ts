// Parts of the shape of result.json that only some runs have.
import { z } from "zod";

const count = z.int().min(0);
const known = z.number().nullable().describe("null = not known, or without end");

export const CRITERIA_CHANGED = z
  .strictObject({
    ref: z.string(),
    commit: z.string().nullable().describe("the last that both have; null = not compared"),
    compared: z.boolean(),
    not_compared: z.string().describe("why not; empty = it was"),
    criteria_from: z.enum(["base", "head"]),
    safety_from: z.enum(["base", "head"]),
    changed: z.boolean().describe("of criteria; safety alone does not count"),
    changes: z.array(
      z.strictObject({
        group: z.enum(["criteria", "safety"]),
        key: z.string(),
        kind: z.enum(["removed", "loosened", "changed", "tightened", "added"]),
        base: z.string().nullable(),
        head: z.string().nullable(),
      }),
    ),
  })
  .optional()
  .describe("in a pull request: what it changes of its own judgement");

export const VERSIONS = z
  .array(
    z.strictObject({
      load: z.string(),
      arm: z.string(),
      function: z.string().nullable(),
      version: z.string().nullable().describe("as criteria call it; null = none"),
      kind: z
        .enum(["version", "before", "open"])
        .describe("before: no version was asked; open: nobody knows which had it"),
      n: count.describe("arrivals whose last attempt it had; a load's rows add up to its sent"),
      share: z.number(),
      weight: z.number().nullable().describe("of its alias when the run began"),
      ok: count,
      throttled: count,
      errored: count,
      unknown: count,
      joined: count.describe("answers with a REPORT line"),
      cold: count,
      p50_ms: known,
      p95_ms: known,
      p99_ms: known,
    }),
  )
  .optional()
  .describe("by version of the functions, where several answered or a criterion names one");

export const FRONTS = z
  .array(
    z.strictObject({
      name: z.string(),
      loads: z.array(z.string()),
      sent: count,
      resent: count,
      answered: count.describe("by the gateway or from behind it: it must have counted each"),
      turned_away: count.describe("by what may stand before the gateway"),
      unanswered: count,
      smoked: count.describe("our own requests of before the load"),
      counted: z.number().nullable().describe("by CloudWatch's Count; null = no points"),
      others: z.number().describe("counted beyond all that we sent"),
      others_share: z.number(),
      missing: z.number().describe("answered to us and not counted"),
      client_errors: z.strictObject({ ours: count, counted: z.number().nullable() }),
      server_errors: z.strictObject({ ours: count, counted: z.number().nullable() }),
      minutes: z.array(
        z.strictObject({
          at_ms: z.number(),
          low: count,
          high: count,
          counted: z.number().nullable(),
        }),
      ),
      minutes_off: count,
      unsound: z.string().describe("why `missing` proves nothing; empty = it does"),
    }),
  )
  .optional()
  .describe("APIs that loads went through: what they counted, and what we sent");

export const RETRY_AFTER = z
  .strictObject({
    rows: z.array(
      z.strictObject({
        by: z.string().describe("who refused, or `status 503`"),
        attempts: count,
        said: count.describe("attempts whose answer said how long to wait"),
        min_ms: z.number(),
        p50_ms: z.number(),
        max_ms: z.number(),
      }),
    ),
    waited: count,
    sooner: count.describe("resends that came before the answer's Retry-After was over"),
  })
  .optional()
  .describe("what answers asked their clients to wait");
