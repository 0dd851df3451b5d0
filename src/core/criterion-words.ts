// The text of a criterion cut into words, each with its place in the text.
import { GatecrashError } from "./error.ts";

export interface Word {
  readonly kind: "path" | "amount" | "op" | "mark" | "end";
  readonly text: string;
  /** Offset in the criterion's text. */
  readonly at: number;
}

/** In this order at every place: the first that matches wins. */
const SHAPES: readonly (readonly [Word["kind"] | "space", RegExp])[] = [
  ["space", /\s+/y],
  ["op", /<=|>=|==|<|>/y],
  ["amount", /\$? ?\d+(?:\.\d+)?(?:[A-Za-zµ%/]+)?/y],
  ["path", /\.?[A-Za-z][\w-]*(?:\.[\w-]+)*/y],
  ["mark", /[(),*]/y],
];

/** Words of a criterion, closed by one of kind `end`. Throws GatecrashError("scenario"). */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  let at = 0;
  while (at < text.length) {
    const found = wordAt(text, at);
    if (found.kind !== "space") words.push({ kind: found.kind, text: found.text, at });
    at += found.text.length;
  }
  words.push({ kind: "end", text: "", at });
  return words;
}

function wordAt(text: string, at: number): { kind: Word["kind"] | "space"; text: string } {
  for (const [kind, shape] of SHAPES) {
    shape.lastIndex = at;
    const match = shape.exec(text);
    if (match !== null) return { kind, text: match[0] };
  }
  const sign = text[at] ?? "";
  throw new GatecrashError("scenario", `criterion \`${text}\`: \`${sign}\` has no meaning here`, {
    hint:
      sign === "=" || sign === "!"
        ? "compare with <=, <, >=, > or =="
        : "a criterion reads like `checkout.p99 <= 300ms during before primary`",
  });
}
