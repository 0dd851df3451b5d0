// API Gateway access-log lines written as JSON: the bridge from a front's request id to Lambda's.
import type { PlatformRow } from "../core/facts.ts";
import { type EventPlace, emptyRow } from "./platform-event.ts";

/**
 * What a field may be called. The first is what our templates use; the others are the names of the
 * `$context` variables, which people copy as they are.
 */
const NAMES = {
  frontRequestId: ["requestId", "apigwRequestId"],
  extendedRequestId: ["extendedRequestId"],
  lambdaRequestId: ["awsEndpointRequestId", "integrationRequestId", "integration.requestId"],
  status: ["status"],
  integrationStatus: ["integrationStatus", "integration.integrationStatus"],
  epochMs: ["requestTimeEpoch"],
  responseMs: ["responseLatency"],
  integrationMs: ["integrationLatency", "integration.latency"],
  error: ["integrationErrorMessage", "integrationError", "integration.error", "error.message"],
  traceId: ["xrayTraceId", "traceId"],
  responseType: ["errorResponseType", "responseType", "error.responseType"],
  firewall: ["wafResponseCode", "wafStatus", "waf.status"],
  authenticated: ["authenticateStatus", "authenticate.status"],
  authorized: ["authorizeStatus", "authorize.status"],
} as const;

const ERROR_CHARACTERS_MAX = 200;

/** The row of one line, or null when it holds no request id: another format, or broken. */
export function parseAccessLine(message: string, place: EventPlace): PlatformRow | null {
  const read = readerOf(message.trim());
  if (read === null) return null;
  const frontId = read(NAMES.frontRequestId) ?? read(NAMES.extendedRequestId);
  if (frontId === null) return null;
  return {
    ...emptyRow("access", place),
    version: null,
    request_id: read(NAMES.lambdaRequestId),
    front_request_id: frontId,
    trace_id: read(NAMES.traceId),
    at: numberOf(read(NAMES.epochMs)) ?? place.atMs,
    duration: numberOf(read(NAMES.responseMs)) ?? numberOf(read(NAMES.integrationMs)),
    status: read(NAMES.status),
    error_type: responseType(read) ?? read(NAMES.error)?.slice(0, ERROR_CHARACTERS_MAX) ?? null,
    integration_status: numberOf(read(NAMES.integrationStatus)),
  };
}

/** Of a failed integration its own message says more. */
const OF_INTEGRATION = /^INTEGRATION_/;

/**
 * Why the gateway answered by itself, by API Gateway's name of that answer: as the line says it, or
 * by the statuses of those that stand before the integration.
 */
function responseType(read: Read): string | null {
  const said = read(NAMES.responseType);
  if (said !== null) return OF_INTEGRATION.test(said) ? null : said.slice(0, ERROR_CHARACTERS_MAX);
  const firewall = read(NAMES.firewall);
  if (firewall === "WAF_BLOCK" || isRefusal(firewall)) return "WAF_FILTERED";
  if (isRefusal(read(NAMES.authenticated))) return "UNAUTHORIZED";
  return isRefusal(read(NAMES.authorized)) ? "ACCESS_DENIED" : null;
}

const isRefusal = (status: string | null): boolean => status === "401" || status === "403";

type Read = (names: readonly string[]) => string | null;

function readerOf(line: string): Read | null {
  if (!line.startsWith("{")) return null;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return salvagingReader(line);
  }
  const fields = value as { readonly [name: string]: unknown };
  return (names) => {
    for (const name of names) {
      const found = fields[name];
      if (typeof found === "number") return String(found);
      if (typeof found === "string" && found !== "-" && found !== "") return found;
    }
    return null;
  };
}

/** `$context` values are put into the JSON unescaped, so an error's quotes break the whole line. */
function salvagingReader(line: string): Read {
  return (names) => {
    for (const name of names) {
      const pattern = new RegExp(`"${name.replace(".", "\\.")}"\\s*:\\s*"?([^",}]*)`);
      const found = pattern.exec(line)?.[1]?.trim();
      if (found !== undefined && found !== "-" && found !== "") return found;
    }
    return null;
  };
}

function numberOf(text: string | null): number | null {
  return text !== null && /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : null;
}
