// Columns, wrapping and colour of the terminal report.
import type { VerdictName } from "../core/verdict.ts";

export const WIDTH = 100;

const CODES = { red: 31, green: 32, yellow: 33, magenta: 35, dim: 2 } as const;
type Colour = keyof typeof CODES;

export const VERDICT_COLOURS: { readonly [verdict in VerdictName]: Colour } = {
  ...{ pass: "green", fail: "red", inconclusive: "yellow", invalid: "magenta" },
};

export function paint(text: string, colour: Colour, on: boolean): string {
  return on ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
}

/** Printed width; escape sequences take none. */
export function widthOf(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what an escape sequence is
  return [...text.replace(/\u001b\[\d+m/g, "")].length;
}

export const left = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - widthOf(text)));

export const right = (text: string, width: number): string =>
  " ".repeat(Math.max(0, width - widthOf(text))) + text;

/** Text behind a label, broken between words at 100 columns; later lines are indented likewise. */
export function wrapped(text: string, indent: number, label: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/(?<= )(?! )/)) {
    if (line !== "" && indent + widthOf(line + word.trimEnd()) > WIDTH) {
      lines.push(line);
      line = "";
    }
    line += word;
  }
  lines.push(line);
  return lines.map((part, i) => (i === 0 ? left(label, indent) : " ".repeat(indent)) + part);
}

/** Rows as columns two spaces apart; `r` aligns a column to the right. */
export function columns(rows: readonly (readonly string[])[], align: string): string[] {
  const widths = [...align].map((_, i) => Math.max(...rows.map((row) => widthOf(row[i] ?? ""))));
  return rows.map((row) =>
    row
      .map((cell, i) => {
        if (i === row.length - 1 && align[i] !== "r") return cell;
        return align[i] === "r" ? right(cell, widths[i]!) : left(cell, widths[i]!);
      })
      .join("  "),
  );
}
