// The canonical NDJSON that `gatecrash import` writes, read back and checked line by line.
import type { BodyState, CaptureRecord, StampMeaning } from "../core/capture.ts";
import { type CaptureFormat, someLine } from "./format.ts";
import { type Fields, isFields, isText, parseJson } from "./json.ts";
import { type ParsedLine, readLines } from "./line-format.ts";
import { parseTarget } from "./request-line.ts";

const MEANINGS: readonly string[] = ["start", "end", "ingest", "none"];
const STATES: readonly string[] = ["present", "none", "absent", "truncated", "redacted", "lossy"];

export const ndjsonFormat: CaptureFormat = {
  name: "ndjson",
  unit: "lines",
  matches: (head) =>
    someLine(head, (line) => line.startsWith("{") && line.includes('"t_start_us"')),
  async read(chunks, sink) {
    await readLines(chunks, "utf8", sink, parseLine);
  },
  notes: [],
};

function parseLine(line: string): ParsedLine {
  const value = parseJson(line);
  return isFields(value) ? draftOf(value) : "not a JSON object";
}

function draftOf(value: Fields): ParsedLine {
  const { t_start_us, t_precision_us = 1, t_meaning = "start", method, path } = value;
  if (!Number.isSafeInteger(t_start_us)) return "t_start_us is no integer";
  if (!Number.isSafeInteger(t_precision_us)) return "t_precision_us is no integer";
  if (!isText(t_meaning) || !MEANINGS.includes(t_meaning)) return "t_meaning is unknown";
  if (!isText(method) || !isText(path) || !path.startsWith("/")) return "no method or no path";
  const target = parseTarget(method, path);
  if ("skip" in target) return target.skip;
  const state = value.body_state ?? (isText(value.body_b64) ? "present" : "absent");
  if (!isText(state) || !STATES.includes(state)) return "body_state is unknown";
  const headers = headersOf(value.headers ?? []);
  if (headers === null) return "headers are no list of pairs";
  const { redactions, source } = value;
  return {
    t_start_us: t_start_us as number,
    t_precision_us: t_precision_us as number,
    t_meaning: t_meaning as StampMeaning,
    id: textOrNull(value.id),
    client: textOrNull(value.session),
    method,
    scheme: textOrNull(value.scheme),
    host: textOrNull(value.host),
    path,
    headers,
    body_b64: textOrNull(value.body_b64),
    body_state: state as BodyState,
    recorded: isFields(value.recorded) ? recordedOf(value.recorded) : null,
    minusUs: 0,
    redactions: Array.isArray(redactions) ? redactions.filter(isText) : [],
    ...(isFields(source) && isText(source.file) && typeof source.line === "number"
      ? { source: { file: source.file, line: source.line } }
      : {}),
  };
}

function recordedOf(value: Fields): CaptureRecord["recorded"] {
  const number = (x: unknown): number | null => (typeof x === "number" ? x : null);
  return {
    status: number(value.status),
    latency_us: number(value.latency_us),
    bytes: number(value.bytes),
  };
}

function headersOf(value: unknown): [string, string][] | null {
  if (!Array.isArray(value)) return null;
  const pairs: [string, string][] = [];
  for (const pair of value) {
    if (!Array.isArray(pair) || !isText(pair[0]) || !isText(pair[1])) return null;
    pairs.push([pair[0].toLowerCase(), pair[1]]);
  }
  return pairs;
}

const textOrNull = (value: unknown): string | null => (isText(value) ? value : null);
