// The keys of every kind of sink. A new sink is one line here, and its reader in observe/sinks.
import { z } from "zod";
import type { SinkInputValue } from "../core/scenario.ts";
import { cellFields, object, path, ref, text } from "./scalars.ts";

export interface SinkInput {
  readonly id?: string | undefined;
  readonly cell?: string[] | undefined;
  readonly [key: string]: SinkInputValue | undefined;
}

const fields = {
  id: text
    .optional()
    .describe("Field that holds the event's id. Without it a row is a cell with its sum."),
  cell: cellFields
    .optional()
    .describe("Field or fields that say which aggregate the event counts in."),
  shard: text
    .optional()
    .describe("Field with the id of the shard that stored the event: cells are then per shard."),
  count: text
    .optional()
    .describe("Field that says how often the event was counted. Default: once a row."),
};
const format = z.enum(["ndjson", "csv", "parquet"]);

export const SINK_SHAPES: { readonly [kind: string]: z.ZodType<SinkInput> } = {
  dynamodb: object({ table: ref.describe("Table name or ARN."), ...fields }).describe(
    "One item per event in a DynamoDB table.",
  ),
  objects: object({
    bucket: ref.describe("Bucket name."),
    prefix: ref.optional().describe("Begin of the keys that are read. Default: all."),
    format: z.enum(["ndjson", "csv"]).optional().describe("Default: by the key's ending."),
    ...fields,
  }).describe("Rows in NDJSON or CSV objects of a bucket."),
  file: object({
    path: path.describe("File, relative to the scenario; `*` in its name stands for any text."),
    format: format.optional().describe("Default: by the file's ending."),
    ...fields,
  }).describe("One row per event in NDJSON, CSV or Parquet files."),
  http: object({
    url: ref.describe("Answers GET with JSON or NDJSON; its host must be in allow.hosts."),
    headers: z.record(z.string(), ref).optional(),
    rows: text.optional().describe("Field with the list of rows. Default: the whole answer."),
    next: text.optional().describe("Field with the next page's URL; absent or empty = last page."),
    ...fields,
  }).describe("One row per event in a service's answer."),
  command: object({
    argv: z
      .array(ref)
      .min(1, "a command line needs a program")
      .describe("Program and arguments; no shell. Needs --allow-exec."),
    format: z.enum(["ndjson", "csv"]).optional().describe("Of its output. Default ndjson."),
    env: z.array(text).optional().describe("Names of variables it may see."),
    ...fields,
  }).describe("One row per event in what a command prints."),
};
