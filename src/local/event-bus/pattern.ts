// Event patterns: does an event match? A subset of EventBridge's comparisons; pure.

type Members = { readonly [member: string]: unknown };
type Test = (value: unknown) => boolean;
/** Of one event. */
export type Matches = (event: Members) => boolean;

/** Throws an Error that says what of the pattern is not modelled, or is none. */
export function compilePattern(pattern: unknown): Matches {
  const test = allOf(membersOf(pattern, "an event pattern"), "");
  return (event) => test(event);
}

function membersOf(value: unknown, what: string): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members;
  throw new Error(`${what} is an object`);
}

function allOf(pattern: Members, at: string): (event: unknown) => boolean {
  const tests = Object.entries(pattern).map(([key, wanted]): ((of: unknown) => boolean) => {
    const path = at === "" ? key : `${at}.${key}`;
    if (key.startsWith("$")) throw new Error(`${path} in an event pattern is not modelled`);
    if (!Array.isArray(wanted)) {
      const inner = allOf(membersOf(wanted, path), path);
      return (of) => inner(memberOf(of, key));
    }
    if (wanted.length === 0) throw new Error(`${path} is an empty list: it matches nothing`);
    const any = wanted.map((one) => testOf(one, path));
    return (of) => anyOf(any, memberOf(of, key));
  });
  return (event) => tests.every((test) => test(event));
}

function memberOf(of: unknown, key: string): unknown {
  if (typeof of !== "object" || of === null || !Object.hasOwn(of, key)) return undefined;
  return Reflect.get(of, key);
}

/** A list matches by any of its elements. */
function anyOf(tests: readonly Test[], value: unknown): boolean {
  if (!Array.isArray(value)) return tests.some((test) => test(value));
  return value.some((one: unknown) => tests.some((test) => test(one)));
}

function testOf(wanted: unknown, path: string): Test {
  if (typeof wanted !== "object" || wanted === null) return (value) => value === wanted;
  const entries = Object.entries(wanted);
  const [name = "", operand] = entries[0] ?? [];
  const make = COMPARISONS[name];
  if (entries.length !== 1 || make === undefined)
    throw new Error(`${path}: ${JSON.stringify(wanted)} in an event pattern is not modelled`);
  return make(operand, path);
}

const ofText =
  (holds: (value: string) => boolean): Test =>
  (value) =>
    typeof value === "string" && holds(value);

function textOf(operand: unknown, path: string): string {
  if (typeof operand === "string") return operand;
  throw new Error(`${path}: this comparison takes a text`);
}

const COMPARISONS: { readonly [name: string]: (operand: unknown, path: string) => Test } = {
  prefix: (operand, path) => {
    const text = textOf(operand, path);
    return ofText((value) => value.startsWith(text));
  },
  suffix: (operand, path) => {
    const text = textOf(operand, path);
    return ofText((value) => value.endsWith(text));
  },
  "equals-ignore-case": (operand, path) => {
    const text = textOf(operand, path).toLowerCase();
    return ofText((value) => value.toLowerCase() === text);
  },
  exists: (operand) => (value) => (value !== undefined) === (operand === true),
  "anything-but": (operand, path) => {
    const list: unknown[] = Array.isArray(operand) ? operand : [operand];
    const tests = list.map((one) => testOf(one, path));
    return (value) => value !== undefined && !tests.some((test) => test(value));
  },
  numeric,
};

const RELATIONS: { readonly [sign: string]: (value: number, limit: number) => boolean } = {
  "<": (value, limit) => value < limit,
  "<=": (value, limit) => value <= limit,
  ">": (value, limit) => value > limit,
  ">=": (value, limit) => value >= limit,
  "=": (value, limit) => value === limit,
};

/** `[">=", 10, "<", 20]`: one or two relations, all of which hold. */
function numeric(operand: unknown, path: string): Test {
  const list: unknown[] = Array.isArray(operand) ? operand : [];
  const relations: Test[] = [];
  for (let at = 0; at < list.length; at += 2) {
    const [sign, limit] = [RELATIONS[String(list[at])], list[at + 1]];
    if (sign === undefined || typeof limit !== "number")
      throw new Error(`${path}: numeric takes signs and numbers by turns`);
    relations.push((value) => typeof value === "number" && sign(value, limit));
  }
  if (relations.length === 0) throw new Error(`${path}: numeric takes signs and numbers by turns`);
  return (value) => relations.every((test) => test(value));
}
