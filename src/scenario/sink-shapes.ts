// The keys of every kind of sink. A new sink is one line here.
import type { z } from "zod";
import { object, ref, text } from "./scalars.ts";

export interface SinkInput {
  readonly id: string;
  readonly cell?: string | undefined;
  readonly [key: string]: string | undefined;
}

const id = text.describe("Field that holds the event's id.");
const cell = text.optional().describe("Field that says which aggregate the event counts in.");

export const SINK_SHAPES: { readonly [kind: string]: z.ZodType<SinkInput> } = {
  dynamodb: object({ table: ref.describe("Table name or ARN."), id, cell }).describe(
    "One item per event in a DynamoDB table.",
  ),
};
