// A YAML file with the place of every value, so that each complaint names file and line.
import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
} from "yaml";
import { type ErrorPlace, GatecrashError, messageOf } from "../core/error.ts";
import { yamlProblem } from "../core/yaml-problem.ts";

export type Path = readonly (string | number)[];

export interface Source {
  /** Absolute. */
  readonly file: string;
  readonly dir: string;
  /** Plain data: anchors, aliases and merge keys are resolved. */
  readonly data: unknown;
  /** Everything wrong so far; reading goes on, so that all of it is reported at once. */
  readonly errors: readonly GatecrashError[];
  place(path: Path): ErrorPlace;
  /** Where the key itself stands: for keys that should not be there. */
  keyPlace(path: Path): ErrorPlace;
  fail(path: Path, message: string, hint?: string): void;
  failAt(place: ErrorPlace, message: string, hint?: string): void;
  add(error: GatecrashError): void;
}

/**
 * Reads scenario.yaml, or the one inside a folder; `instead`: a text in place of what it holds.
 * Throws GatecrashError("input") when it cannot.
 */
export function readSource(given: string, instead?: string): Source {
  const file = locate(given);
  const lines = new LineCounter();
  const text = instead ?? readText(file);
  const doc = parseDocument(text, {
    lineCounter: lines,
    merge: true,
    prettyErrors: false,
  });
  const shown = displayed(given, file);
  const placeOf = (offset: number | undefined): ErrorPlace => {
    if (offset === undefined) return { file: shown, line: 1, column: 1 };
    const { line, col } = lines.linePos(offset);
    return { file: shown, line, column: col };
  };
  const problem = yamlProblem(text, doc.errors);
  const errors: GatecrashError[] = [];
  const source: Source = {
    file,
    dir: dirname(file),
    data: problem === null ? plain(doc, errors, shown) : undefined,
    errors,
    place: (path) => placeOf(offsetOf(doc, path, false)),
    keyPlace: (path) => placeOf(offsetOf(doc, path, true)),
    fail: (path, message, hint) => source.failAt(source.place(path), message, hint),
    failAt(place, message, hint) {
      const more = hint === undefined ? {} : { hint };
      source.add(new GatecrashError("scenario", message, { place, ...more }));
    },
    add(error) {
      if (!errors.some((known) => known.render() === error.render())) errors.push(error);
    },
  };
  if (problem !== null) source.failAt(placeOf(problem.offset), problem.message);
  return source;
}

function locate(given: string): string {
  const path = resolve(given);
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() ? join(path, "scenario.yaml") : path;
}

/** As the operator typed it, so that the message's `file:line` can be clicked. */
function displayed(given: string, file: string): string {
  return basename(given) === basename(file) ? given : join(given, "scenario.yaml");
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const hint = "give a scenario.yaml or the folder that holds one";
    throw new GatecrashError("input", `cannot read the scenario: ${messageOf(cause)}`, {
      hint,
      cause,
    });
  }
}

/** Aliases that unfold without measure, or contain themselves, are errors like any other. */
function plain(doc: Document, errors: GatecrashError[], file: string): unknown {
  try {
    const data: unknown = doc.toJS();
    JSON.stringify(data); // throws when an anchor contains itself
    return data;
  } catch (cause) {
    const problem = cause instanceof TypeError ? "an anchor contains itself" : messageOf(cause);
    errors.push(new GatecrashError("scenario", problem, { place: { file, line: 1 }, cause }));
    return undefined;
  }
}

/** Offset of the deepest existing node on the path: a missing key is reported at its parent. */
function offsetOf(doc: Document, path: Path, ofKey: boolean): number | undefined {
  let node: Node | null = follow(doc, doc.contents);
  let offset = node?.range?.[0];
  for (const [depth, step] of path.entries()) {
    const pair = isMap(node) ? pairOf(doc, node, String(step)) : undefined;
    const value: unknown = isSeq(node) ? node.items[Number(step)] : pair?.value;
    if (value === undefined) break;
    const key = isNode(pair?.key) ? pair.key.range?.[0] : undefined;
    const last = depth === path.length - 1;
    node = follow(doc, isNode(value) ? value : null);
    const own = isAlias(value) ? value.range?.[0] : node?.range?.[0];
    const useKey = key !== undefined && (!isScalar(node) || (last && ofKey));
    offset = (useKey ? key : own) ?? offset;
  }
  return offset;
}

function follow(doc: Document, node: Node | null): Node | null {
  return isAlias(node) ? (node.resolve(doc) ?? null) : node;
}

/** The library turns a merge key into a symbol. */
const keyText = (key: unknown): string | undefined =>
  typeof key === "symbol" ? key.description : String(key);

/** The pair with this key, also through merge keys (`<<: *base`). */
function pairOf(doc: Document, map: YAMLMap, key: string): YAMLMap["items"][number] | undefined {
  const named = (name: string) =>
    map.items.find(({ key: k }) => isScalar(k) && keyText(k.value) === name);
  const own = named(key);
  if (own !== undefined) return own;
  const merged: unknown = named("<<")?.value;
  const bases = isSeq(merged) ? merged.items : [merged];
  for (const base of bases) {
    const from = follow(doc, isNode(base) ? base : null);
    const found = isMap(from) ? pairOf(doc, from, key) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
