// Opens a capture: plain or gzip by its first bytes, of several members too, in chunks or lines.
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { GatecrashError, messageOf } from "../core/error.ts";

const HEAD_BYTES = 65_536;
/** A longer line is no log line; it is counted and not kept in memory. */
const LINE_BYTES_MAX = 16 * 1024 * 1024;

export interface OpenCapture {
  /** The first bytes as text, for telling the format. */
  readonly head: string;
  /** Everything from the first byte on. */
  readonly chunks: AsyncIterable<Buffer>;
}

/** @throws GatecrashError `input` when the file cannot be read or is compressed in another way. */
export async function openCapture(file: string): Promise<OpenCapture> {
  const source = plainChunks(file)[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  let sizeBytes = 0;
  while (sizeBytes < HEAD_BYTES) {
    const next = await source.next();
    if (next.done === true) break;
    first.push(next.value);
    sizeBytes += next.value.length;
  }
  const head = Buffer.concat(first)
    .subarray(0, HEAD_BYTES)
    .toString("utf8")
    .replace(/^\ufeff/, "");
  return { head, chunks: rejoined(first, source) };
}

async function* rejoined(
  first: Buffer[],
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  let start = true;
  for (const chunk of first) {
    yield start && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf
      ? chunk.subarray(3)
      : chunk;
    start = false;
  }
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

async function* plainChunks(file: string): AsyncGenerator<Buffer, void, undefined> {
  try {
    const magic = await firstBytes(file);
    if (magic.equals(Buffer.from([0x28, 0xb5, 0x2f, 0xfd])))
      throw new GatecrashError("input", "the capture is compressed with zstd", {
        hint: "unpack it first, or pack it with gzip",
        place: { file },
      });
    const gzipped = magic[0] === 0x1f && magic[1] === 0x8b;
    const raw = createReadStream(file, { highWaterMark: 262_144 });
    // Node's gunzip reads all members of a concatenated file.
    const stream = gzipped ? raw.pipe(createGunzip()) : raw;
    if (gzipped) raw.on("error", (error) => stream.destroy(error));
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    if (error instanceof GatecrashError) throw error;
    throw new GatecrashError("input", `cannot read the capture: ${messageOf(error)}`, {
      place: { file },
      cause: error,
    });
  }
}

async function firstBytes(file: string): Promise<Buffer> {
  for await (const chunk of createReadStream(file, { end: 3 })) return chunk as Buffer;
  return Buffer.alloc(0);
}

/**
 * Calls back for every line, numbered from 1, without its line end; `null` = longer than the limit.
 * latin1 keeps bytes as they are, for logs that have no declared encoding.
 */
export async function eachLine(
  chunks: AsyncIterable<Buffer>,
  encoding: "latin1" | "utf8",
  onLine: (line: string | null, position: number) => void,
): Promise<void> {
  let position = 0;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  const emit = (last: Buffer): void => {
    position++;
    const tooLong = pendingBytes + last.length > LINE_BYTES_MAX;
    const line = pending.length === 0 ? last : Buffer.concat([...pending, last]);
    const text = tooLong ? null : line.toString(encoding);
    pending = [];
    pendingBytes = 0;
    onLine(text === null ? null : text.endsWith("\r") ? text.slice(0, -1) : text, position);
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      emit(chunk.subarray(from, end));
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    pendingBytes += rest.length;
    if (rest.length > 0 && pendingBytes <= LINE_BYTES_MAX) pending.push(rest);
    else if (pendingBytes > LINE_BYTES_MAX) pending = [];
  }
  if (pendingBytes > 0) emit(Buffer.alloc(0));
}
