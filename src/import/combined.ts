// The combined log of Apache and nginx: one-second stamps, taken when the request had ended.
import { type CaptureFormat, countOrNull, detached, orNull, someLine } from "./format.ts";
import { type ParsedLine, readLines } from "./line-format.ts";
import { loggedHeader, parseRequestLine } from "./request-line.ts";
import { parseCommonUs } from "./stamps.ts";

// A quoted field ends at a quote that no backslash precedes.
const QUOTED = '"((?:[^"\\\\]|\\\\.)*)"';
const HEAD = /^(\S+) (\S+) (.+?) \[([^\]]+)\] /;
const LINE = new RegExp(
  `${HEAD.source}${QUOTED} (\\d{3}|-) (\\d+|-)(?: ${QUOTED} ${QUOTED})?(?: |$)`,
);

export const combinedFormat: CaptureFormat = {
  name: "combined",
  unit: "lines",
  matches: (head) => someLine(head, (line) => LINE.test(line)),
  async read(chunks, sink) {
    await readLines(chunks, "latin1", sink, parseLine);
  },
  notes: [
    "stamps are the end of each request, not its start, and how long it took is not logged",
    "no headers but user-agent and referer, no bodies, no host",
  ],
};

function parseLine(line: string): ParsedLine {
  const parts = LINE.exec(line);
  if (parts === null) return "not a line of this format";
  const [, client, , , stamp = "", request = "", status, bytes, referer, agent] = parts;
  const atUs = parseCommonUs(stamp);
  if (atUs === null) return "time stamp that cannot be read";
  const target = parseRequestLine(request);
  if ("skip" in target) return target.skip;
  const headers: [string, string][] = [];
  for (const [name, value] of [["user-agent", agent] as const, ["referer", referer] as const]) {
    const text = orNull(value);
    if (text !== null) headers.push([name, loggedHeader(text)]);
  }
  return {
    t_start_us: atUs,
    t_precision_us: 1_000_000,
    t_meaning: "end",
    id: null,
    client: orNull(client),
    method: target.method,
    scheme: target.scheme,
    host: target.host,
    path: detached(target.path),
    headers,
    body_b64: null,
    body_state: "absent",
    recorded: { status: countOrNull(status), latency_us: null, bytes: countOrNull(bytes) },
    minusUs: 0,
  };
}
