// What a terminal can show: colours, a rewritten line, and what else is written while it stands.

/** Back to the start of the line, and away with what stands on it. */
export const CLEAR_LINE = "\r\x1b[2K";

/** Writes through `write`; whatever comes while a rewritten line stands there takes its place. */
export function overRewrittenLine(write: (text: string) => void): (text: string) => void {
  let standing = false;
  return (text) => {
    const rewrites = text.startsWith(CLEAR_LINE);
    write(standing && !rewrites ? `${CLEAR_LINE}${text}` : text);
    standing = rewrites && text !== CLEAR_LINE && !text.endsWith("\n");
  };
}

/** A line that wraps cannot be rewritten. */
export function fitted(text: string, columns: number | undefined): string {
  const most = columns === undefined || columns <= 0 ? 79 : columns - 1;
  return [...text].slice(0, most).join("");
}

/** Colours are for terminals that have them, unless `NO_COLOR` is set. */
export function hasColours(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && env.NO_COLOR === undefined && env.TERM !== "dumb";
}
