// What the three batch operations have in common: their entries, and an answer per entry.
import { AwsError } from "../aws-error.ts";
import type { JsonInput } from "../wire/aws-json.ts";
import { emptyBatch, idsNotDistinct, invalidBatchEntryId, tooManyEntries } from "./errors.ts";

const ENTRIES_MAX = 10;

export interface BatchAnswer {
  readonly Successful: object[];
  readonly Failed?: object[];
}

/** The entries with their ids checked; `kind` is the entry's name in AWS's messages. */
export function entriesOf(input: JsonInput, kind: string): readonly JsonInput[] {
  const given: unknown = input.Entries;
  if (!Array.isArray(given) || given.length === 0) throw emptyBatch(kind);
  if (given.length > ENTRIES_MAX) throw tooManyEntries(given.length);
  const entries = given.map((entry) => (entry ?? {}) as JsonInput);
  const ids = new Set<unknown>();
  for (const { Id: id } of entries) {
    if (typeof id !== "string" || !/^[\w-]{1,80}$/.test(id)) throw invalidBatchEntryId();
    if (ids.has(id)) throw idsNotDistinct(id);
    ids.add(id);
  }
  return entries;
}

/** Runs `one` for each entry: what it throws is that entry's failure alone. */
export function forEach(
  entries: readonly JsonInput[],
  one: (entry: JsonInput) => object,
): BatchAnswer {
  const successful: object[] = [];
  const failed: object[] = [];
  for (const entry of entries) {
    try {
      successful.push({ Id: entry.Id, ...one(entry) });
    } catch (thrown) {
      if (!(thrown instanceof AwsError)) throw thrown;
      failed.push(failureOf(entry, thrown));
    }
  }
  return { Successful: successful, ...(failed.length === 0 ? {} : { Failed: failed }) };
}

const failureOf = (entry: JsonInput, { queryCode, status, message }: AwsError): object => ({
  Id: entry.Id,
  SenderFault: status < 500,
  Code: queryCode,
  Message: message,
});
