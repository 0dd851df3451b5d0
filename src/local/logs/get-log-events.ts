// GetLogEvents: one stream, forwards or backwards; an empty page is the end, tokens go on.

import { AwsError } from "../aws-error.ts";
import type { JsonInput } from "../wire/aws-json.ts";
import { said } from "../wire/said.ts";
import type { World } from "../world.ts";
import type { LogEvent } from "./log-events.ts";
import { groupOf, numberOf } from "./log-group-input.ts";

export function getLogEvents(world: World, input: JsonInput, caller: string): object {
  const limit = numberOf(input, "limit", { low: 1, high: 10_000, otherwise: 10_000 });
  const { group } = groupOf(world, input, caller);
  const stream = said(input.logStreamName ?? "");
  if (!group.streams.has(stream)) {
    const message = "The specified log stream does not exist.";
    throw new AwsError("ResourceNotFoundException", 400, message);
  }
  const startMs = Number(input.startTime ?? 0);
  const endMs = Number(input.endTime ?? Number.POSITIVE_INFINITY);
  const all: LogEvent[] = [];
  for (let i = group.events.firstAtOrAfter(startMs); i < group.events.length; i++) {
    const event = group.events.at(i);
    if (event.atEpochMs >= endMs) break;
    if (event.stream === stream) all.push(event);
  }
  const [, direction, at] = /^([fb])\/(\d+)$/.exec(said(input.nextToken ?? "")) ?? [];
  const backward = direction === undefined ? input.startFromHead !== true : direction === "b";
  const edge = at === undefined ? (backward ? all.length : 0) : Number(at);
  const from = backward ? Math.max(0, edge - limit) : edge;
  const to = backward ? edge : Math.min(all.length, edge + limit);
  return {
    events: all.slice(from, to).map((event) => ({
      timestamp: event.atEpochMs,
      message: event.message,
      ingestionTime: event.ingestedEpochMs,
    })),
    nextForwardToken: `f/${to}`,
    nextBackwardToken: `b/${from}`,
  };
}
