// FilterLogEvents: matching events, oldest first; a page may be empty and still have a next.

import type { JsonInput } from "../wire/aws-json.ts";
import { said } from "../wire/said.ts";
import type { World } from "../world.ts";
import { filterPattern } from "./filter-pattern.ts";
import { groupOf, invalidLogs, numberOf } from "./log-group-input.ts";
import { firstAtOrAfter, type LogEvent } from "./store.ts";

const EVENTS_MAX = 10_000;
const PAGE_BYTES_MAX = 1_048_576;
/** Events looked at for one page: a sparse filter gives empty pages, as on AWS. */
const SCAN_MAX = 50_000;

export function filterLogEvents(world: World, input: JsonInput): object {
  const limit = numberOf(input, "limit", { low: 1, high: EVENTS_MAX, otherwise: EVENTS_MAX });
  const endMs = timeOf(input, "endTime", Number.POSITIVE_INFINITY);
  const startMs = timeOf(input, "startTime", 0);
  const wanted = matcherOf(input);
  const events = groupOf(world, input).events();
  const found: object[] = [];
  let sizeBytes = 0;
  let index = startIndex(events, startMs, input.nextToken);
  const scanEnd = index + SCAN_MAX;
  for (; index < events.length && events[index]!.atEpochMs <= endMs; index++) {
    const event = events[index]!;
    if (found.length >= limit || sizeBytes >= PAGE_BYTES_MAX || index >= scanEnd) break;
    if (!wanted(event)) continue;
    sizeBytes += event.message.length;
    found.push(eventOf(event));
  }
  const more = index < events.length && events[index]!.atEpochMs <= endMs;
  return {
    events: found,
    searchedLogStreams: [],
    ...(more ? { nextToken: tokenBefore(events[index]!) } : {}),
  };
}

/** Milliseconds since 1970. */
const timeOf = (input: JsonInput, key: string, otherwise: number): number =>
  numberOf(input, key, { low: 0, high: Number.MAX_SAFE_INTEGER, otherwise });

function matcherOf(input: JsonInput): (event: LogEvent) => boolean {
  const text = typeof input.filterPattern === "string" ? input.filterPattern : "";
  const matches = filterPattern(text);
  const names = Array.isArray(input.logStreamNames) ? new Set(input.logStreamNames) : null;
  const prefix = typeof input.logStreamNamePrefix === "string" ? input.logStreamNamePrefix : "";
  return ({ message, stream }) =>
    (names === null || names.has(stream)) && stream.startsWith(prefix) && matches(message);
}

const eventOf = (event: LogEvent): object => ({
  logStreamName: event.stream,
  timestamp: event.atEpochMs,
  message: event.message,
  ingestionTime: event.ingestedEpochMs,
  eventId: String(event.sequence).padStart(56, "0"),
});

/** The next page begins at this event, wherever later arrivals have moved it. */
const tokenBefore = ({ atEpochMs, sequence }: LogEvent): string =>
  Buffer.from(`${atEpochMs}/${sequence}`).toString("base64url");

function startIndex(events: readonly LogEvent[], startMs: number, token: unknown): number {
  if (token === undefined || token === null) return firstAtOrAfter(events, startMs);
  const text = Buffer.from(said(token), "base64url").toString();
  const [, at, sequence] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (at === undefined) throw invalidLogs("The specified nextToken is invalid.");
  let index = firstAtOrAfter(events, Number(at));
  const isBefore = (event: LogEvent | undefined): boolean =>
    event?.atEpochMs === Number(at) && event.sequence < Number(sequence);
  while (isBefore(events[index])) index++;
  return index;
}
