// The account's event buses and their rules; an event goes to the targets of each rule it matches.
import type { Matches } from "./pattern.ts";

export interface EventTarget {
  readonly id: string;
  /** Of a queue or a function. */
  readonly arn: string;
  /** In place of the event. */
  readonly input: string | null;
  /** `$.detail.x`: that part of the event in place of it. */
  readonly inputPath: string | null;
}

export interface EventRule {
  readonly name: string;
  readonly bus: string;
  readonly description: string | null;
  readonly enabled: boolean;
  /** As it was given, in JSON. */
  readonly pattern: string;
  readonly matches: Matches;
  readonly targets: readonly EventTarget[];
}

export interface EventBus {
  readonly name: string;
  readonly description: string | null;
  readonly createdMs: number;
}

export type Event = { readonly [member: string]: unknown };
/** Hands an event to a target; what becomes of it shows there. */
export type Deliver = (target: EventTarget, event: Event) => void;

export const DEFAULT_BUS = "default";

export class EventBuses {
  readonly #buses = new Map<string, EventBus>();
  readonly #rules: EventRule[] = [];
  readonly #deliver: Deliver;

  constructor(createdMs: number, deliver: Deliver) {
    this.#deliver = deliver;
    this.add({ name: DEFAULT_BUS, description: null, createdMs });
  }

  add(bus: EventBus): void {
    this.#buses.set(bus.name, bus);
  }

  addRule(rule: EventRule): void {
    this.#rules.push(rule);
  }

  get(name: string): EventBus | undefined {
    return this.#buses.get(name);
  }

  all(): EventBus[] {
    return [...this.#buses.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  rulesOf(bus: string): EventRule[] {
    return this.#rules
      .filter((rule) => rule.bus === bus)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** An unknown bus swallows it, as AWS's do. */
  put(bus: string, event: Event): void {
    for (const rule of this.rulesOf(bus)) {
      if (!rule.enabled || !rule.matches(event)) continue;
      for (const target of rule.targets) this.#deliver(target, event);
    }
  }
}
