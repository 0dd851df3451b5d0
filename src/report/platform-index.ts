// What the platform said about each invocation, found by request id: cold or warm, and who refused.
import { requestKey } from "../core/ids.ts";
import { KeyTable } from "../core/key-table.ts";
import { AccessLines } from "./access-lines.ts";
import type { Facts } from "./facts-reader.ts";
import { Codes, grown } from "./growing.ts";
import type { ParquetColumns } from "./parquet-columns.ts";

/** How an invocation began; `unjoined`: no REPORT line was found for the attempt. */
export const STARTS = ["cold", "warm", "provisioned", "unjoined"] as const;
export type Start = (typeof STARTS)[number];
export const COLD = 0;
export const WARM = 1;
export const PROVISIONED = 2;
export const UNJOINED = 3;

/** What led from an attempt to its REPORT line: the front's access log, the id itself, a trace. */
export const JOINS = ["access_log", "request_id", "trace"] as const;
const BY_ACCESS_LOG = 0;
const BY_REQUEST_ID = 1;
const BY_TRACE = 2;

/** In place of a REPORT row: the front's access line says that it asked no function. */
export const FRONT_ALONE = -2;

/** From here down: no REPORT row, but the answer itself named this version of the function. */
const SAID = -3;

const COLUMNS = [
  ...["kind", "function", "version", "request_id", "front_request_id", "at", "duration"],
  ...["init", "restore", "status", "phase", "stream", "integration_status", "trace_id"],
  ...["billed", "memory", "error_type"],
];

/** REPORT rows as columns, and the join from an attempt's request id to its row. */
export class PlatformIndex {
  reports = 0;
  readonly access = new AccessLines();
  /** Wall ms of the log event; handler ms; init or restore ms (NaN = none). By REPORT row. */
  at = new Float64Array(0);
  duration = new Float64Array(0);
  init = new Float64Array(0);
  start = new Uint8Array(0);
  /** Billed ms and MB, NaN = the line does not say. */
  billed = new Float64Array(0);
  memory = new Float64Array(0);
  /** Response latency of the front's access line that led to the row, ms; NaN = not known. */
  frontMs = new Float64Array(0);
  /** Code of JOINS; says something only of rows that an attempt was joined with. */
  joinedBy = new Uint8Array(0);
  functionCode = new Int32Array(0);
  versionCode = new Int32Array(0);
  readonly functions = new Codes();
  readonly versions = new Codes();
  /** Log stream, one per execution environment; −1 = the line does not say. */
  stream = new Int32Array(0);
  #streams = new Codes();
  #provisionedStreams = new Set<number>();
  #invokeInitStreams = new Set<number>();
  #byRequest = new KeyTable();
  #byFront = new KeyTable();
  #byTrace = new KeyTable();
  /** By REPORT row: its trace has other invocations too, so it does not say which was asked. */
  #sharesTrace = new Uint8Array(0);
  #accessKeys = new Uint8Array(0);
  /** By access line: 1 = it names a request of a function. */
  #asked = new Uint8Array(0);

