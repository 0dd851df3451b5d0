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
