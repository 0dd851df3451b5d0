// Lambda's own log lines: REPORT, INIT_REPORT, RESTORE_REPORT as text, and platform.* as JSON.
import {
  type EventPlace,
  emptyRow,
  isRequestId,
  MALFORMED,
  OTHER,
  type ParsedEvent,
} from "./platform-event.ts";
import { jsonReport } from "./report-json.ts";

const TIMEOUT = /^\S+Z ([0-9a-f-]{36}) Task timed out after [\d.]+ seconds\s*$/i;

/** Reads one log event. Field order does not matter; tabs and spaces both separate. */
export function parseReportEvent(message: string, place: EventPlace): ParsedEvent {
  if (message.startsWith("{")) return jsonReport(message, place);
  const [line = "", ...more] = message.split("\n");
  if (line.startsWith("REPORT RequestId:")) return textReport(line, more, place);
  if (line.startsWith("INIT_REPORT ")) return initReport(line, place);
  if (line.startsWith("RESTORE_REPORT ")) return restoreReport(line, place);
  const timeout = TIMEOUT.exec(line);
  return timeout === null ? OTHER : { kind: "timeout", requestId: timeout[1] ?? "" };
}

function textReport(line: string, more: readonly string[], place: EventPlace): ParsedEvent {
  const fields = fieldsOf(line.slice("REPORT ".length));
  const requestId = fields.get("RequestId");
  const duration = measure(fields.get("Duration"), "ms");
  if (!isRequestId(requestId) || duration === null) return MALFORMED;
  // With active tracing the same event goes on with a line about the trace.
  const trace = fieldsOf(more.find((one) => one.startsWith("XRAY TraceId:")) ?? "");
  return {
    kind: "row",
    row: {
      ...emptyRow("report", place),
      request_id: requestId,
      trace_id: trace.get("XRAY TraceId") ?? fields.get("XRAY TraceId") ?? null,
      duration,
      billed: measure(fields.get("Billed Duration"), "ms"),
      memory: measure(fields.get("Memory Size"), "MB"),
      init: measure(fields.get("Init Duration"), "ms"),
      restore: measure(fields.get("Restore Duration"), "ms"),
      status: fields.get("Status") ?? null,
      error_type: fields.get("Error Type") ?? null,
    },
  };
}

function initReport(line: string, place: EventPlace): ParsedEvent {
  const fields = fieldsOf(line.slice("INIT_REPORT ".length));
  const init = measure(fields.get("Init Duration"), "ms");
  if (init === null) return MALFORMED;
  return {
    kind: "row",
    row: {
      ...emptyRow("init", place),
      init,
      phase: fields.get("Phase") ?? null,
      status: fields.get("Status") ?? null,
      error_type: fields.get("Error Type") ?? null,
    },
  };
}

function restoreReport(line: string, place: EventPlace): ParsedEvent {
  const fields = fieldsOf(line.slice("RESTORE_REPORT ".length));
  const restore = measure(fields.get("Restore Duration"), "ms");
  if (restore === null) return MALFORMED;
  return {
    kind: "row",
    row: {
      ...emptyRow("restore", place),
      restore,
      status: fields.get("Status") ?? null,
      error_type: fields.get("Error Type") ?? null,
    },
  };
}

const KEYS =
  /(?:^|[ \t])(RequestId|Billed Restore Duration|Restore Duration|Billed Duration|Init Duration|Duration|Memory Size|Max Memory Used|Status|Error Type|Phase|XRAY TraceId|SegmentId|Sampled):[ \t]+/g;

/** `Key: value` pairs by tab; a copy in which tabs became spaces is cut at the known keys. */
function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  if (text.includes("\t")) {
    for (const part of text.split("\t")) {
      const colon = part.indexOf(":");
      if (colon > 0) fields.set(part.slice(0, colon).trim(), part.slice(colon + 1).trim());
    }
    return fields;
  }
  const found = [...text.matchAll(KEYS)];
  found.forEach((one, i) => {
    const end = found[i + 1]?.index ?? text.length;
    fields.set(one[1] ?? "", text.slice(one.index + one[0].length, end).trim());
  });
  return fields;
}

/** `12.34 ms` → 12.34; null for another unit or no number. */
function measure(text: string | undefined, unit: "ms" | "MB"): number | null {
  const parts = /^(\d+(?:\.\d+)?) (ms|MB)$/.exec(text ?? "");
  return parts !== null && parts[2] === unit ? Number(parts[1]) : null;
}
