// Conditions and mappings of a template: what they decide is put in their place, before all else.
import type { Json } from "../../core/change.ts";
import { GatecrashError } from "../../core/error.ts";
import { type Frame, parametersOf, type Values } from "./frame.ts";
import { resolveIntrinsics, type Scope } from "./intrinsics.ts";
import { type Place, scopeOf } from "./names.ts";
import type { Path, TemplateSource } from "./read-yaml.ts";

/**
 * The frame without `Fn::If`, `Fn::FindInMap` and whatever stands under a condition that is false,
 * by the defaults of its parameters. Throws a `scenario` error with the line: no such condition,
 * one that names itself, no such entry of a mapping.
 */
export function decideConditions(frame: Frame, source: TemplateSource, place: Place): Frame {
  const decider = new Decider(frame, source, scopeOf(place, parametersOf(frame, source), NOTHING));
  const kept = <T extends { readonly Condition?: Json }>(all: { [id: string]: T }, at: string) =>
    Object.fromEntries(
      Object.entries(all)
        .filter(([id, { Condition }]) => {
          return Condition === undefined || decider.holds(Condition, [at, id, "Condition"]);
        })
        .map(([id, { Condition: _, ...rest }]) => [id, decider.value(rest as Json, [at, id])]),
    );
  return {
    ...frame,
    Globals: decider.value((frame.Globals ?? {}) as Json, ["Globals"]) as NonNullable<
      Frame["Globals"]
    >,
    Resources: kept(frame.Resources, "Resources") as unknown as Frame["Resources"],
    Outputs: kept(frame.Outputs ?? {}, "Outputs") as unknown as NonNullable<Frame["Outputs"]>,
  };
}

const NOTHING = new Map<string, never>();

class Decider {
  readonly #frame: Frame;
  readonly #source: TemplateSource;
  /** Parameters and pseudo parameters; conditions cannot name resources. */
  readonly #scope: Scope;
  readonly #open = new Set<string>();

  constructor(frame: Frame, source: TemplateSource, scope: Scope) {
    this.#frame = frame;
    this.#source = source;
    this.#scope = scope;
  }

  holds(name: Json, path: Path): boolean {
    const id = String(name);
    const declared = this.#frame.Conditions?.[id];
    if (declared === undefined) return this.#fail(path, `there is no condition "${id}"`);
    if (this.#open.has(id)) return this.#fail(path, `the condition "${id}" names itself`);
    this.#open.add(id);
    const held = this.#truth(declared, ["Conditions", id]);
    this.#open.delete(id);
    return held;
  }

  /** A copy in which every choice is made. */
  value(value: Json, path: Path): Json {
    if (Array.isArray(value)) return value.map((item, at) => this.value(item, [...path, at]));
    if (value === null || typeof value !== "object") return value;
    const [only, argument] = callOf(value);
    if (only === "Fn::If") {
      const [name, yes, no] = this.#arguments(only, argument, 3, path);
      const held = this.holds(name!, path);
      return this.value(held ? yes! : no!, [...path, only, held ? 1 : 2]);
    }
    if (only === "Fn::FindInMap")
      return this.#found(this.#arguments(only, argument, 3, path), path);
    const out: Values = {};
    for (const [key, item] of Object.entries(value)) out[key] = this.value(item, [...path, key]);
    return out;
  }

  #truth(value: Json, path: Path): boolean {
    const [name, argument] = callOf(value);
    const each = (): boolean[] => {
      const list = Array.isArray(argument) ? argument : [];
      return list.map((item) => this.#truth(item, path));
    };
    switch (name) {
      case "Condition":
        return this.holds(argument, path);
      case "Fn::Equals": {
        const [a, b] = this.#arguments(name, argument, 2, path).map((x) => this.#text(x, path));
        return a === b;
      }
      case "Fn::And":
        return each().every(Boolean);
      case "Fn::Or":
        return each().some(Boolean);
      case "Fn::Not":
        return !this.#truth(this.#arguments(name, argument, 1, path)[0]!, path);
      default:
        return this.#fail(path, "a condition is made of Equals, And, Or, Not and Condition");
    }
  }

  #found(keys: readonly Json[], path: Path): Json {
    const [map, top, second] = keys.map((key) => this.#text(key, path));
    const found = this.#frame.Mappings?.[map!]?.[top!]?.[second!];
    return found ?? this.#fail(path, `Mappings has no ${map}.${top}.${second}`);
  }

  #text(value: Json, path: Path): string {
    return String(resolveIntrinsics(this.#source, this.#scope, this.value(value, path), path));
  }

  #arguments(name: string, argument: Json, count: number, path: Path): Json[] {
    if (Array.isArray(argument) && argument.length === count) return argument;
    return this.#fail(path, `${name} takes a list of ${count}`);
  }

  #fail(path: Path, message: string): never {
    throw new GatecrashError("scenario", message, { place: this.#source.placeOf(path) });
  }
}

/** The function and its argument, where the value is a call; else "" and null. */
function callOf(value: Json): [name: string, argument: Json] {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return ["", null];
  const [first, ...more] = Object.entries(value);
  return first === undefined || more.length > 0 ? ["", null] : first;
}
