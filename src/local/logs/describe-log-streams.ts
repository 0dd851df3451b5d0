// DescribeLogStreams: one stream per execution environment, so their number is the environments'.

import type { JsonInput } from "../wire/aws-json.ts";
import { said } from "../wire/said.ts";
import type { World } from "../world.ts";
import { groupOf, numberOf } from "./log-group-input.ts";

export function describeLogStreams(world: World, input: JsonInput, caller: string): object {
  const limit = numberOf(input, "limit", { low: 1, high: 50, otherwise: 50 });
  const { group, arn } = groupOf(world, input, caller);
  const prefix = said(input.logStreamNamePrefix ?? "");
  const start = Number(input.nextToken ?? 0) || 0;
  const streams = [...group.streams.values()].filter(({ name }) => name.startsWith(prefix));
  if (input.orderBy === "LastEventTime") streams.sort((a, b) => a.lastEpochMs - b.lastEpochMs);
  else streams.sort((a, b) => (a.name < b.name ? -1 : 1));
  if (input.descending === true) streams.reverse();
  const end = start + limit;
  return {
    logStreams: streams.slice(start, end).map((stream) => ({
      logStreamName: stream.name,
      creationTime: stream.createdEpochMs,
      firstEventTimestamp: stream.firstEpochMs,
      lastEventTimestamp: stream.lastEpochMs,
      lastIngestionTime: stream.lastEpochMs,
      arn: `${arn}:log-stream:${stream.name}`,
      storedBytes: 0,
    })),
    ...(end < streams.length ? { nextToken: String(end) } : {}),
  };
}
