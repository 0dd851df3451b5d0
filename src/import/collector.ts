// Takes drafts from a format: redacts, counts, and at the end sorts and spreads them into records.
import type { CaptureRecord, StampMeaning } from "../core/capture.ts";
import { isMutating } from "../core/capture.ts";
import type { Rng } from "../core/rng.ts";
import { US_PER_S } from "../core/time.ts";
import type { SkippedCount } from "./fidelity.ts";
import type { Draft, Sink } from "./format.ts";
import type { Pseudonyms } from "./pseudonyms.ts";
import { isSecretName, type Ledger, type Redactor } from "./redact.ts";
import { offsetsInSecond } from "./stamps.ts";

type Unplaced = { -readonly [key in keyof CaptureRecord]: CaptureRecord[key] } & {
  minusUs?: number;
};

const TEXT_BODY = /json|form-urlencoded|^text\/|xml/i;

export class Collector implements Sink {
  readonly #redactor: Redactor;
  readonly #pseudonyms: Pseudonyms;
  readonly #records: Unplaced[] = [];
  readonly #skipped = new Map<string, { count: number; first: number }>();
  readonly #redactions = new Map<string, number>();
  /** Equal strings and header lists are kept once: a log has few agents and many lines. */
  readonly #shared = new Map<string, CaptureRecord["headers"]>();
  readonly #names = new Map<string, string>();
  #file = "";
  #latestUs = Number.NEGATIVE_INFINITY;
  outOfOrder = 0;
  read = 0;

  constructor(redactor: Redactor, pseudonyms: Pseudonyms) {
    this.#redactor = redactor;
    this.#pseudonyms = pseudonyms;
  }

  startFile(file: string): void {
    this.#file = file;
  }

  skip(reason: string, position: number): void {
    this.read++;
    this.skipMore(reason, 1, position);
  }

  /** Counts records that were read and then left out. */
  skipMore(reason: string, count: number, position: number): void {
    const known = this.#skipped.get(reason);
    if (known === undefined) this.#skipped.set(reason, { count, first: position });
    else known.count += count;
  }

  record(draft: Draft, position: number): void {
    this.read++;
    const ledger: Ledger = { known: draft.redactions ?? [], found: new Set() };
    const path = this.#redactor.path(draft.path, ledger);
    const headers = this.#headers(draft, ledger);
    const body = this.#body(draft, ledger);
    for (const place of ledger.found)
      this.#redactions.set(place, (this.#redactions.get(place) ?? 0) + 1);
    if (draft.t_start_us < this.#latestUs) this.outOfOrder++;
    else this.#latestUs = draft.t_start_us;
    this.#records.push({
      t_start_us: draft.t_start_us,
      t_precision_us: draft.t_precision_us,
      t_meaning: draft.t_meaning,
      id: draft.id,
      session: this.#session(draft),
      method: this.#name(draft.method),
      scheme: draft.scheme === null ? null : this.#name(draft.scheme),
      host: draft.host === null ? null : this.#name(draft.host),
      path,
      headers,
      body_b64: body.text,
      body_state: body.state,
      recorded: draft.recorded,
      source: draft.source ?? { file: this.#file, line: position },
      redactions: ledger.found.size === 0 ? ledger.known : [...ledger.known, ...ledger.found],
      ...(draft.minusUs === 0 ? {} : { minusUs: draft.minusUs }),
    });
  }

  /** Canonical input holds pseudonyms already, which must not change by reading it. */
  #session(draft: Draft): string | null {
    if (draft.client === null || draft.redactions !== undefined) return draft.client;
    return this.#pseudonyms.client(draft.client);
  }

  #headers(draft: Draft, ledger: Ledger): CaptureRecord["headers"] {
    const key = JSON.stringify(draft.headers);
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const before = ledger.found.size;
    const clean = draft.headers.map(
      ([name, value]) => [name, this.#redactor.header(name, value, ledger)] as const,
    );
    const secret = draft.headers.some(([name]) => isSecretName(name));
    // Lists with something redacted are made anew each time, so that the ledger counts each record.
    if (ledger.found.size === before && !secret && this.#shared.size < 100_000)
      this.#shared.set(key, clean);
    return clean;
  }

  #body(draft: Draft, ledger: Ledger): { text: string | null; state: Draft["body_state"] } {
    if (draft.body_b64 === null) return { text: null, state: draft.body_state };
    const type = draft.headers.find(([name]) => name === "content-type")?.[1] ?? "";
    const bytes = Buffer.from(draft.body_b64, "base64");
    const text = bytes.toString("utf8");
    const readable = TEXT_BODY.test(type) || /^\s*[[{]/.test(text);
    if (!readable) return { text: draft.body_b64, state: draft.body_state };
    const clean = this.#redactor.body(text, type, ledger);
    if (clean === text) return { text: draft.body_b64, state: draft.body_state };
    return { text: Buffer.from(clean, "utf8").toString("base64"), state: "redacted" };
  }

  #name(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size < 10_000) this.#names.set(text, text);
    return text;
  }

  /** Ordered by start; equal starts keep the order of the file. */
  placed(rng: Rng): CaptureRecord[] {
    const records = this.#records;
    records.sort((a, b) => a.t_start_us - b.t_start_us);
    spread(records, rng);
    for (const one of records) {
      one.t_start_us -= one.minusUs ?? 0;
      delete one.minusUs;
    }
    return records.sort((a, b) => a.t_start_us - b.t_start_us);
  }

  get skipped(): SkippedCount[] {
    const rows = [...this.#skipped].map(([reason, one]) => ({ reason, ...one }));
    return rows.sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
  }

  get redactions(): { [place: string]: number } {
    return Object.fromEntries([...this.#redactions].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** Gives the requests that share a one-second stamp seeded places within that second. */
function spread(records: Unplaced[], rng: Rng): void {
  let from = 0;
  while (from < records.length) {
    const first = records[from];
    if (first === undefined) return;
    const stamp = first.t_start_us;
    let to = from + 1;
    while (records[to]?.t_start_us === stamp) to++;
    if (first.t_precision_us >= US_PER_S && stamp % US_PER_S === 0) {
      const offsets = offsetsInSecond(to - from, stamp, rng);
      for (let i = from; i < to; i++) {
        const one = records[i];
        if (one !== undefined) one.t_start_us = stamp + (offsets[i - from] ?? 0);
      }
    }
    from = to;
  }
}

/** Methods by count, and how many bodies are expected and missing. */
export function census(records: readonly CaptureRecord[]): {
  methods: { [method: string]: number };
  bodies: { expected: number; missing: number };
  meaning: StampMeaning;
  precisionUs: number;
} {
  const methods: { [method: string]: number } = {};
  const bodies = { expected: 0, missing: 0 };
  let precisionUs = 1;
  for (const one of records) {
    methods[one.method] = (methods[one.method] ?? 0) + 1;
    precisionUs = Math.max(precisionUs, one.t_precision_us);
    if (!isMutating(one.method) || one.method === "DELETE") continue;
    if (one.body_state !== "none") bodies.expected++;
    if (one.body_state === "absent") bodies.missing++;
  }
  return { methods, bodies, meaning: records[0]?.t_meaning ?? "none", precisionUs };
}
