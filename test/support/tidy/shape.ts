// Rules about shape: sizes, first lines, titles, conformance, and words that belong elsewhere.
import {
  type Complaint,
  isTypeScript,
  isUnder,
  type Rule,
  type SourceFile,
} from "./source-file.ts";

const LINES_MAX = 250;
/** Tables of cases are long and still easy to read. */
const TEST_LINES_MAX = 400;
const FUNCTION_LINES_MAX = 60;
const COLUMNS_MAX = 100;

const isProduct = ({ path }: SourceFile): boolean => isUnder(path, "src", "bin", "bench");
const isTest = ({ path }: SourceFile): boolean => isUnder(path, "test");

/** Files and lines that fit on a screen; a line of a test may end in a long literal. */
export const sizes: Rule = (files) =>
  files.filter(isTypeScript).flatMap((file) => {
    const lines = file.text.trimEnd().split("\n");
    const code = file.code.split("\n");
    const most = isTest(file) ? TEST_LINES_MAX : LINES_MAX;
    const long =
      lines.length > most
        ? [{ path: file.path, line: most + 1, message: tooLong(lines.length, most) }]
        : [];
    const wide = lines.flatMap((line, i) => {
      const columns = columnsOf(line, code[i] ?? "", isTest(file));
      const message = `${columns} columns, at most ${COLUMNS_MAX}`;
      return columns > COLUMNS_MAX ? [{ path: file.path, line: i + 1, message }] : [];
    });
    return [...long, ...wide];
  });

const tooLong = (lines: number, most: number): string => `${lines} lines, at most ${most}`;

/** A regular expression cannot be broken; in a test, neither need a title or an expected text. */
function columnsOf(line: string, code: string, inTest: boolean): number {
  const comment = /^\s*(?:\/\/|\/?\*)/.test(line);
  const unbreakable = !comment && (inTest || /^\s*\/[^/*]/.test(line));
  if (!unbreakable) return [...line].length;
  const indent = line.length - line.trimStart().length;
  return indent + code.trim().replace(/ {2,}/g, " ").length;
}

const CONTROL = /^\s*(?:\} )?(?:if|for|while|switch|catch|else|try|do|with)\b/;
const STARTS = [
  /\bfunction\b/, // declarations and expressions
  /=>\s*\{$/, // arrow functions with a body
  /^\s*(?:(?:async|static|get|set|private|protected|override)\s+)*\*?[#\w]+(?:<.*>)?\(.*\{$/,
];
/** Parameters broken over lines: the formatter closes them at the indent of their start. */
const CLOSED_PARAMETERS = /^\s*\)(?:: .*)?(?: =>)? \{$/;

/** A function is read at one glance. The formatter's indents tell where it ends. */
export const functionSizes: Rule = (files) =>
  files
    .filter((file) => isTypeScript(file) && isProduct(file))
    .flatMap((file) => {
      const lines = file.code.split("\n").map((line) => line.trimEnd());
      return lines.flatMap((line, start) => {
        if (CONTROL.test(line)) return [];
        const starts = STARTS.some((shape) => shape.test(line)) && line.endsWith("{");
        if (!starts && !CLOSED_PARAMETERS.test(line)) return [];
        const length = endOf(lines, start) - start + 1;
        const message = `function of ${length} lines, at most ${FUNCTION_LINES_MAX}`;
        return length > FUNCTION_LINES_MAX ? [{ path: file.path, line: start + 1, message }] : [];
      });
    });

function endOf(lines: readonly string[], start: number): number {
  const indent = /^\s*/.exec(lines[start]!)![0];
  const end = lines.findIndex((line, i) => i > start && line.startsWith(`${indent}}`));
  return end < 0 ? start : end;
}

/** The first line says what the file is for. */
export const firstLines: Rule = (files) =>
  files
    .filter((file) => isTypeScript(file) && isProduct(file))
    .flatMap(({ path, text }) => {
      const [first = "", second = ""] = text.split("\n");
      const line = first.startsWith("#!") ? second : first;
      if (/^\/\/ \S.*/.test(line)) return [];
      return [
        { path, line: 1, message: "the first line is no comment that says what the file is for" },
      ];
    });

/** One document, one title; a report that is expected of a run is no document. */
export const titles: Rule = (files) =>
  files
    .filter(({ path }) => path.endsWith(".md") && !isUnder(path, "test"))
    .flatMap(({ path, text }) => {
      const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, (fence) =>
        fence.replace(/[^\n]/g, " "),
      );
      const found = prose.split("\n").flatMap((line, i) => (/^# \S/.test(line) ? [i + 1] : []));
      if (found.length === 1) return [];
      return [{ path, line: found[1] ?? 1, message: `${found.length} titles, one is needed` }];
    });

const KIND = /^ {2}"([a-z-]+)":/gm;
const SHAPES = "src/scenario/fault-shapes.ts";

/** Every fault has a file of its name, and a test that puts it through the conformance suite. */
export const faultsTested: Rule = (files) => {
  const shapes = files.find(({ path }) => path === SHAPES);
  const suites = files.filter((file) => isTest(file) && file.text.includes("conformance/fault"));
  return [...(shapes?.text ?? "").matchAll(KIND)].flatMap(([, kind = ""]) => {
    const complaint = (message: string): Complaint => ({ path: SHAPES, line: 1, message });
    const written = files.some(({ path }) => path === `src/faults/${kind}.ts`);
    const tested = suites.some(({ text }) => text.includes(kind));
    return [
      ...(written ? [] : [complaint(`fault ${kind} has no src/faults/${kind}.ts`)]),
      ...(tested ? [] : [complaint(`fault ${kind} is in no conformance test`)]),
    ];
  });
};

/** Spelled so that this file does not complain about itself. */
const ELSEWHERE = new RegExp(`(?<![\\w.~-])/${"work"}(?![\\w-])|(?<![\\w/-])${"share"}d/`, "g");

/** The project speaks of itself: no path of the machine it happens to be written on. */
export const foreignPaths: Rule = (files) =>
  files.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, i) =>
      [...line.matchAll(ELSEWHERE)].map(([word]) => {
        return { path, line: i + 1, message: `names a place outside the repository: ${word}` };
      }),
    ),
  );
