// A pull request's scenario with the criteria, or the allow-lists and accounts, of its base branch.
import { parseDocument, stringify } from "yaml";
import { parseCriterion } from "../core/parse-criterion.ts";
import {
  CRITERIA_KEYS,
  CRITERIA_LISTS,
  isMap,
  mapAt,
  type RawData,
  SAFETY_KEYS,
  SAFETY_OF_LOAD,
  valueAt,
} from "./compare-base.ts";

/** Anchors and merge keys are resolved; null when it is no YAML, or no scenario at all. */
export function rawData(text: string): RawData | null {
  try {
    const document = parseDocument(text, { merge: true, prettyErrors: false });
    if (document.errors.length > 0) return null;
    const data: unknown = document.toJS();
    return isMap(data) ? data : null;
  } catch {
    return null; // aliases without measure, or an anchor within itself
  }
}

type Data = { [key: string]: unknown };

/** What is judged is the base's; what the pull request adds can only be one more wish. */
export function withCriteria(head: RawData, base: RawData): RawData {
  const data: Data = structuredClone(head);
  for (const key of CRITERIA_LISTS) put(data, key, base[key]);
  for (const key of CRITERIA_KEYS) put(data, key, base[key]);
  put(data, "accept", accepted(base.accept, head.accept));
  for (const [name, variant] of Object.entries(mapAt(data, ["variants"]))) {
    const was = valueAt(base, ["variants", name]);
    if (isMap(variant) && isMap(was)) put(variant as Data, "expect", was.expect);
  }
  return data;
}

function put(data: Data, key: string, value: unknown): void {
  if (value === undefined) delete data[key];
  else data[key] = structuredClone(value);
}

/** The base's, and those about something that the base says nothing of. */
function accepted(base: unknown, head: unknown): unknown[] {
  const was = textsOf(base);
  const about = new Set(was.map(aboutOf));
  const marked = was.some((text) => / primary$/.test(text));
  const added = textsOf(head).filter((text) => !about.has(aboutOf(text)));
  // Where the base marks none all are primary, and one mark would take that from the others.
  return [...was, ...added.map((text) => (marked ? text : text.replace(/ primary$/, "")))];
}

const textsOf = (list: unknown): string[] =>
  (Array.isArray(list) ? list : []).flatMap((one) => (typeof one === "string" ? [one.trim()] : []));

/** Left operand and direction, or the text itself where it cannot be read. */
function aboutOf(text: string): string {
  try {
    const { operand, op } = parseCriterion(text);
    return JSON.stringify([operand, op[0]]);
  } catch {
    return text;
  }
}

/** What may be contacted and changed, by whom and how much; a load keeps the base's writes. */
export function withSafety(head: RawData, base: RawData): RawData {
  const data: Data = structuredClone(head);
  for (const key of SAFETY_KEYS) put(data, key, base[key]);
  for (const [name, load] of Object.entries(mapAt(data, ["loads"]))) {
    for (const path of SAFETY_OF_LOAD) {
      const [last = "", ...above] = [...path].reverse();
      const holder = valueAt(load, above);
      if (isMap(holder)) put(holder as Data, last, valueAt(base, ["loads", name, ...path]));
    }
  }
  return data;
}

export interface NewPowers {
  /** Loads that would write now, and do not in the base: what they send nobody has agreed to. */
  readonly writes: readonly string[];
  /** Loads that would show credentials now, and do not in the base. */
  readonly auth: readonly string[];
}

export function newPowers(head: RawData, base: RawData): NewPowers {
  const loadsWith = (...paths: (readonly string[])[]): string[] => {
    const has = (data: RawData, name: string): boolean =>
      paths.some((path) => valueAt(data, ["loads", name, ...path]) !== undefined);
    return Object.keys(mapAt(head, ["loads"])).filter((name) => {
      return has(head, name) && !has(base, name);
    });
  };
  return { writes: loadsWith(["body"], ["writes"]), auth: loadsWith(["http", "auth"]) };
}

/** As a file, with a head that says what it is made of. */
export const scenarioText = (data: RawData, head: readonly string[]): string =>
  `${head.map((line) => `# ${line}\n`).join("")}${stringify(data)}`;
