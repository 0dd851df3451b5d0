// Lambda's JSON log format: platform.report, platform.initReport, platform.restoreReport.
import {
  type EventPlace,
  emptyRow,
  isRequestId,
  MALFORMED,
  OTHER,
  type ParsedEvent,
} from "./platform-event.ts";

type Fields = { readonly [name: string]: unknown };

const MEASURED = /^\s*\{\s*"(?:time|type|record)".*"type"\s*:\s*"platform\.\w*[rR]eport"/;
const TYPES: readonly string[] = [
  "platform.report",
  "platform.initReport",
  "platform.restoreReport",
];

/**
 * Only objects with `time`, `type` and `record` are the platform's; an application's JSON that has
 * a type, or a request id, or measures, is its own.
 */
export function jsonReport(message: string, place: EventPlace): ParsedEvent {
  // Most lines are the application's: parsing them all would cost more than all the rest.
  if (!message.includes('"platform.')) return OTHER;
  const value = parsed(message);
  if (value === undefined) return MEASURED.test(message) ? MALFORMED : OTHER;
  if (!isFields(value)) return OTHER;
  const { time, type, record } = value;
  if (typeof time !== "string" || typeof type !== "string" || !TYPES.includes(type)) return OTHER;
  if (!isFields(record)) return MALFORMED;
  const metrics = isFields(record.metrics) ? record.metrics : {};
  if (type === "platform.report") return reportOf(record, metrics, place);
  const duration = number(metrics.durationMs);
  if (duration === null) return MALFORMED;
  const common = { status: text(record.status), error_type: text(record.errorType) };
  const row =
    type === "platform.initReport"
      ? { ...emptyRow("init", place), ...common, init: duration, phase: text(record.phase) }
      : { ...emptyRow("restore", place), ...common, restore: duration };
  return { kind: "row", row };
}

function reportOf(record: Fields, metrics: Fields, place: EventPlace): ParsedEvent {
  const requestId = record.requestId;
  const duration = number(metrics.durationMs);
  if (!isRequestId(requestId) || duration === null) return MALFORMED;
  const tracing = isFields(record.tracing) ? record.tracing : {};
  return {
    kind: "row",
    row: {
      ...emptyRow("report", place),
      request_id: requestId,
      trace_id: rootOf(text(tracing.value)),
      duration,
      billed: number(metrics.billedDurationMs),
      memory: number(metrics.memorySizeMB),
      init: number(metrics.initDurationMs),
      restore: number(metrics.restoreDurationMs),
      status: text(record.status),
      error_type: text(record.errorType),
    },
  };
}

/** `Root=1-66aa…;Parent=…;Sampled=1` → the trace id, as the text format prints it. */
function rootOf(value: string | null): string | null {
  return /(?:^|;)Root=([^;]+)/.exec(value ?? "")?.[1] ?? value;
}

function parsed(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const number = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;
const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
