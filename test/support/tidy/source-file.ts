// A file as the tidy rules see it: its text, and its code with comments and literals blanked out.

export interface SourceFile {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly text: string;
  /** Same length and lines as `text`: comments, strings and regular expressions are blanks. */
  readonly code: string;
}

export interface Complaint {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly message: string;
}

/** A rule: every file in, complaints out. Pure. */
export type Rule = (files: readonly SourceFile[]) => Complaint[];

export function sourceFile(path: string, text: string): SourceFile {
  return { path, text, code: /\.(ts|mjs|js)$/.test(path) ? blanked(text) : text };
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** One complaint for each match of a pattern in the code. */
export function matches(file: SourceFile, pattern: RegExp, message: string): Complaint[] {
  return [...file.code.matchAll(pattern)].map(({ index }) => {
    return { path: file.path, line: lineAt(file.code, index), message };
  });
}

export const isTypeScript = ({ path }: SourceFile): boolean => path.endsWith(".ts");
export const isUnder = (path: string, ...folders: string[]): boolean =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

/** What may stand before a `/` that starts a regular expression rather than divides. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+~<>%*]|\b(?:return|typeof|case|of|in|yield|await))\s*$/;

function blanked(text: string): string {
  let out = "";
  let at = 0;
  const braces: ("code" | "template")[] = [];
  const skip = (end: number): void => {
    out += text.slice(at, end).replace(/[^\n]/g, " ");
    at = end;
  };
  while (at < text.length) {
    const rest = text.slice(at, at + 2);
    const sign = rest[0]!;
    if (rest === "//" || (at === 0 && rest === "#!")) skip(endOf(text, "\n", at));
    else if (rest === "/*") skip(endOf(text, "*/", at + 2) + 2);
    else if (sign === '"' || sign === "'") skip(quoteEnd(text, at, sign));
    else if (sign === "`") skip(templateEnd(text, at + 1, braces));
    else if (sign === "}" && braces.pop() === "template") skip(templateEnd(text, at + 1, braces));
    else if (sign === "/" && BEFORE_REGEX.test(out.slice(-40))) skip(regexEnd(text, at));
    else {
      if (sign === "{") braces.push("code");
      out += sign;
      at++;
    }
  }
  return out;
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found;
}

function quoteEnd(text: string, start: number, quote: string): number {
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** Behind the closing backtick, or behind a `${`, whose code is then read like any other. */
function templateEnd(text: string, from: number, braces: ("code" | "template")[]): number {
  let at = from;
  while (at < text.length && text[at] !== "`") {
    if (text.startsWith("${", at)) {
      braces.push("template");
      return at + 2;
    }
    at += text[at] === "\\" ? 2 : 1;
  }
  return at + 1;
}

function regexEnd(text: string, start: number): number {
  let at = start + 1;
  let inClass = false;
  while (at < text.length && text[at] !== "\n" && (inClass || text[at] !== "/")) {
    if (text[at] === "[") inClass = true;
    if (text[at] === "]") inClass = false;
    at += text[at] === "\\" ? 2 : 1;
  }
  return at + 1;
}
