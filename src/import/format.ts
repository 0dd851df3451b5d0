// What a capture format is: it knows its text and turns units of it into drafts or skip reasons.
import type { CaptureRecord } from "../core/capture.ts";

/** A record before redaction, sorting and the spreading of coarse stamps. */
export type Draft = Omit<CaptureRecord, "source" | "redactions" | "session"> & {
  /** Client or connection as logged; becomes a pseudonym. */
  readonly client: string | null;
  /** Subtracted after spreading: formats that stamp the end and know how long it took. */
  readonly minusUs: number;
  /** Set by canonical input, whose values are pseudonyms already. */
  readonly redactions?: readonly string[];
  /** Set by canonical input: the place the record first came from. */
  readonly source?: CaptureRecord["source"];
};

/** Where a format puts what it read. Each unit (line, entry, message) gives exactly one call. */
export interface Sink {
  record(draft: Draft, position: number): void;
  skip(reason: string, position: number): void;
}

export interface CaptureFormat {
  readonly name: string;
  /** What `read` counts: lines, entries, messages. */
  readonly unit: string;
  /** True when the beginning of the file (at most 64 KiB of text) is of this format. */
  matches(head: string): boolean;
  read(chunks: AsyncIterable<Buffer>, sink: Sink): Promise<void>;
  /** Said below the fidelity table: what this format cannot know. */
  readonly notes: readonly string[];
}

/** True when one of the first non-blank lines matches; real files start with odd ones. */
export function someLine(head: string, test: (line: string) => boolean): boolean {
  const lines = head.split("\n", 50).map((line) => line.replace(/\r$/, ""));
  return lines.some((line) => line !== "" && test(line));
}

/** A fresh string: V8's slices would keep the whole line of the log alive. */
export function detached(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}

export const detachedOrNull = (text: string | null): string | null =>
  text === null ? null : detached(text);

/** `-` and the empty string are how logs write "nothing". */
export function orNull(text: string | undefined): string | null {
  return text === undefined || text === "" || text === "-" ? null : text;
}

/** A non-negative number, or null for `-`, `-1` and everything that is none. */
export function countOrNull(text: string | undefined): number | null {
  if (text === undefined || !/^\d+(?:\.\d+)?$/.test(text)) return null;
  return Number(text);
}
