// What a scenario file changes of criteria and of safety, against the file of another branch.
import type { BaseChange } from "../core/base-facts.ts";
import type { Criterion } from "../core/criterion.ts";
import { GatecrashError } from "../core/error.ts";
import { parseCriterion } from "../core/parse-criterion.ts";

/** A file's data as YAML gives it: nothing of it was checked. */
export interface RawData {
  readonly [key: string]: unknown;
}

/** Lists of criteria, and single values beside them that make a verdict what it is. */
export const CRITERIA_LISTS = ["accept", "steady", "stop-when"] as const;
export const CRITERIA_KEYS = ["generator"] as const;
export const SAFETY_KEYS = [
  ...["allow", "environments", "limits", "scale", "brake", "downstreams", "notify", "mute-alarms"],
] as const;
/** Of a load. */
export const SAFETY_OF_LOAD = [
  ["writes"],
  ["body"],
  ["smoke"],
  ["http", "unverified-host"],
  ["http", "auth"], // which secret is shown to which host
] as const;

/** Worst first within criteria, then safety. */
export function compareScenarios(base: RawData, head: RawData): BaseChange[] {
  const criteria = CRITERIA_LISTS.flatMap((key) => compareLists(key, base[key], head[key]));
  const values = [
    ...CRITERIA_KEYS.flatMap((key) => valuesOf([key], base[key], head[key], "criteria")),
    ...valuesOf(["variants"], expectations(base), expectations(head), "criteria"),
  ];
  const safety = [
    ...SAFETY_KEYS.flatMap((key) => valuesOf([key], base[key], head[key], "safety")),
    ...loadChanges(base, head),
  ];
  return [...[...criteria, ...values].sort(worstFirst), ...safety];
}

const KINDS: readonly BaseChange["kind"][] = [
  ...(["removed", "loosened", "changed", "tightened", "added"] as const),
];
const worstFirst = (a: BaseChange, b: BaseChange): number =>
  KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind);

interface Entry {
  /** With `primary` where it counts and is not said of all. */
  readonly text: string;
  /** What it is about; equal = the same wish with another limit. */
  readonly about: string;
  readonly upper: boolean;
  readonly op: string;
  readonly limit: number | null;
  readonly primary: boolean;
}

