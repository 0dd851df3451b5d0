// EventBridge's operations: events in, and what buses, rules and targets there are.
import { AwsError } from "../aws-error.ts";
import type { JsonInput } from "../wire/aws-json.ts";
import { pageStart, said } from "../wire/said.ts";
import type { World } from "../world.ts";
import { DEFAULT_BUS, type EventBus, type EventRule } from "./event-buses.ts";
import { putEvents } from "./put-events.ts";

const PAGE_MAX = 100;

type EventOperation = (world: World, input: JsonInput) => object;

export const EVENT_OPERATIONS: { readonly [name: string]: EventOperation } = {
  PutEvents: putEvents,
  DescribeEventBus: (world, input) => shownBus(world, busNamed(world, input.Name)),
  ListEventBuses: (world, input) => {
    const prefix = prefixOf(input);
    const found = world.eventBuses.all().filter(({ name }) => name.startsWith(prefix));
    return page("EventBuses", input, found, (bus) => shownBus(world, bus));
  },
  DescribeRule: (world, input) => shownRule(world, ruleNamed(world, input.Name, input)),
  ListRules: (world, input) => {
    const prefix = prefixOf(input);
    const rules = world.eventBuses.rulesOf(busNamed(world, input.EventBusName).name);
    const found = rules.filter(({ name }) => name.startsWith(prefix));
    return page("Rules", input, found, (rule) => shownRule(world, rule));
  },
  ListTargetsByRule: (world, input) => {
    const { targets } = ruleNamed(world, input.Rule, input);
    return page("Targets", input, targets, ({ id, arn, input: text, inputPath }) => ({
      ...{ Id: id, Arn: arn },
      ...(text === null ? {} : { Input: text }),
      ...(inputPath === null ? {} : { InputPath: inputPath }),
    }));
  },
};

const prefixOf = ({ NamePrefix }: JsonInput): string =>
  typeof NamePrefix === "string" ? NamePrefix : "";

function page<T>(
  member: string,
  { Limit, NextToken }: JsonInput,
  found: readonly T[],
  shown: (one: T) => object,
): object {
  const most = typeof Limit === "number" && Limit >= 1 ? Math.floor(Limit) : PAGE_MAX;
  const start = pageStart(NextToken);
  const next = start + Math.min(most, PAGE_MAX);
  const token = next < found.length ? { NextToken: String(next) } : {};
  return { [member]: found.slice(start, next).map(shown), ...token };
}

/** By name or ARN; without either the default one. Throws AWS's ResourceNotFoundException. */
function busNamed(world: World, given: unknown): EventBus {
  const name = given === undefined ? DEFAULT_BUS : (said(given).split("/").at(-1) ?? "");
  const bus = world.eventBuses.get(name);
  if (bus === undefined) throw notFound(`Event bus ${name} does not exist.`);
  return bus;
}

function ruleNamed(world: World, given: unknown, { EventBusName }: JsonInput): EventRule {
  const bus = busNamed(world, EventBusName);
  const name = said(given);
  const rule = world.eventBuses.rulesOf(bus.name).find((one) => one.name === name);
  if (rule === undefined) throw notFound(`Rule ${name} does not exist on EventBus ${bus.name}.`);
  return rule;
}

const notFound = (message: string): AwsError =>
  new AwsError("ResourceNotFoundException", 400, message);

const shownBus = ({ region, account }: World, { name, description, createdMs }: EventBus) => ({
  Name: name,
  Arn: `arn:aws:events:${region}:${account}:event-bus/${name}`,
  ...(description === null ? {} : { Description: description }),
  CreationTime: createdMs / 1_000,
  LastModifiedTime: createdMs / 1_000,
});

function shownRule({ region, account }: World, rule: EventRule): object {
  const { name, bus, pattern, enabled, description } = rule;
  const path = bus === DEFAULT_BUS ? name : `${bus}/${name}`;
  return {
    Name: name,
    Arn: `arn:aws:events:${region}:${account}:rule/${path}`,
    EventPattern: pattern,
    State: enabled ? "ENABLED" : "DISABLED",
    ...(description === null ? {} : { Description: description }),
    EventBusName: bus,
  };
}
