// Whose log groups a caller sees: of his own account, which may have copies of another's, or links.
import type { World } from "../world.ts";
import type { LogGroup } from "./store.ts";

/** By the names that they have in this account: its own, or copies. */
export function groupsIn(world: World, account: string): ReadonlyMap<string, LogGroup> {
  const { logs, logsAccount } = world;
  if (account === world.account) return logs.groups;
  if (account !== logsAccount?.account) return new Map();
  return new Map(
    [...logs.groups].map(([name, group]) => [copyOf(name, logsAccount.groups, world), group]),
  );
}

/** Of another account only by who monitors it. */
export function seenGroup(
  world: World,
  caller: string,
  { account, name }: { readonly account: string; readonly name: string },
): LogGroup | undefined {
  if (account === caller) return groupsIn(world, caller).get(name);
  const isLinked = account === world.account && caller === world.logsAccount?.account;
  return isLinked ? world.logs.groups.get(name) : undefined;
}

function copyOf(logGroup: string, pattern: string, { account, region }: World): string {
  const values: { readonly [what: string]: string } = { logGroup, accountId: account, region };
  return pattern.replace(/\$\{source\.(\w+)\}/g, (whole, what: string) => values[what] ?? whole);
}
