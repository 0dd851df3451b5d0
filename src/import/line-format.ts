// Reads a capture of one record per line: what is common to all such formats.
import { eachLine } from "./bytes.ts";
import type { Draft, Sink } from "./format.ts";

/** A draft, or the reason why the line cannot be replayed. */
export type ParsedLine = Draft | string;

export async function readLines(
  chunks: AsyncIterable<Buffer>,
  encoding: "latin1" | "utf8",
  sink: Sink,
  parse: (line: string) => ParsedLine,
): Promise<void> {
  await eachLine(chunks, encoding, (line, position) => {
    const parsed = line === null ? "line too long" : line === "" ? "blank line" : parse(line);
    if (typeof parsed === "string") sink.skip(parsed, position);
    else sink.record(parsed, position);
  });
}