  /**
   * Joins an attempt by its request id with its REPORT row, −1 = none, or FRONT_ALONE: by the
   * access line first, then directly, then as a trace id that one invocation alone has.
   * How is kept in `joinedBy`.
   */
  join(key: Uint8Array): number {
    const line = this.#byFront.get(key, 0);
    if (line >= 0 && this.#asked[line] === 0) return FRONT_ALONE;
    const row = line < 0 ? -1 : this.#byRequest.get(this.#accessKeys, line * 16);
    if (row >= 0) {
      this.joinedBy[row] = BY_ACCESS_LOG;
      this.frontMs[row] = this.access.latencyMs[line]!;
      return row;
    }
    const direct = this.#byRequest.get(key, 0);
    if (direct >= 0) {
      this.joinedBy[direct] = BY_REQUEST_ID;
      return direct;
    }
    const traced = this.#byTrace.get(key, 0);
    if (traced < 0 || this.#sharesTrace[traced] === 1) return -1;
    this.joinedBy[traced] = BY_TRACE;
    return traced;
  }

  /** In place of a REPORT row, for an answer that named its version. */
  saidBy(version: string): number {
    return SAID - this.versions.code(version);
  }

  /** Code of the version that ran, by what `join` or `saidBy` gave; −1 = nobody knows. */
  versionOf(report: number): number {
    if (report >= 0) return this.versionCode[report]!;
    return report <= SAID ? SAID - report : -1;
  }

  /** The access line of an attempt, −1 = none. */
  lineOf(key: Uint8Array): number {
    return this.#byFront.get(key, 0);
  }

  /** Code of STARTS; `report` as `join` gave it. */
  startOf(report: number): number {
    return report < 0 ? UNJOINED : this.start[report]!;
  }

  add(rows: ParquetColumns): void {
    const columns = {
      at: rows.numbers("at"),
      duration: rows.numbers("duration"),
      init: rows.numbers("init"),
      restore: rows.numbers("restore"),
      billed: rows.numbers("billed"),
      memory: rows.numbers("memory"),
      integration: rows.numbers("integration_status"),
    };
    for (let row = 0; row < rows.rows; row++) {
      const kind = rows.text("kind", row);
      if (kind === "access") this.#addAccess(rows, row, columns);
      else if (kind === "report") this.#addReport(rows, row, columns);
      else if (kind === "init") this.#addInit(rows, row);
    }
  }

  #addAccess(
    rows: ParquetColumns,
    row: number,
    {
      integration,
      duration,
      at,
    }: { readonly [name in "integration" | "duration" | "at"]: Float64Array },
  ): void {
    const front = rows.text("front_request_id", row);
    if (front === null) return;
    const request = rows.text("request_id", row);
    const line = this.access.add(
      integration[row]!,
      request !== null,
      rows.text("error_type", row),
      { at: at[row]!, latencyMs: duration[row]! },
    );
    this.#accessKeys = grown(this.#accessKeys, (line + 1) * 16, 0);
    this.#asked = grown(this.#asked, line + 1, 0);
    if (request !== null) {
      this.#accessKeys.set(requestKey(request), line * 16);
      this.#asked[line] = 1;
    }
    this.#byFront.set(requestKey(front), 0, line);
  }

  #addReport(
    rows: ParquetColumns,
    row: number,
    columns: {
      readonly [name in "at" | "duration" | "init" | "restore" | "billed" | "memory"]: Float64Array;
    },
  ): void {
    const at = this.reports++;
    this.#growReports(at + 1);
    this.at[at] = columns.at[row]!;
    this.duration[at] = columns.duration[row]!;
    this.billed[at] = columns.billed[row]!;
    this.memory[at] = columns.memory[row]!;
    const init = columns.init[row]!;
    this.init[at] = Number.isNaN(init) ? columns.restore[row]! : init;
    this.functionCode[at] = this.functions.code(rows.text("function", row));
    this.versionCode[at] = this.versions.code(rows.text("version", row));
    this.stream[at] = this.#streams.code(rows.text("stream", row));
    this.#addTrace(rows.text("trace_id", row), at);
    const id = rows.text("request_id", row);
    if (id === null) return;
    const key = requestKey(id);
    const earlier = this.#byRequest.get(key, 0);
    // A retried asynchronous invoke keeps its id: the first REPORT counts, whatever file it is in.
    if (earlier < 0 || this.#isBefore(at, earlier)) this.#byRequest.set(key, 0, at);
  }

  #addTrace(trace: string | null, at: number): void {
    if (trace === null) return;
    const key = requestKey(trace);
    const other = this.#byTrace.get(key, 0);
    if (other < 0) this.#byTrace.set(key, 0, at);
    else this.#sharesTrace[other] = 1;
  }

  #isBefore(a: number, b: number): boolean {
    if (this.at[a] !== this.at[b]) return this.at[a]! < this.at[b]!;
    return this.duration[a]! < this.duration[b]!;
  }

  /** Provisioned streams say so by an INIT_REPORT of a good init; on demand only bad ones do. */
  #addInit(rows: ParquetColumns, row: number): void {
    const stream = this.#streams.code(rows.text("stream", row));
    const status = rows.text("status", row);
    if (rows.text("phase", row) === "invoke") this.#invokeInitStreams.add(stream);
    else if (status === null || status === "success") this.#provisionedStreams.add(stream);
  }

  /** Tells cold from warm once every line was added. */
  finish(): void {
    // A format without the field says nothing about who answered.
    if (!this.#asked.subarray(0, this.access.length).includes(1)) this.#asked.fill(1);
    const first = new Map<number, number>();
    for (let row = 0; row < this.reports; row++) {
      const stream = this.stream[row]!;
      if (!this.#invokeInitStreams.has(stream)) continue;
      const known = first.get(stream);
      if (known === undefined || this.#isBefore(row, known)) first.set(stream, row);
    }
    for (let row = 0; row < this.reports; row++) {
      const stream = this.stream[row]!;
      const overran = first.get(stream) === row;
      const provisioned = this.#provisionedStreams.has(stream);
      this.start[row] =
        !Number.isNaN(this.init[row]!) || overran ? COLD : provisioned ? PROVISIONED : WARM;
    }
  }

  #growReports(rows: number): void {
    if (this.at.length >= rows) return;
    this.at = grown(this.at, rows, 0);
    this.duration = grown(this.duration, rows, 0);
    this.init = grown(this.init, rows, 0);
    this.billed = grown(this.billed, rows, Number.NaN);
    this.memory = grown(this.memory, rows, Number.NaN);
    this.frontMs = grown(this.frontMs, rows, Number.NaN);
    this.start = grown(this.start, rows, WARM);
    this.joinedBy = grown(this.joinedBy, rows, BY_ACCESS_LOG);
    this.#sharesTrace = grown(this.#sharesTrace, rows, 0);
    this.functionCode = grown(this.functionCode, rows, -1);
    this.versionCode = grown(this.versionCode, rows, -1);
    this.stream = grown(this.stream, rows, -1);
  }
}

export async function readPlatform(facts: Facts): Promise<PlatformIndex> {
  const index = new PlatformIndex();
  for await (const rows of facts.platform(COLUMNS)) index.add(rows);
  index.finish();
  return index;
}
