// The line of a terminal that is rewritten, and what else is written meanwhile.
import { expect, test } from "vitest";
import { CLEAR_LINE, fitted, hasColours, overRewrittenLine } from "../../src/cli/terminal.ts";

function written(...texts: string[]): string {
  let all = "";
  const write = overRewrittenLine((text) => {
    all += text;
  });
  for (const text of texts) write(text);
  return all;
}

test("a warning takes the place of the line that stands there", () => {
  expect(written(`${CLEAR_LINE}planning`, "warning: x\n", "more\n")).toBe(
    `${CLEAR_LINE}planning${CLEAR_LINE}warning: x\nmore\n`,
  );
});

test("a line that was cleared is not cleared again", () => {
  const texts = [`${CLEAR_LINE}planning`, CLEAR_LINE, "the end\n"];
  expect(written(...texts)).toBe(texts.join(""));
});

test("plain lines stay as they are", () => {
  expect(written("a\n", "b\n")).toBe("a\nb\n");
});

test.each([
  ["p50 3 ms → done", 10, "p50 3 ms "],
  ["p50", 80, "p50"],
  ["é→🚀x", 4, "é→🚀"],
  ["x".repeat(90), undefined, "x".repeat(79)],
  ["x".repeat(90), 0, "x".repeat(79)],
])("%j in %s columns does not wrap", (text, columns, expected) => {
  expect(fitted(text, columns)).toBe(expected);
});

test.each([
  [true, {}, true],
  [true, { TERM: "xterm-256color" }, true],
  [true, { TERM: "dumb" }, false],
  [true, { NO_COLOR: "1" }, false],
  [false, {}, false],
])("colours: a terminal %s with %o: %s", (isTTY, env, coloured) => {
  expect(hasColours({ isTTY }, env)).toBe(coloured);
});
