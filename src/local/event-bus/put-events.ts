// PutEvents: each entry is taken or refused by itself.
import { randomUUID } from "node:crypto";
import { validationError } from "../aws-error.ts";
import type { JsonInput } from "../wire/aws-json.ts";
import { said } from "../wire/said.ts";
import type { World } from "../world.ts";
import { DEFAULT_BUS } from "./event-buses.ts";

const ENTRIES_MAX = 10;
/** Of one entry, and of all of a request. */
const SIZE_BYTES_MAX = 262_144;
/** A time counts this much, whatever it says. */
const TIME_BYTES = 14;

type Entry = { readonly [member: string]: unknown };

export function putEvents(world: World, input: JsonInput): object {
  const entries: unknown = input.Entries;
  if (!Array.isArray(entries) || entries.length === 0)
    throw validationError(constraint("greater than or equal to 1"));
  if (entries.length > ENTRIES_MAX)
    throw validationError(constraint(`less than or equal to ${ENTRIES_MAX}`));
  const given = entries.map((entry: unknown): Entry => {
    if (typeof entry === "object" && entry !== null) return entry as Entry;
    throw validationError("1 validation error detected: an entry is no structure");
  });
  const sizeBytes = given.reduce((sum, entry) => sum + sizeBytesOf(entry), 0);
  if (sizeBytes > SIZE_BYTES_MAX)
    throw validationError("Total size of the entries in the request is over the limit.");
  const results = given.map((entry) => put(world, entry));
  const failed = results.filter((result) => "ErrorCode" in result).length;
  return { FailedEntryCount: failed, Entries: results };
}

const constraint = (bound: string): string =>
  "1 validation error detected: Value at 'entries' failed to satisfy constraint: " +
  `Member must have length ${bound}`;

const bytesOf = (value: unknown): number =>
  typeof value === "string" ? Buffer.byteLength(value) : 0;

/** EventBridge user guide, "Calculating PutEvents event entry size". */
function sizeBytesOf({ Source, DetailType, Detail, Resources, Time }: Entry): number {
  const listed: unknown[] = Array.isArray(Resources) ? Resources : [];
  const resources = listed.reduce<number>((sum, one) => sum + bytesOf(one), 0);
  const time = Time === undefined ? 0 : TIME_BYTES;
  return time + bytesOf(Source) + bytesOf(DetailType) + bytesOf(Detail) + resources;
}

type PutResult =
  | { readonly EventId: string }
  | { readonly ErrorCode: string; readonly ErrorMessage: string };

function put(world: World, entry: Entry): PutResult {
  const { Source: source, DetailType: type, Detail: detail, Resources, Time } = entry;
  for (const [name, value] of Object.entries({ Source: source, DetailType: type, Detail: detail }))
    if (typeof value !== "string" || value === "") return missing(name);
  if (String(source).startsWith("aws."))
    return refused("NotAuthorizedForSourceException", "Not authorized for the source.");
  const parsed = parse(String(detail));
  if (parsed === null) return refused("MalformedDetail", "Detail is malformed.");
  const listed: unknown[] = Array.isArray(Resources) ? Resources : [];
  const EventId = randomUUID();
  const { account, region, clock } = world;
  const atMs = typeof Time === "number" ? Time * 1_000 : clock.wallMs();
  const at = new Date(Math.min(Math.max(atMs, 0), TIME_MS_MAX));
  world.eventBuses.put(busName(entry.EventBusName), {
    ...{ version: "0", id: EventId, "detail-type": type, source, account },
    time: `${at.toISOString().slice(0, 19)}Z`,
    ...{ region, resources: listed.map(said), detail: parsed },
  });
  return { EventId };
}

/** The end of the year 9999. */
const TIME_MS_MAX = 253_402_300_799_000;

/** By name or ARN. */
const busName = (given: unknown): string =>
  typeof given === "string" && given !== "" ? (given.split("/").at(-1) ?? "") : DEFAULT_BUS;

/** An object, or null where it is none. */
function parse(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

const refused = (ErrorCode: string, ErrorMessage: string): PutResult => ({
  ErrorCode,
  ErrorMessage,
});

const missing = (name: string): PutResult =>
  refused(
    "InvalidArgument",
    `Parameter ${name} is not valid. Reason: ${name} is a required argument.`,
  );
