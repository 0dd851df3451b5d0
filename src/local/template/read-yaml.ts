// A CloudFormation template as plain data: short tags in their long form, a line for each path.
import { readFileSync } from "node:fs";
import {
  type CollectionTag,
  isCollection,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
  type ScalarTag,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import type { Json } from "../../core/change.ts";
import { type ErrorPlace, GatecrashError, messageOf } from "../../core/error.ts";
import { yamlProblem } from "../../core/yaml-problem.ts";

export type Path = readonly (string | number)[];

export interface TemplateSource {
  readonly file: string;
  readonly value: Json;
  /** The line of the node at `path`, or of its nearest ancestor that exists. */
  placeOf(path: Path): ErrorPlace;
}

const FUNCTIONS = [
  ...["Sub", "GetAtt", "Join", "Select", "Split"],
  ...["If", "Equals", "And", "Or", "Not", "FindInMap"],
];

/** `!Ref x` → `{ Ref: "x" }`, `!Sub x` → `{ "Fn::Sub": "x" }`, also for lists. */
function shortTags(): (ScalarTag | CollectionTag)[] {
  const scalar = (tag: string, key: string): ScalarTag => ({
    tag,
    resolve: (text: string) => ({ [key]: text }),
  });
  const collection = (tag: string, key: string, kind: "seq" | "map"): CollectionTag => ({
    tag,
    collection: kind,
    resolve: (node: YAMLMap | YAMLSeq) => ({ [key]: node.toJSON() }),
  });
  const functions = FUNCTIONS.flatMap((name) => [
    scalar(`!${name}`, `Fn::${name}`),
    collection(`!${name}`, `Fn::${name}`, "seq"),
  ]);
  return [scalar("!Ref", "Ref"), scalar("!Condition", "Condition"), ...functions];
}

/** Throws a `scenario` error with the line: no YAML, or a tag that is not modelled. */
export function readTemplate(file: string): TemplateSource {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new GatecrashError("scenario", `cannot read the template: ${messageOf(cause)}`, {
      place: { file },
      cause,
    });
  }
  const lines = new LineCounter();
  const doc = parseDocument(text, { customTags: shortTags(), lineCounter: lines });
  const wrong = yamlProblem(text, [...doc.errors, ...doc.warnings]);
  if (wrong !== null) {
    const unknownTag = /Unresolved tag: (\S+)/.exec(wrong.message)?.[1];
    throw new GatecrashError(
      "scenario",
      unknownTag === undefined ? wrong.message : `${unknownTag} is not modelled by local AWS`,
      {
        place: { file, line: lines.linePos(wrong.offset).line },
        ...(unknownTag === undefined
          ? {}
          : {
              hint: `it knows !Ref, !Condition, ${FUNCTIONS.map((name) => `!${name}`).join(", ")}`,
            }),
      },
    );
  }
  const placeOf = (path: Path): ErrorPlace => {
    for (let depth = path.length; depth > 0; depth--) {
      const offset = offsetOf(doc.getIn(path.slice(0, depth - 1), true), path[depth - 1]!);
      if (offset !== null) return { file, line: lines.linePos(offset).line };
    }
    return { file, line: 1 };
  };
  return { file, value: (doc.toJS() ?? {}) as Json, placeOf };
}

/** Where the key (or item) begins inside its parent. */
function offsetOf(parent: unknown, key: string | number): number | null {
  if (!isCollection(parent)) return null;
  for (const [index, item] of parent.items.entries()) {
    const pair = item as { key?: unknown; range?: readonly number[] | null };
    if (isScalar(pair.key) && pair.key.value === key) return pair.key.range?.[0] ?? null;
    if (isNode(item) && index === key) return item.range?.[0] ?? null;
  }
  return null;
}
