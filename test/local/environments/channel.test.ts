// Frames out of a pipe, however its bytes come.
import { expect, it } from "vitest";
import { seededRng } from "../../../src/core/rng.ts";
import { encodeFrame, type Framed, frameReader } from "../../../src/local/environments/channel.ts";

const SENT: readonly Framed<object>[] = [
  { message: { kind: "ready" }, text: "" },
  { message: { kind: "invoke", call: 7, name: "größe €" }, text: '{"a":"\\n","ü":"𝄞"}' },
  { message: {}, text: "x".repeat(300_000) },
  { message: { last: true }, text: "{}" },
];

const BROKEN: Framed<object> = { message: {}, text: "broken" };

function received(pieces: Iterable<Buffer>): Framed<object>[] {
  const found: Framed<object>[] = [];
  const read = frameReader<object>(
    (framed) => found.push(framed),
    () => found.push(BROKEN),
  );
  for (const piece of pieces) read(piece);
  return found;
}

it("reads what was sent, in one piece, byte by byte, and in pieces of any size", () => {
  const bytes = Buffer.concat(SENT.map(({ message, text }) => encodeFrame(message, text)));
  expect(received([bytes])).toEqual(SENT);
  const small = bytes.subarray(0, 200);
  expect(received([...small].map((byte) => Buffer.from([byte])))).toEqual(SENT.slice(0, 2));
  const rng = seededRng(3);
  for (let run = 0; run < 200; run++) {
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      const to = at + 1 + Math.floor(rng.next() ** 4 * 200_000);
      pieces.push(bytes.subarray(at, to));
      at = to;
    }
    expect(received(pieces)).toEqual(SENT);
  }
});

it("keeps the rest of a frame until it has come", () => {
  const bytes = encodeFrame({ n: 1 }, "abc");
  expect(received([bytes.subarray(0, -1)])).toEqual([]);
});

it("gives up once at what is no frame, and reads nothing after it", () => {
  const good = encodeFrame({ n: 1 }, "abc");
  const before = { message: { n: 1 }, text: "abc" };
  for (const bad of ["garbage!", "\0\0\0\x04\0\0\0\x04null", "\0\0\0\x02\0\0\0\x02no"])
    expect(received([good, Buffer.from(bad), good, Buffer.from(bad)])).toEqual([before, BROKEN]);
});
