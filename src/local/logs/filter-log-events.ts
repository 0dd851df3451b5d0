// FilterLogEvents: matching events, oldest first; a page may be empty and still have a next.

import type { JsonInput } from "../wire/aws-json.ts";
import { said } from "../wire/said.ts";
import type { World } from "../world.ts";
import { filterPattern } from "./filter-pattern.ts";
import type { LogEvent, LogEvents } from "./log-events.ts";
import { groupOf, invalidLogs, numberOf } from "./log-group-input.ts";

const EVENTS_MAX = 10_000;
const PAGE_BYTES_MAX = 1_048_576;
/** Events looked at for one page: a sparse filter gives empty pages, as on AWS. */
const SCAN_MAX = 50_000;

export function filterLogEvents(world: World, input: JsonInput, caller: string): object {
  const limit = numberOf(input, "limit", { low: 1, high: EVENTS_MAX, otherwise: EVENTS_MAX });
  const endMs = timeOf(input, "endTime", Number.POSITIVE_INFINITY);
  const startMs = timeOf(input, "startTime", 0);
  const wanted = matcherOf(input);
  const { events } = groupOf(world, input, caller).group;
  const found: object[] = [];
  let sizeBytes = 0;
  let index = startIndex(events, startMs, input.nextToken);
  const scanEnd = index + SCAN_MAX;
  let next: LogEvent | null = null;
  for (; index < events.length; index++) {
    const event = events.at(index);
    if (event.atEpochMs > endMs) break;
    if (found.length >= limit || sizeBytes >= PAGE_BYTES_MAX || index >= scanEnd) {
      next = event;
      break;
    }
    const { message } = event;
    if (!wanted(event.stream, message)) continue;
    sizeBytes += message.length;
    found.push(viewOf(event, message));
  }
  return {
    events: found,
    searchedLogStreams: [],
    ...(next === null ? {} : { nextToken: tokenBefore(next) }),
  };
}

/** Milliseconds since 1970. */
const timeOf = (input: JsonInput, key: string, otherwise: number): number =>
  numberOf(input, key, { low: 0, high: Number.MAX_SAFE_INTEGER, otherwise });

function matcherOf(input: JsonInput): (stream: string, message: string) => boolean {
  const text = typeof input.filterPattern === "string" ? input.filterPattern : "";
  const matches = filterPattern(text);
  const names = Array.isArray(input.logStreamNames) ? new Set(input.logStreamNames) : null;
  const prefix = typeof input.logStreamNamePrefix === "string" ? input.logStreamNamePrefix : "";
  return (stream, message) =>
    (names === null || names.has(stream)) && stream.startsWith(prefix) && matches(message);
}

const viewOf = (event: LogEvent, message: string): object => ({
  logStreamName: event.stream,
  timestamp: event.atEpochMs,
  message,
  ingestionTime: event.ingestedEpochMs,
  eventId: String(event.sequence).padStart(56, "0"),
});

/** The next page begins at this event, wherever later arrivals have moved it. */
const tokenBefore = ({ atEpochMs, sequence }: LogEvent): string =>
  Buffer.from(`${atEpochMs}/${sequence}`).toString("base64url");

function startIndex(events: LogEvents, startMs: number, token: unknown): number {
  if (token === undefined || token === null) return events.firstAtOrAfter(startMs);
  const text = Buffer.from(said(token), "base64url").toString();
  const [, at, sequence] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (at === undefined) throw invalidLogs("The specified nextToken is invalid.");
  let index = events.firstAtOrAfter(Number(at));
  const isBefore = ({ atEpochMs, sequence: own }: LogEvent): boolean =>
    atEpochMs === Number(at) && own < Number(sequence);
  while (index < events.length && isBefore(events.at(index))) index++;
  return index;
}