function compareLists(key: string, base: unknown, head: unknown): BaseChange[] {
  const was = entriesOf(base);
  const left = entriesOf(head);
  const changes: BaseChange[] = [];
  const take = (fits: (one: Entry) => boolean): Entry | undefined => {
    const at = left.findIndex(fits);
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  // What is literally the same goes first, so that a second limit is not taken for a change.
  const rest = was.filter((one) => {
    return take((other) => isSame(one, other)) === undefined;
  });
  for (const one of rest) {
    const other = take(({ about }) => about === one.about);
    const head = other === undefined ? null : shown(other);
    const kind = other === undefined ? "removed" : kindOf(key, one, other);
    changes.push({ group: "criteria", key, kind, base: shown(one), head });
  }
  const added = left.map((one): BaseChange => {
    return { group: "criteria", key, kind: "added", base: null, head: shown(one) };
  });
  return [...changes, ...added];
}

const isSame = (a: Entry, b: Entry): boolean =>
  a.primary === b.primary &&
  (a.text === b.text ||
    (a.about === b.about && a.op === b.op && a.limit === b.limit && a.limit !== null));

const shown = ({ text, primary }: Entry): string => (primary ? `${text} primary` : text);

/** Where none is marked all are primary, so marking one takes it from the others. */
function entriesOf(list: unknown): Entry[] {
  const texts = (Array.isArray(list) ? list : []).map(criterionText);
  const parsed = texts.map((text) => ({ text, criterion: parsedOrNull(text) }));
  const marked = parsed.some(({ criterion }) => criterion?.primary === true);
  return parsed.map(({ text, criterion }): Entry => {
    if (criterion === null)
      return { text, about: text, upper: true, op: "", limit: null, primary: false };
    const { operand, op, expr } = criterion;
    const upper = op.startsWith("<");
    const { limit, of } = limitOf(expr);
    const about = JSON.stringify([operand, op === "==" ? "==" : upper, of]);
    const primary = marked && criterion.primary;
    return { text: criterion.text.replace(/\s+/g, " "), about, upper, op, limit, primary };
  });
}

const criterionText = (one: unknown): string => {
  if (typeof one === "string") return one.trim().replace(/\s+/g, " ");
  const { alarm } = (one ?? {}) as { readonly alarm?: unknown };
  return alarm === undefined ? JSON.stringify(one) : `alarm ${String(alarm)}`;
};

function parsedOrNull(text: string): Criterion | null {
  try {
    return parseCriterion(text);
  } catch (error) {
    if (error instanceof GatecrashError) return null; // of another version's grammar, or an alarm
    throw error;
  }
}

function limitOf(expr: Criterion["expr"]): { limit: number | null; of: unknown } {
  if (expr.kind === "number") return { limit: expr.value, of: expr.unit };
  if (expr.kind === "scaled") return { limit: expr.factor, of: expr.operand };
  if (expr.kind === "quota") return { limit: expr.share, of: "quota" };
  return { limit: null, of: "max" };
}

/** A stop condition is what must not be: there a higher limit of `>` is the looser one. */
function kindOf(key: string, was: Entry, is: Entry): BaseChange["kind"] {
  if (was.primary && !is.primary) return "loosened";
  if (was.limit === is.limit && was.limit !== null) return is.primary ? "tightened" : "changed";
  if (was.limit === null || is.limit === null) return "changed";
  const higher = is.limit > was.limit;
  const loose = key === "stop-when" ? higher !== is.upper : higher === is.upper;
  return loose ? "loosened" : "tightened";
}

/** Each leaf that differs; lists of texts by their entries. */
function valuesOf(
  path: readonly string[],
  base: unknown,
  head: unknown,
  group: BaseChange["group"],
): BaseChange[] {
  if (JSON.stringify(base) === JSON.stringify(head)) return [];
  if (Array.isArray(base ?? head) && Array.isArray(head ?? base)) {
    const [was, is] = [base, head].map((list) => (list as unknown[] | undefined) ?? []);
    const gone = was!.filter((one) => !includes(is!, one)).map((one) => [one, null] as const);
    const come = is!.filter((one) => !includes(was!, one)).map((one) => [null, one] as const);
    return [...gone, ...come].map(([a, b]) => changeOf(path, a, b, group));
  }
  if (isMap(base ?? {}) && isMap(head ?? {})) {
    const [was, is] = [(base ?? {}) as RawData, (head ?? {}) as RawData];
    const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
    return keys.flatMap((key) => valuesOf([...path, key], was[key], is[key], group));
  }
  return [changeOf(path, base ?? null, head ?? null, group)];
}

const includes = (list: readonly unknown[], one: unknown): boolean =>
  list.some((other) => JSON.stringify(other) === JSON.stringify(one));

function changeOf(
  path: readonly string[],
  base: unknown,
  head: unknown,
  group: BaseChange["group"],
): BaseChange {
  const kind = base === null ? "added" : head === null ? "removed" : "changed";
  return { group, key: path.join("."), kind, base: textOf(base), head: textOf(head) };
}

const textOf = (value: unknown): string | null =>
  value === null ? null : typeof value === "string" ? value : JSON.stringify(value);

export const isMap = (value: unknown): value is RawData =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function expectations({ variants }: RawData): RawData {
  const entries = Object.entries(isMap(variants) ? variants : {}).flatMap(([name, variant]) =>
    isMap(variant) && variant.expect !== undefined ? [[name, { expect: variant.expect }]] : [],
  );
  return Object.fromEntries(entries) as RawData;
}

function loadChanges(base: RawData, head: RawData): BaseChange[] {
  const [was, is] = [mapAt(base, ["loads"]), mapAt(head, ["loads"])];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return names.flatMap((name) =>
    SAFETY_OF_LOAD.flatMap((path) => {
      const [a, b] = [was[name], is[name]].map((load) => valueAt(load, path));
      return valuesOf(["loads", name, ...path], a, b, "safety");
    }),
  );
}

export function valueAt(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isMap(at) ? at[key] : undefined), data);
}

export function mapAt(data: unknown, path: readonly string[]): RawData {
  const found = valueAt(data, path);
  return isMap(found) ? found : {};
}
