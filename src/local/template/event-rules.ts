// A template's event buses and rules, as local AWS creates them.
import { GatecrashError, messageOf } from "../../core/error.ts";
import { DEFAULT_BUS, type EventRule } from "../event-bus/event-buses.ts";
import { compilePattern, type Matches } from "../event-bus/pattern.ts";
import type { TemplateSource } from "./read-yaml.ts";
import type { EventBusResource, EventRuleResource } from "./schema-event-buses.ts";
import type { EventBusSpec } from "./types.ts";

export function busesOf(resources: ReadonlyMap<string, EventBusResource>): EventBusSpec[] {
  return [...resources.values()].map(({ Properties: { Name, Description } }) => {
    return { name: Name, description: Description ?? null };
  });
}

/** Throws a `scenario` error with the line of a pattern that is not modelled, or of its bus. */
export function rulesOf(
  resources: ReadonlyMap<string, EventRuleResource>,
  buses: readonly EventBusSpec[],
  source: TemplateSource,
): EventRule[] {
  const known = [DEFAULT_BUS, ...buses.map(({ name }) => name)];
  return [...resources].map(([id, { Properties: given }]) => {
    const refuse = (property: string, why: string): never => {
      const place = source.placeOf(["Resources", id, "Properties", property]);
      throw new GatecrashError("scenario", `${id}: ${why}`, { place });
    };
    const bus = (given.EventBusName ?? DEFAULT_BUS).split("/").at(-1) ?? "";
    if (!known.includes(bus)) refuse("EventBusName", `there is no event bus ${bus}`);
    return {
      name: given.Name ?? `local-${id}`,
      bus,
      description: given.Description ?? null,
      enabled: given.State !== "DISABLED",
      pattern: JSON.stringify(given.EventPattern),
      matches: compiled(given.EventPattern, (why) => refuse("EventPattern", why)),
      targets: (given.Targets ?? []).map(({ Id, Arn, Input, InputPath }) => ({
        ...{ id: Id, arn: Arn, input: Input ?? null, inputPath: InputPath ?? null },
      })),
    };
  });
}

function compiled(pattern: object, refuse: (why: string) => never): Matches {
  try {
    return compilePattern(pattern);
  } catch (thrown) {
    return refuse(messageOf(thrown));
  }
}
