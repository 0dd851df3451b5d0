// A template's resources while plain ones are made SAM's, and who refers to whom in it.
import type { Json } from "../../core/change.ts";
import type { Frame, Values } from "./frame.ts";

export type PlainResource = Frame["Resources"][string];
/** Logical ids that are gone → the name under which the same thing is known now. */
export type Renamed = ReadonlyMap<string, string>;

export class Plain {
  readonly #resources: Map<string, PlainResource>;

  constructor(frame: Frame) {
    this.#resources = new Map(Object.entries(frame.Resources));
  }

  ofType(type: string): [id: string, PlainResource][] {
    return [...this.#resources].filter(([, { Type }]) => Type === type);
  }

  ids(): string[] {
    return [...this.#resources.keys()];
  }

  functions(): string[] {
    return this.ofType("AWS::Serverless::Function").map(([id]) => id);
  }

  typeOf(id: string): string | undefined {
    return this.#resources.get(id)?.Type;
  }

  put(id: string, resource: PlainResource): void {
    this.#resources.set(id, resource);
  }

  drop(id: string): void {
    this.#resources.delete(id);
  }

  /** What is null is left as it is. */
  addTo(id: string, more: Values): void {
    const resource = this.#resources.get(id)!;
    const given = Object.entries(more).filter(([, value]) => value !== null);
    const properties = { ...resource.Properties, ...Object.fromEntries(given) };
    this.#resources.set(id, { ...resource, Properties: properties });
  }

  addEvent(functionId: string, event: string, declared: Values): void {
    const { Events: events = {} } = this.#resources.get(functionId)?.Properties ?? {};
    this.addTo(functionId, { Events: { ...(events as Values), [event]: declared } });
  }

  /** The function that is named, itself or by its alias. */
  calledBy(value: Json | undefined, renamed: Renamed): string | null {
    const direct = refersTo(value, this.functions());
    const alias = direct ?? refersTo(value, [...renamed.keys()]);
    return alias === null ? null : (direct ?? renamed.get(alias)!.replace(/\.\w+$/, ""));
  }

  /** With every reference to what is gone led to what stands for it. */
  frame(frame: Frame, renamed: Renamed): Frame {
    const followed = (value: unknown) => follow((value ?? {}) as Json, renamed);
    return {
      ...frame,
      Resources: followed(Object.fromEntries(this.#resources)) as unknown as Frame["Resources"],
      Outputs: followed(frame.Outputs) as unknown as NonNullable<Frame["Outputs"]>,
    };
  }
}

/** Which of `ids` a Ref, GetAtt or Sub somewhere inside `value` names first; else null. */
export function refersTo(value: Json | undefined, ids: readonly string[]): string | null {
  if (value === null || value === undefined || typeof value !== "object") return null;
  for (const [key, item] of Object.entries(value)) {
    const named = namesIn(key, item).find((name) => ids.includes(name));
    if (named !== undefined) return named;
    const inside = refersTo(item, ids);
    if (inside !== null) return inside;
  }
  return null;
}

function namesIn(key: string, item: Json): string[] {
  if (key === "Ref") return [String(item)];
  if (key === "Fn::GetAtt") return [String(Array.isArray(item) ? item[0] : item).split(".")[0]!];
  if (key !== "Fn::Sub") return [];
  const text = String(Array.isArray(item) ? item[0] : item);
  return [...text.matchAll(/\$\{([^.}!]+)/g)].map(([, name]) => name!.trim());
}

function follow(value: Json, renamed: Renamed): Json {
  if (Array.isArray(value)) return value.map((item) => follow(item, renamed));
  if (value === null || typeof value !== "object") return value;
  const out: Values = {};
  for (const [key, item] of Object.entries(value)) {
    if (key === "Ref") out[key] = renamed.get(String(item)) ?? item;
    else if (key === "Fn::GetAtt" && Array.isArray(item) && renamed.has(String(item[0])))
      return attribute(renamed.get(String(item[0]))!, String(item[1]));
    else out[key] = follow(item, renamed);
  }
  return out;
}

/** An alias's or a version's own attributes are its ARN or its number; a mapping's is its id. */
const attribute = (name: string, wanted: string): Json =>
  wanted === "Version" ? "1" : { Ref: name };
