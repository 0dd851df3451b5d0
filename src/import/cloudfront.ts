// CloudFront standard logs: tab-separated, driven by their #Fields line, encoded once more.
import {
  type CaptureFormat,
  countOrNull,
  type Draft,
  detached,
  detachedOrNull,
  orNull,
} from "./format.ts";
import { type ParsedLine, readLines } from "./line-format.ts";
import { loggedHeader, parseTarget } from "./request-line.ts";
import { parseIsoUs } from "./stamps.ts";

export const cloudfrontFormat: CaptureFormat = {
  name: "cloudfront",
  unit: "lines",
  matches: (head) => /^#Version: [\d.]+\r?\n#Fields: .*cs-uri-stem/.test(head),
  async read(chunks, sink) {
    let names: readonly string[] = [];
    await readLines(chunks, "latin1", sink, (line) => {
      if (!line.startsWith("#")) return parseLine(line, names);
      if (line.startsWith("#Fields:")) names = line.slice("#Fields:".length).trim().split(/\s+/);
      return "header line";
    });
  },
  notes: [
    "start = the logged end (whole seconds) − time-taken",
    "cache hits are kept: those requests never reached the origin",
    "delivery is a best effort, up to a day late; no bodies",
  ],
};

function parseLine(line: string, names: readonly string[]): ParsedLine {
  const fields = line.split("\t");
  if (names.length === 0) return "no #Fields line before it";
  if (fields.length < names.length) return "line cut short";
  const get = (name: string): string | null => orNull(fields[names.indexOf(name)]);
  const protocol = get("cs-protocol") ?? "https";
  if (protocol === "ws" || protocol === "wss") return "WebSocket connections are not replayed";
  const endUs = parseIsoUs(`${get("date") ?? ""}T${get("time") ?? ""}`);
  if (endUs === null) return "time stamp that cannot be read";
  const query = get("cs-uri-query");
  const path = `${get("cs-uri-stem") ?? ""}${query === null ? "" : `?${query}`}`;
  const target = parseTarget(get("cs-method") ?? "-", decodedOnce(path));
  if ("skip" in target) return target.skip;
  const takenSeconds = countOrNull(get("time-taken") ?? "-");
  const takenUs = takenSeconds === null ? 0 : Math.round(takenSeconds * 1e6);
  const status = countOrNull(get("sc-status") ?? "-");
  return {
    t_start_us: endUs,
    t_precision_us: 1_000_000,
    t_meaning: "end",
    id: detachedOrNull(get("x-edge-request-id")),
    client: get("c-ip"),
    method: target.method,
    scheme: protocol,
    // cs(Host) is the distribution's own name; the host that the client asked for is another field.
    host: get("x-host-header") ?? get("cs(Host)"),
    path: detached(target.path),
    headers: headersOf(get),
    body_b64: null,
    body_state: "absent",
    recorded: {
      status: status === 0 ? null : status,
      latency_us: takenSeconds === null ? null : takenUs,
      bytes: countOrNull(get("sc-bytes") ?? "-"),
    },
    minusUs: takenUs,
  };
}

function headersOf(get: (name: string) => string | null): Draft["headers"] {
  const headers: [string, string][] = [];
  for (const [name, field] of [
    ["user-agent", "cs(User-Agent)"],
    ["referer", "cs(Referer)"],
    ["cookie", "cs(Cookie)"],
  ] as const) {
    const value = get(field);
    if (value !== null) headers.push([name, loggedHeader(decodedOnce(value))]);
  }
  return headers;
}

/** The log encodes each value once more: `%2520` was `%20` on the wire. Never decode it twice. */
function decodedOnce(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
