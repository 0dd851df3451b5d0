// Application Load Balancer logs: scheduled by `request_creation_time`, not the response time.
import {
  type CaptureFormat,
  countOrNull,
  detached,
  detachedOrNull,
  orNull,
  someLine,
} from "./format.ts";
import { type ParsedLine, readLines } from "./line-format.ts";
import { loggedHeader, parseRequestLine } from "./request-line.ts";
import { parseIsoUs } from "./stamps.ts";

// Positions in a line, by the format's published table; newer fields are appended at the end.
const CLIENT = 3;
const REQUEST_PROCESSING = 5;
const ELB_STATUS = 8;
const SENT_BYTES = 11;
const REQUEST = 12;
const USER_AGENT = 13;
const TRACE_ID = 17;
const DOMAIN = 18;
const CREATION = 21;

const LINE = /^(?:https?|h2|grpcs|wss?) \d{4}-\d\d-\d\dT[\d:.]+Z /;

export const albFormat: CaptureFormat = {
  name: "alb",
  unit: "lines",
  matches: (head) => someLine(head, (line) => LINE.test(line)),
  async read(chunks, sink) {
    const seen = new Set<number>();
    await readLines(chunks, "latin1", sink, (line) => parseLine(line, seen));
  },
  notes: [
    "the format is a best effort of the load balancer, not a complete account of its requests",
    "no headers but user-agent, no bodies, no cookies",
  ],
};

function parseLine(line: string, seen: Set<number>): ParsedLine {
  if (!LINE.test(line)) return "not a line of this format";
  const key = hash53(line);
  // Delivery may repeat for a period; stamps of 1 µs and trace ids make equal lines the same line.
  if (seen.has(key)) return "line delivered twice";
  seen.add(key);
  return draftOf(fieldsOf(line));
}

function draftOf(fields: readonly string[]): ParsedLine {
  const creation = parseIsoUs(fields[CREATION] ?? "");
  if (fields.length <= CREATION) return "line cut short";
  const type = fields[0] ?? "";
  if (type === "ws" || type === "wss") return "WebSocket connections are not replayed";
  if (type === "grpcs") return "gRPC is not replayed";
  const request = fields[REQUEST] ?? "";
  if (request.startsWith("- ")) return "malformed request (no method logged)";
  const target = parseRequestLine(request);
  if ("skip" in target) return target.skip;
  if (creation === null) return "no request_creation_time";
  const agent = orNull(fields[USER_AGENT]);
  return {
    t_start_us: creation,
    t_precision_us: 1,
    t_meaning: "start",
    id: detachedOrNull(orNull(fields[TRACE_ID])),
    client: addressOf(fields[CLIENT] ?? "-"),
    method: target.method,
    scheme: target.scheme ?? (type === "http" ? "http" : "https"),
    host: target.host ?? orNull(fields[DOMAIN]),
    path: detached(target.path),
    headers: agent === null ? [] : [["user-agent", loggedHeader(agent)]],
    body_b64: null,
    body_state: "absent",
    recorded: {
      status: countOrNull(fields[ELB_STATUS]),
      latency_us: latencyUs(fields),
      bytes: countOrNull(fields[SENT_BYTES]),
    },
    minusUs: 0,
  };
}

/** `198.51.100.7:50432` → address; the port changes with every connection. */
function addressOf(client: string): string | null {
  const colon = client.lastIndexOf(":");
  return orNull(colon < 0 ? client : client.slice(0, colon));
}

/** Sum of the three processing times; any −1 means that the exchange did not complete. */
function latencyUs(fields: readonly string[]): number | null {
  let sum = 0;
  for (let i = REQUEST_PROCESSING; i < REQUEST_PROCESSING + 3; i++) {
    const seconds = countOrNull(fields[i]);
    if (seconds === null) return null;
    sum += seconds;
  }
  return Math.round(sum * 1e6);
}

/** Space-separated, quoted where a field may hold spaces; a quote inside is logged as `\x22`. */
function fieldsOf(line: string): string[] {
  const fields: string[] = [];
  let from = 0;
  while (from < line.length) {
    const quoted = line[from] === '"';
    const start = quoted ? from + 1 : from;
    const end = line.indexOf(quoted ? '"' : " ", start);
    fields.push(line.slice(start, end < 0 ? line.length : end));
    if (end < 0) break;
    from = end + (quoted ? 2 : 1);
  }
  return fields;
}

/** 53-bit hash of a line: two multiplicative 32-bit hashes side by side. */
function hash53(text: string): number {
  let a = 0x9e3779b9;
  let b = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0xcc9e2d51) + 0x2545f491;
  }
  return (a >>> 0) * 2_097_152 + ((b ^ (b >>> 15)) >>> 11);
}
