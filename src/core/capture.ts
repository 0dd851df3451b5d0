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

/** The capture of a replay as it was read: its fidelity table. */
export interface PlannedCapture {
  /** Names without their folders. */
  readonly files: readonly string[];
  readonly format: string;
  /** What is counted: lines, entries, messages. */
  readonly unit: string;
  /** Over time, method and path of each record. */
  readonly sha256: string;
  /** read = replayable + the sum of unreadable. */
  readonly read: number;
  readonly replayable: number;
  readonly unreadable: readonly { readonly reason: string; readonly count: number }[];
  readonly methods: { readonly [method: string]: number };
  readonly stamps: StampMeaning;
  readonly precision_us: number;
  readonly from_ms: number | null;
  readonly to_ms: number | null;
  readonly out_of_order: number;
  /** True when the place within the second is drawn from the seed and not recorded. */
  readonly spread: boolean;
  readonly bodies_expected: number;
  readonly bodies_missing: number;
  /** Records whose answer's status, and whose response time, is known. */
  readonly with_status: number;
  readonly with_time: number;
  readonly redactions: { readonly [place: string]: number };
  readonly notes: readonly string[];
}
