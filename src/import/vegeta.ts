// Vegeta's JSON targets: what to send, but not when; they give bodies and mixes, not a schedule.
import type { CaptureFormat } from "./format.ts";
import { someLine } from "./format.ts";
import { type Fields, isFields, isText, parseJson } from "./json.ts";
import { type ParsedLine, readLines } from "./line-format.ts";
import { parseTarget } from "./request-line.ts";

const KNOWN = /^\{.*"(?:method|url)"\s*:.*"(?:url|method)"\s*:/;

export const vegetaFormat: CaptureFormat = {
  name: "vegeta",
  unit: "lines",
  matches: (head) => someLine(head, (line) => KNOWN.test(line) && isTarget(parseJson(line))),
  async read(chunks, sink) {
    await readLines(chunks, "utf8", sink, parseLine);
  },
  notes: ["targets have no times: a replay needs a capture that has them"],
};

const isTarget = (value: unknown): value is Fields =>
  isFields(value) && isText(value.method) && isText(value.url);

function parseLine(line: string): ParsedLine {
  const value = parseJson(line);
  if (!isTarget(value)) return "not a target";
  const target = parseTarget(String(value.method), String(value.url).replace(/#.*$/, ""));
  if ("skip" in target) return target.skip;
  const { body, header } = value;
  const hasBody = isText(body) && body !== "";
  return {
    t_start_us: 0,
    t_precision_us: 1,
    t_meaning: "none",
    id: null,
    client: null,
    method: target.method,
    scheme: target.scheme,
    host: target.host,
    path: target.path,
    headers: isFields(header) ? headersOf(header) : [],
    body_b64: hasBody ? body : null,
    body_state: hasBody ? "present" : "none",
    recorded: null,
    minusUs: 0,
  };
}

function headersOf(header: Fields): [string, string][] {
  return Object.entries(header).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [values])
      .filter(isText)
      .map((value): [string, string] => [name.toLowerCase(), value]),
  );
}
