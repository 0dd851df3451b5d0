// DescribeLogGroups: by name, in pages.

import type { JsonInput } from "../wire/aws-json.ts";
import { said } from "../wire/said.ts";
import type { World } from "../world.ts";
import { groupArn, numberOf } from "./log-group-input.ts";
import { groupsIn } from "./seen-groups.ts";

export function describeLogGroups(world: World, input: JsonInput, caller: string): object {
  const limit = numberOf(input, "limit", { low: 1, high: 50, otherwise: 50 });
  const prefix = said(input.logGroupNamePrefix ?? "");
  const part = said(input.logGroupNamePattern ?? "");
  const after = said(input.nextToken ?? "");
  const groups = groupsIn(world, caller);
  const names = [...groups.keys()]
    .filter((name) => name.startsWith(prefix) && name.includes(part) && name > after)
    .sort();
  const page = names.slice(0, limit);
  return {
    logGroups: page.map((name) => {
      const group = groups.get(name)!;
      return {
        logGroupName: name,
        creationTime: group.createdEpochMs,
        metricFilterCount: 0,
        arn: `${groupArn(world, caller, name)}:*`,
        storedBytes: group.storedBytes,
        logGroupClass: "STANDARD",
        logGroupArn: groupArn(world, caller, name),
      };
    }),
    ...(names.length > limit ? { nextToken: page.at(-1) } : {}),
  };
}
