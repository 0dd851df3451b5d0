// Resolves Ref, Fn::GetAtt, Fn::Sub, Fn::Join, Fn::Select and Fn::Split to text.
import type { Json } from "../../core/change.ts";
import { GatecrashError } from "../../core/error.ts";
import type { Path, TemplateSource } from "./read-yaml.ts";

/** What names stand for: parameters, pseudo parameters, resources and their attributes. */
export interface Scope {
  /** `undefined` = no such name. */
  ref(name: string): string | number | null | undefined;
  attribute(resource: string, attribute: string): string | undefined;
}

/** `AWS::NoValue`: the property is as if it were not written. */
const NO_VALUE = Symbol("AWS::NoValue");

/** A copy of `value` without intrinsic functions; an unknown name is an error at its line. */
export function resolveIntrinsics(
  source: TemplateSource,
  scope: Scope,
  value: Json,
  path: Path,
): Json {
  const resolved = new Resolver(source, scope).value(value, path);
  return resolved === NO_VALUE ? null : resolved;
}

class Resolver {
  readonly #source: TemplateSource;
  readonly #scope: Scope;

  constructor(source: TemplateSource, scope: Scope) {
    this.#source = source;
    this.#scope = scope;
  }

  value(value: Json, path: Path): Json | typeof NO_VALUE {
    if (Array.isArray(value))
      return value
        .map((item, index) => this.value(item, [...path, index]))
        .filter((item) => item !== NO_VALUE);
    if (value === null || typeof value !== "object") return value;
    const keys = Object.keys(value);
    const [only] = keys;
    if (keys.length === 1 && only !== undefined && (only === "Ref" || only.startsWith("Fn::")))
      return this.#call(only, value[only]!, path);
    const out: { [key: string]: Json } = {};
    for (const [key, item] of Object.entries(value)) {
      const resolved = this.value(item, [...path, key]);
      if (resolved !== NO_VALUE) out[key] = resolved;
    }
    return out;
  }

  #call(name: string, argument: Json, path: Path): Json | typeof NO_VALUE {
    switch (name) {
      case "Ref":
        return this.#ref(String(argument), path);
      case "Fn::GetAtt":
        return this.#attribute(
          Array.isArray(argument) ? argument.join(".") : String(argument),
          path,
        );
      case "Fn::Sub":
        return this.#sub(argument, path);
      case "Fn::Join": {
        const [separator, items] = this.#list(name, argument, path);
        return this.#list(name, items, path).map(String).join(String(separator));
      }
      case "Fn::Select": {
        const [index, items] = this.#list(name, argument, path);
        return this.#list(name, items, path)[Number(index)] ?? this.#fail(path, "no such item");
      }
      case "Fn::Split": {
        const [separator, text] = this.#list(name, argument, path);
        return String(text).split(String(separator));
      }
      default:
        return this.#fail(path, `${name} is not modelled by local AWS`);
    }
  }

  #list(name: string, argument: Json | undefined, path: Path): Json[] {
    const resolved = this.value(argument ?? null, path);
    return Array.isArray(resolved) ? resolved : this.#fail(path, `${name} takes a list`);
  }

  #ref(name: string, path: Path): Json | typeof NO_VALUE {
    const found = this.#scope.ref(name);
    if (found === undefined)
      return this.#fail(path, `Ref to "${name}", which is neither a parameter nor a resource`);
    return found ?? NO_VALUE;
  }

  #attribute(text: string, path: Path): string {
    const dot = text.indexOf(".");
    const found = this.#scope.attribute(text.slice(0, dot), text.slice(dot + 1));
    return found ?? this.#fail(path, `there is no attribute "${text}" in local AWS`);
  }

  #sub(argument: Json, path: Path): string {
    const [text, names] = Array.isArray(argument) ? argument : [argument, {}];
    const own = this.value(names ?? {}, path) as { [name: string]: Json };
    return String(text).replaceAll(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
      if (literal === "!") return `\${${name}}`;
      const trimmed = name.trim();
      if (trimmed in own) return String(own[trimmed]);
      if (!trimmed.includes(".")) return String(this.#ref(trimmed, path));
      return this.#attribute(trimmed, path);
    });
  }

  #fail(path: Path, message: string): never {
    throw new GatecrashError("scenario", message, { place: this.#source.placeOf(path) });
  }
}
