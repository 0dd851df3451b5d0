// Builds small run directories for tests: the facts as a run would leave them, from a few lines.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ColumnSource, parquetWriteBuffer } from "hyparquet-writer";
import {
  ATTEMPT_INTS,
  type AttemptInt,
  type MetricPoint,
  type PlanFile,
  type PlannedLoad,
  type PlatformRow,
  type RunEvent,
} from "../../src/core/facts.ts";
import { requestKey } from "../../src/core/ids.ts";
import {
  type Outcome,
  outcomeCode,
  type Reason,
  type Refuser,
  reasonCode,
  refuserCode,
} from "../../src/core/outcome.ts";

/** One attempt in plain terms; what is left out is ordinary. */
export interface AttemptSpec {
  readonly load?: number;
  readonly arm?: number;
  readonly route?: number;
  readonly index: number;
  readonly attempt?: number;
  readonly dueUs: number;
  readonly readyUs?: number;
  readonly lagUs?: number;
  /** done − sent; −1 = never answered. */
  readonly serviceUs?: number;
  readonly outcome?: Outcome;
  readonly refusedBy?: Refuser;
  readonly reason?: Reason;
  readonly degraded?: boolean;
  readonly status?: number;
  readonly requestId?: string;
  /** That the answer named; 0 = $LATEST. */
  readonly version?: number;
  /** Asked by the answer. */
  readonly retryAfterMs?: number;
}

export interface RunSpec {
  readonly plan: PlanFile;
  readonly events: readonly RunEvent[];
  readonly attempts: readonly AttemptSpec[];
  readonly platform?: readonly PlatformRow[];
  readonly metrics?: readonly MetricPoint[];
  /** By load code and index: what the recorded system answered. */
  readonly recorded?: readonly (readonly { readonly status: number; readonly us: number }[])[];
  /** Rows per segment; segments are cut in the order given. */
  readonly segmentRows?: number;
}

/** Writes the directory anew. */
export function writeRun(dir: string, run: RunSpec): void {
  rmSync(dir, { recursive: true, force: true });
  for (const folder of ["events", "attempts", "platform"])
    mkdirSync(join(dir, folder), { recursive: true });
  writeFileSync(join(dir, "plan.json"), `${JSON.stringify(run.plan, null, 1)}\n`);
  writeFileSync(join(dir, "events", "0.jsonl"), jsonLines(run.events));
  if (run.metrics !== undefined) writeFileSync(join(dir, "metrics.jsonl"), jsonLines(run.metrics));
  const rows = run.segmentRows ?? 65_536;
  for (let start = 0, seq = 0; start < run.attempts.length; start += rows, seq++) {
    const bytes = attemptsFile(run.attempts.slice(start, start + rows));
    writeFileSync(join(dir, "attempts", `0-0-${seq}.parquet`), bytes);
  }
  if (run.recorded !== undefined) writeRecordedAnswers(dir, run);
  if (run.platform !== undefined && run.platform.length > 0)
    writeFileSync(join(dir, "platform", "0-0.parquet"), platformFile(run.platform));
}

function writeRecordedAnswers(dir: string, run: RunSpec): void {
  mkdirSync(join(dir, "recorded"), { recursive: true });
  for (const [load, answers] of (run.recorded ?? []).entries()) {
    const columns = {
      index: Int32Array.from(answers.keys()),
      status: Int32Array.from(answers, ({ status }) => status),
      latency_us: Int32Array.from(answers, ({ us }) => us),
    };
    const columnData = Object.entries(columns).map(
      ([name, data]): ColumnSource => ({ name, data, type: "INT32", nullable: false }),
    );
    const bytes = new Uint8Array(parquetWriteBuffer({ columnData, statistics: false }));
    writeFileSync(join(dir, "recorded", `${run.plan.loads[load]!.name}-0.parquet`), bytes);
  }
}

