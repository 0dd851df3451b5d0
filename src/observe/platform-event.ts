// One event of a function's log group: where it came from, and what it turned out to be.
import type { PlatformRow } from "../core/facts.ts";

/** Where a log event came from. */
export interface EventPlace {
  readonly function: string | null;
  readonly stream: string | null;
  /** Time stamp of the event, ms since 1970. */
  readonly atMs: number;
}

export type ParsedEvent =
  | { readonly kind: "row"; readonly row: PlatformRow }
  /** Old runtimes: a timeout is a line of its own and the REPORT does not mention it. */
  | { readonly kind: "timeout"; readonly requestId: string }
  /** Begins like a platform line and cannot be read: counted, never guessed at. */
  | { readonly kind: "malformed" }
  /** The application's own line, or a platform line without measures. */
  | { readonly kind: "other" };

export const OTHER: ParsedEvent = { kind: "other" };
export const MALFORMED: ParsedEvent = { kind: "malformed" };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isRequestId = (text: unknown): text is string =>
  typeof text === "string" && UUID.test(text);

/** A row of this kind with nothing measured; the version stands in the stream's name. */
export function emptyRow(kind: PlatformRow["kind"], place: EventPlace): PlatformRow {
  return {
    kind,
    function: place.function,
    version: versionOf(place.stream),
    request_id: null,
    front_request_id: null,
    trace_id: null,
    at: place.atMs,
    duration: null,
    billed: null,
    memory: null,
    init: null,
    restore: null,
    status: null,
    error_type: null,
    phase: null,
    stream: place.stream,
    integration_status: null,
  };
}

/** `2026/09/07/[$LATEST]8f3a…` or `2026/09/07/checkout[12]8f3a…` → `$LATEST`, `12`. */
function versionOf(stream: string | null): string | null {
  return /^\d{4}\/\d\d\/\d\d\/[^[\]]*\[([^\]]+)\]/.exec(stream ?? "")?.[1] ?? null;
}
