// GoReplay files: raw HTTP messages between separator lines; stamps are those of the first packet.
import type { CaptureFormat, Draft, Sink } from "./format.ts";
import { bodyOfMessage, type HttpMessage, parseMessage } from "./http-message.ts";
import { parseTarget } from "./request-line.ts";

const SEPARATOR = Buffer.from("\n🐵🙈🙉\n", "utf8");
const HEADER = /^([123]) (\S+) (\d{13,19})(?: (-?\d+))?$/;
/** A message longer than this is not held in memory. */
const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;

export const gorFormat: CaptureFormat = {
  name: "gor",
  unit: "messages",
  matches: (head) => /^[123] \S+ \d{13,19}(?: -?\d+)?\r?\n/.test(head),
  async read(chunks, sink) {
    const requests = new Map<string, { draft: Draft; position: number }>();
    let position = 0;
    for await (const message of messages(chunks)) {
      position++;
      readMessage(message, position, sink, requests);
    }
    for (const { draft, position: at } of requests.values()) sink.record(draft, at);
  },
  notes: ["no scheme is recorded; the host is the Host header's"],
};

type Requests = Map<string, { draft: Draft; position: number }>;

function readMessage(message: Buffer | null, at: number, sink: Sink, requests: Requests): void {
  if (message === null) return void sink.skip("message too long", at);
  const end = message.indexOf(10);
  const parts = HEADER.exec(message.subarray(0, Math.max(0, end)).toString("latin1").trimEnd());
  if (parts === null) return void sink.skip("not a message of this format", at);
  const [, type, id = "", stamp = "0", latency] = parts;
  const http = parseMessage(message.subarray(end + 1));
  if (http === null) return void sink.skip("no HTTP head", at);
  if (type !== "1") {
    joinAnswer(http, type === "2" ? requests.get(id) : undefined, stamp, latency);
    return void sink.skip(type === "2" ? "answer, joined to its request" : "replayed answer", at);
  }
  const draft = draftOf(http, id, stamp);
  if (typeof draft === "string") sink.skip(draft, at);
  else if (requests.has(id)) sink.skip("request id seen before", at);
  else requests.set(id, { draft, position: at });
}

/** Nanoseconds as text → µs; a number would lose the last digits. */
const microseconds = (nanoseconds: string): number => Number(nanoseconds.slice(0, -3));

function draftOf(http: HttpMessage, id: string, stamp: string): Draft | string {
  const [method = "", target = "", version = ""] = http.startLine.split(" ");
  if (!version.startsWith("HTTP/")) return "not an HTTP request line";
  const parsed = parseTarget(method, target);
  if ("skip" in parsed) return parsed.skip;
  const host = http.headers.find(([name]) => name === "host")?.[1] ?? parsed.host;
  return {
    t_start_us: microseconds(stamp),
    t_precision_us: 1,
    t_meaning: "start",
    id,
    client: null,
    method,
    scheme: parsed.scheme,
    host,
    path: parsed.path,
    headers: http.headers,
    ...bodyOfMessage(http),
    recorded: null,
    minusUs: 0,
  };
}

function joinAnswer(
  http: HttpMessage,
  request: { draft: Draft } | undefined,
  stamp: string,
  latency: string | undefined,
): void {
  if (request === undefined) return;
  const status = Number(http.startLine.split(" ")[1]);
  const tookUs =
    latency === undefined || Number(latency) <= 0
      ? microseconds(stamp) - request.draft.t_start_us
      : Math.round(Number(latency) / 1_000);
  const recorded = {
    status: status > 0 ? status : null,
    latency_us: tookUs >= 0 ? tookUs : null,
    bytes: http.body.length,
  };
  request.draft = { ...request.draft, recorded };
}

/** What lies between separators; the last message needs none. Null for one that is too long. */
async function* messages(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer | null, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  let tooLong = false;
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = rest.indexOf(SEPARATOR); end >= 0; end = rest.indexOf(SEPARATOR, from)) {
      yield tooLong ? null : rest.subarray(from, end);
      tooLong = false;
      from = end + SEPARATOR.length;
    }
    rest = rest.subarray(from);
    if (rest.length <= MESSAGE_BYTES_MAX) continue;
    tooLong = true;
    rest = rest.subarray(rest.length - SEPARATOR.length);
  }
  if (tooLong || rest.toString("latin1").trim() !== "") yield tooLong ? null : rest;
}