export const jsonLines = (lines: readonly unknown[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join("");

function attemptsFile(attempts: readonly AttemptSpec[]): Uint8Array {
  const baseUs = attempts[0]!.dueUs;
  const ints = attempts.map((attempt) => intsOf(attempt, baseUs));
  const columnData: ColumnSource[] = [
    {
      name: "base",
      data: attempts.map(() => BigInt(baseUs)),
      type: "INT64",
      nullable: false,
    },
    ...ATTEMPT_INTS.map(
      (name): ColumnSource => ({
        name,
        data: Int32Array.from(ints, (row) => row[name]),
        type: "INT32",
        nullable: false,
        encoding: "DELTA_BINARY_PACKED",
      }),
    ),
    {
      name: "request_id",
      data: attempts.map((a) => (a.requestId === undefined ? null : requestKey(a.requestId))),
    },
  ];
  const schema = [
    { name: "root", num_children: columnData.length },
    { name: "base", type: "INT64" as const, repetition_type: "REQUIRED" as const },
    ...ATTEMPT_INTS.map((name) => ({
      name,
      type: "INT32" as const,
      repetition_type: "REQUIRED" as const,
    })),
    {
      name: "request_id",
      type: "FIXED_LEN_BYTE_ARRAY" as const,
      type_length: 16,
      repetition_type: "OPTIONAL" as const,
    },
  ];
  const untyped = columnData.map(({ type: _, nullable: __, ...column }) => column);
  return new Uint8Array(parquetWriteBuffer({ columnData: untyped, schema, statistics: false }));
}

function intsOf(attempt: AttemptSpec, baseUs: number): { [name in AttemptInt]: number } {
  const outcome = attempt.outcome ?? "ok";
  const dropped = outcome === "dropped";
  const serviceUs = attempt.serviceUs ?? 20_000;
  return {
    load: attempt.load ?? 0,
    arm: attempt.arm ?? 0,
    route: attempt.route ?? 0,
    index: attempt.index,
    attempt: dropped ? 0 : (attempt.attempt ?? 1),
    items: 1,
    due_d: attempt.dueUs - baseUs,
    ready_d: dropped ? -1 : (attempt.readyUs ?? attempt.dueUs) - attempt.dueUs,
    sent_d: dropped ? -1 : (attempt.lagUs ?? 100),
    first_d: dropped || serviceUs < 0 ? -1 : serviceUs - 1_000,
    done_d: dropped || serviceUs < 0 ? -1 : 1_000,
    connect: 0,
    tls: 0,
    outcome: outcomeCode(outcome),
    refused_by: refuserCode(attempt.refusedBy ?? ""),
    error: reasonCode(attempt.reason ?? ""),
    degraded: attempt.degraded === true ? 1 : 0,
    status: attempt.status ?? (outcome === "ok" ? 200 : 0),
    bytes_out: 100,
    bytes_in: 200,
    new_connection: 0,
    worker: 0,
    version: attempt.version ?? -1,
    retry_after: attempt.retryAfterMs ?? -1,
  };
}

const TEXTS = [
  ...["kind", "function", "version", "request_id", "front_request_id", "trace_id"],
  ...["status", "error_type", "phase", "stream"],
] as const;
const NUMBERS = ["at", "duration", "billed", "memory", "init", "restore"] as const;

function platformFile(rows: readonly PlatformRow[]): Uint8Array {
  const of = (name: string) => rows.map((row) => row[name as keyof PlatformRow]);
  const columnData: ColumnSource[] = [
    ...TEXTS.map((name): ColumnSource => ({ name, data: of(name), type: "STRING" })),
    ...NUMBERS.map((name): ColumnSource => ({ name, data: of(name), type: "DOUBLE" })),
    { name: "integration_status", data: of("integration_status"), type: "INT32" },
  ];
  return new Uint8Array(parquetWriteBuffer({ columnData, statistics: false }));
}

const BLANK_ROW: PlatformRow = {
  kind: "report",
  function: null,
  version: null,
  request_id: null,
  front_request_id: null,
  trace_id: null,
  at: 0,
  duration: null,
  billed: null,
  memory: null,
  init: null,
  restore: null,
  status: null,
  error_type: null,
  phase: null,
  stream: null,
  integration_status: null,
};

export const platformRow = (row: Partial<PlatformRow>): PlatformRow => ({ ...BLANK_ROW, ...row });

export const EPOCH_MS = Date.UTC(2026, 10, 30, 19, 2, 0);

export function plannedLoad(load: Partial<PlannedLoad> & { readonly name: string }): PlannedLoad {
  return {
    routes: [""],
    planned: 0,
    planned_per_s: [],
    start_us: 0,
    end_us: 10_000_000,
    in_flight_max: 100,
    timeout_us: 3_000_000,
    resend_attempts: 1,
    ...load,
  };
}

/** Fills `planned` and `planned_per_s` of each load from the due times of its first arm. */
export function planFor(
  plan: Partial<PlanFile> & { readonly loads: readonly PlannedLoad[] },
  attempts: readonly AttemptSpec[],
): PlanFile {
  const loads = plan.loads.map((load, code) => {
    const due = new Map<number, number>();
    for (const attempt of attempts)
      if ((attempt.load ?? 0) === code) due.set(attempt.index, attempt.dueUs);
    const perSecond: number[] = [];
    for (const dueUs of due.values()) {
      const second = Math.floor(dueUs / 1e6);
      while (perSecond.length <= second) perSecond.push(0);
      perSecond[second]!++;
    }
    return { ...load, planned: due.size, planned_per_s: perSecond };
  });
  return {
    gatecrash: 1,
    run: "2026-11-30T19-02Z-k4",
    title: "Does it hold?",
    scenario: {
      file: "scenario.yaml",
      variant: null,
      environment: "local",
      blob: "7c1e9f4000000000000000000000000000000000",
      commit: null,
      dirty: null,
    },
    command: ["gatecrash", "run", "."],
    version: "0.1.0",
    seed: 7,
    epoch_ms: EPOCH_MS,
    slices: 1,
    workers: 1,
    phases: [{ name: "before", start_us: 0, end_us: 10_000_000 }],
    arms: [""],
    faults: [],
    functions: {},
    criteria: { accept: [], steady: [], stop_when: [] },
    generator: { lag_p99_us: 20_000, dropped: 0, cpu: 0.9 },
    joins: false,
    quota: { concurrency: 1_000 },
    expect: "pass",
    notes: [],
    ...plan,
    loads,
  };
}

/** start, health once a second, end: the events of an uneventful run. */
export function quietEvents(seconds: number, rows: number, more: readonly RunEvent[] = []) {
  const health = Array.from({ length: seconds }, (_, i): RunEvent => {
    const load = { name: "shopper", sent: 0, in_flight: 3, dropped: 0, ok: 0 };
    return {
      t: (i + 1) * 1e6,
      kind: "health",
      lag_p99_us: 300,
      loop_us: 200,
      cpu: 0.25,
      connect_failures: 0,
      loads: [{ ...load, throttled: 0, errored: 0, unknown: 0 }],
    };
  });
  const events: RunEvent[] = [
    { t: 0, kind: "clock", wall_ms: EPOCH_MS },
    { t: 0, kind: "start", pid: 1 },
    ...health,
    ...more,
    { t: seconds * 1e6, kind: "end", rows: [rows] },
  ];
  return events.sort((a, b) => a.t - b.t);
}
