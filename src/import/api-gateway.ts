// API Gateway access logs written as JSON: whatever fields the account's own template names.
import { loggedLine } from "./cloudwatch-line.ts";
import { type CaptureFormat, countOrNull, orNull, someLine } from "./format.ts";
import { type Fields, isFields, isText, parseJson } from "./json.ts";
import { type ParsedLine, readLines } from "./line-format.ts";
import { loggedHeader, parseTarget, type RequestTarget } from "./request-line.ts";
import { parseCommonUs } from "./stamps.ts";

export const apiGatewayFormat: CaptureFormat = {
  name: "api-gateway",
  unit: "lines",
  matches: (head) =>
    someLine(head, (raw) => {
      const line = loggedLine(raw) ?? "";
      const value = line.startsWith("{") ? parseJson(line) : undefined;
      const names = isFields(value) ? Object.keys(value) : [];
      return (
        names.some((name) => name === "requestId" || name === "extendedRequestId") &&
        names.some((name) => name === "httpMethod" || name === "routeKey")
      );
    }),
  async read(chunks, sink) {
    await readLines(chunks, "utf8", sink, parseLine);
  },
  notes: [
    "no query strings, no headers but a logged user agent, no bodies",
    "log $context.path, $context.httpMethod and $context.requestTimeEpoch to make a log replayable",
  ],
};

function parseLine(raw: string): ParsedLine {
  const line = loggedLine(raw);
  if (line === null) return "what the aws command prints around the lines";
  const value = parseJson(line);
  // `$context` values are put into the template unescaped: a quote in one breaks the line.
  if (!isFields(value)) return "broken JSON";
  const target = targetOf(value);
  if (typeof target === "string") return target;
  const stamp = stampOf(value);
  if (stamp === null) return "no requestTimeEpoch and no requestTime";
  const agent = text(value, "userAgent") ?? text(value, "identity.userAgent");
  return {
    ...stamp,
    t_meaning: "start",
    id: text(value, "extendedRequestId") ?? text(value, "requestId"),
    client: text(value, "ip") ?? text(value, "sourceIp"),
    method: target.method,
    scheme: "https",
    host: text(value, "domainName"),
    path: target.path,
    headers: agent === null ? [] : [["user-agent", loggedHeader(agent)]],
    body_b64: null,
    body_state: "absent",
    recorded: {
      status: number(value, "status"),
      latency_us: microseconds(number(value, "responseLatency")),
      bytes: number(value, "responseLength"),
    },
    minusUs: 0,
  };
}

/** The real path if it was logged; a route's template only when it has no parameters to fill. */
function targetOf(value: Fields): RequestTarget | string {
  const [routeMethod, routePath] = (text(value, "routeKey") ?? "").split(" ");
  const method = text(value, "httpMethod") ?? routeMethod ?? "";
  const path = text(value, "path") ?? text(value, "resourcePath") ?? routePath ?? "";
  if (text(value, "path") === null && (path.includes("{") || path === ""))
    return "only the route's template was logged, not the path";
  const stage = text(value, "stage");
  const prefix = `/${stage ?? ""}`;
  const own = stage !== null && (path === prefix || path.startsWith(`${prefix}/`));
  const target = parseTarget(method, own ? path.slice(prefix.length) || "/" : path);
  return "skip" in target ? target.skip : target;
}

function stampOf(value: Fields): { t_start_us: number; t_precision_us: number } | null {
  const epochMs = number(value, "requestTimeEpoch");
  if (epochMs !== null) return { t_start_us: epochMs * 1_000, t_precision_us: 1_000 };
  const second = parseCommonUs(text(value, "requestTime") ?? "");
  return second === null ? null : { t_start_us: second, t_precision_us: 1_000_000 };
}

const microseconds = (ms: number | null): number | null => (ms === null ? null : ms * 1_000);

/** Everything is a string in these logs, and `-` is nothing. */
function text(value: Fields, name: string): string | null {
  const found = value[name];
  if (typeof found === "number") return String(found);
  return isText(found) ? orNull(found) : null;
}

function number(value: Fields, name: string): number | null {
  return countOrNull(text(value, name) ?? "-");
}
