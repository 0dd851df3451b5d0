// Messages between local AWS and a child, over one pipe: each is a JSON head and one text as it is.

/**
 * Two lengths in bytes, of all that follows and of the head. Events and results are JSON already:
 * inside the head they would be escaped, and read, twice.
 */
const LENGTHS_BYTES = 8;

/** The descriptor of a child's end. */
export const CHANNEL_FD = 3;

export interface Framed<Message> {
  readonly message: Message;
  readonly text: string;
}

export function encodeFrame(message: object, text: string): Buffer {
  const head = JSON.stringify(message);
  const headBytes = Buffer.byteLength(head);
  const bytes = headBytes + Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(LENGTHS_BYTES + bytes);
  frame.writeUInt32BE(bytes, 0);
  frame.writeUInt32BE(headBytes, 4);
  frame.write(head, LENGTHS_BYTES);
  frame.write(text, LENGTHS_BYTES + headBytes);
  return frame;
}

/** More than this is no message of ours. */
const FRAME_BYTES_MAX = 2 ** 28;

/**
 * Takes a pipe's bytes as they come, and gives each message once it is whole. `broken` is told once
 * when they are no messages (a handler has the descriptor, too, and may write to it); nothing is
 * read after that.
 */
export function frameReader<Message extends object>(
  receive: (framed: Framed<Message>) => void,
  broken: () => void,
): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let heldBytes = 0;
  let wantedBytes = LENGTHS_BYTES;
  let isBroken = false;
  const giveUp = (): void => {
    isBroken = true;
    pieces = [];
    broken();
  };
  return (chunk) => {
    if (isBroken) return;
    pieces.push(chunk);
    heldBytes += chunk.length;
    if (heldBytes < wantedBytes) return; // a large one is put together once, at its end
    let rest = pieces.length === 1 ? chunk : Buffer.concat(pieces, heldBytes);
    while (rest.length >= LENGTHS_BYTES) {
      wantedBytes = LENGTHS_BYTES + rest.readUInt32BE(0);
      if (wantedBytes > FRAME_BYTES_MAX) return giveUp();
      if (rest.length < wantedBytes) break;
      const framed = decode<Message>(rest, wantedBytes);
      if (framed === null) return giveUp();
      receive(framed);
      rest = rest.subarray(wantedBytes);
      wantedBytes = LENGTHS_BYTES;
    }
    pieces = rest.length === 0 ? [] : [rest];
    heldBytes = rest.length;
  };
}

/** null = it is no frame. */
function decode<Message extends object>(frame: Buffer, end: number): Framed<Message> | null {
  const textStart = LENGTHS_BYTES + frame.readUInt32BE(4);
  try {
    const message = JSON.parse(frame.toString("utf8", LENGTHS_BYTES, textStart)) as Message | null;
    if (message === null) return null;
    return { message, text: frame.toString("utf8", textStart, end) };
  } catch {
    return null;
  }
}
