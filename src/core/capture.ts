// The one canonical record of captured traffic: every importer makes it, the replay driver reads
// it.

/**
 * What is known of the request's body. `none`: there was none; `absent`: the capture does not hold
 * it (whether one was sent is not known); `lossy`: text that may differ from the bytes sent.
 */
export type BodyState = "present" | "none" | "absent" | "truncated" | "redacted" | "lossy";

/** `none`: the capture holds no times at all (vegeta targets); such records cannot be scheduled. */
export type StampMeaning = "start" | "end" | "ingest" | "none";

/** One request as it was captured; one line of a canonical NDJSON file, in this order of keys. */
export interface CaptureRecord {
  /** Best estimate of the start, µs since 1970. */
  readonly t_start_us: number;
  /** How far off the stamp may be by its format: 1, 1000 or 1,000,000. */
  readonly t_precision_us: number;
  /** What the stamp in the capture meant. */
  readonly t_meaning: StampMeaning;
  readonly id: string | null;
  /** Pseudonym of the client or connection: equal clients stay equal. */
  readonly session: string | null;
  readonly method: string;
  readonly scheme: string | null;
  /** Without the scheme's default port. */
  readonly host: string | null;
  /** Raw and undecoded, query included; may hold spaces if the client sent them. */
  readonly path: string;
  /** In order, duplicates kept, names in lower case. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body_b64: string | null;
  readonly body_state: BodyState;
  /** What the recorded system answered; null = not in the capture. */
  readonly recorded: RecordedAnswer | null;
  /** `line` counts the format's own unit from 1: lines, HAR entries, GoReplay messages. */
  readonly source: { readonly file: string; readonly line: number };
  /** Where values were replaced by pseudonyms: `query:token`, `header:cookie`, `body:password`. */
  readonly redactions: readonly string[];
}

interface RecordedAnswer {
  readonly status: number | null;
  readonly latency_us: number | null;
  readonly bytes: number | null;
}

/** Methods that ask a server to change something; they are sent only where `writes:` says so. */
export function isMutating(method: string): boolean {
  return method !== "GET" && method !== "HEAD" && method !== "OPTIONS";
}
