// One pass over the attempts of a run: arrivals, the generator's lag, refusals, and rows for the
// balance.
import { GatecrashError } from "../core/error.ts";
import type { PlanFile } from "../core/facts.ts";
import { OUTCOMES, outcomeCode, REASONS, REFUSERS } from "../core/outcome.ts";
import { actedBy } from "./acted.ts";
import { ArrivalTable, NEVER, UNSEEN } from "./arrival-table.ts";
import { type AttemptChunk, attemptChunk } from "./attempt-chunk.ts";
import { addUse, type BilledUse, noUse } from "./billed-use.ts";
import { type ClockOffset, ClockOffsets } from "./clock-offset.ts";
import { ExactValues } from "./exact-values.ts";
import type { Facts } from "./facts-reader.ts";
import { type FrontCount, FrontCounts } from "./front-counts.ts";
import type { ParquetColumns } from "./parquet-columns.ts";
import { type PlatformIndex, readPlatform } from "./platform-index.ts";
import { type RecordedAnswers, readRecorded } from "./recorded-answers.ts";
import { refineRefusals } from "./refine-refusals.ts";
import { type RetryAfterResult, RetryAfters } from "./retry-after.ts";

/** Everything that judging needs, in memory. */
export interface Tables {
  readonly plan: PlanFile;
  /** One per load and arm, loads first. */
  readonly arrivals: readonly ArrivalTable[];
  /** Per segment; null unless `keepAttempts` was asked for. */
  readonly attempts: readonly AttemptChunk[] | null;
  readonly platform: PlatformIndex;
  /** What was billed, by position in `arrivals`. */
  readonly used: readonly BilledUse[];
  /** By load code: what the recorded system answered; null = nothing was replayed. */
  readonly recorded: readonly (RecordedAnswers | null)[];
  /** sent − ready of every attempt. */
  readonly lag: ExactValues;
  readonly rows: number;
  /** Connections that were opened for attempts. */
  readonly opened: number;
  /** Attempts by who refused them (REFUSERS), and by why they did not end well (REASONS). */
  readonly refusals: readonly number[];
  readonly reasons: readonly number[];
  /** Arrivals that were never sent, by why (REASONS): no attempt was made of them. */
  readonly unsent: readonly number[];
  /** Null where no answer was joined with a line of the system's. */
  readonly clockOffset: ClockOffset | null;
  /** By load code: attempts that were answered, and the access lines that they have. */
  readonly logged: readonly Logged[];
  /** What went through each of the plan's fronts. */
  readonly fronts: readonly FrontCount[];
  /** What answers asked their clients to wait; null where none did. */
  readonly retryAfter: RetryAfterResult | null;
  /** Attempts by HTTP status; 0 = no answer. */
  readonly statuses: ReadonlyMap<number, number>;
}

interface Logged {
  answered: number;
  lines: number;
}

const COLUMNS = [
  ...["base", "load", "arm", "route", "index", "attempt", "due_d", "ready_d", "sent_d"],
  ...["first_d", "done_d", "outcome", "refused_by", "error", "degraded", "status", "version"],
  "new_connection",
  "retry_after",
];
const DROPPED = outcomeCode("dropped");
const UNKNOWN = outcomeCode("unknown");
const RESPONSE_MAX_US = 2 ** 31 - 1;

/** Reads attempts and platform lines of a run. `keepAttempts` for measures of single attempts. */
export async function readTables(facts: Facts, keepAttempts: boolean): Promise<Tables> {
  const { plan } = facts;
  const arms = Math.max(1, plan.arms.length);
  const arrivals = plan.loads.flatMap((load, code) =>
    Array.from({ length: arms }, (_, arm) => new ArrivalTable(code, arm, load.planned)),
  );
  const platform = await readPlatform(facts);
  const attempts: AttemptChunk[] = [];
  const used = arrivals.map(noUse);
  const logged = plan.loads.map((): Logged => ({ answered: 0, lines: 0 }));
  const totals = {
    lag: new ExactValues(),
    refusals: new Array<number>(REFUSERS.length).fill(0),
    reasons: new Array<number>(REASONS.length).fill(0),
    unsent: new Array<number>(REASONS.length).fill(0),
    rows: 0,
    opened: 0,
  };
  const statuses = new Float64Array(1_000);
  const fronts = new FrontCounts(plan);
  const retryAfters = new RetryAfters();
  const clocks = new ClockOffsets();
  const joins = facts.hasPlatform;
  for await (const segment of facts.attempts(joins ? [...COLUMNS, "request_id"] : COLUMNS)) {
    const chunk = attemptChunk(segment, platform, joins);
    if (joins) refineRefusals(chunk, segment.ints("status"), platform.access);
    fold(segment, chunk, arrivals, arms);
    if (joins) addBilled(chunk, platform, used, arms);
    if (joins) clocks.add(chunk, platform, plan.epoch_ms);
    if (joins) countLogged(segment, chunk, platform, logged);
    count(chunk, totals);
    for (const opened of segment.ints("new_connection")) totals.opened += opened;
    if (segment.has("retry_after")) {
      const waits = segment.ints("retry_after");
      retryAfters.add(chunk, waits, segment.ints("status"), segment.ints("index"));
    }
    fronts.add(chunk, segment.ints("status"));
    countStatuses(segment, chunk, statuses);
    if (keepAttempts) attempts.push(chunk);
  }
  const kept = keepAttempts ? attempts : null;
  const recorded = await readRecorded(facts);
  const rest = {
    recorded,
    logged,
    fronts: fronts.counts,
    retryAfter: retryAfters.result(),
    clockOffset: clocks.result(),
    attempts: kept,
    statuses: byStatus(statuses),
  };
  return { plan, arrivals, platform, used, ...rest, ...totals };
}

function fold(
  segment: ParquetColumns,
  chunk: AttemptChunk,
  arrivals: readonly ArrivalTable[],
  arms: number,
): void {
  const index = segment.ints("index");
  const attempt = segment.ints("attempt");
  const degraded = segment.ints("degraded");
  const status = segment.ints("status");
  for (let row = 0; row < chunk.rows; row++) {
    const table = arrivals[chunk.load[row]! * arms + chunk.arm[row]!];
    const i = index[row]!;
    if (table === undefined || chunk.arm[row]! >= arms || i < 0) throw unknownCode(segment, row);
    if (i >= table.length) table.reach(i);
    const number = attempt[row]!;
    table.rows[i]!++;
    const acted = actedBy(chunk.outcome[row]!, chunk.refusedBy[row]!, chunk.reason[row]!);
    if (acted > table.acted[i]!) table.acted[i] = acted;
    if (table.outcome[i] !== UNSEEN && number <= table.last[i]!) continue;
    table.last[i] = number;
    table.dueUs[i] = chunk.dueUs[row]!;
    table.outcome[i] = chunk.outcome[row]!;
    table.refusedBy[i] = chunk.refusedBy[row]!;
    table.degraded[i] = degraded[row]!;
    table.status[i] = Math.max(0, status[row]!);
    table.route[i] = chunk.route[row]!;
    table.report[i] = chunk.report === null ? -1 : chunk.report[row]!;
    const doneUs = chunk.doneUs[row]!;
    table.responseUs[i] =
      doneUs < 0 || chunk.outcome[row]! >= UNKNOWN
        ? NEVER
        : Math.min(RESPONSE_MAX_US, Math.max(0, doneUs - chunk.dueUs[row]!));
  }
}

function addBilled(
  chunk: AttemptChunk,
  platform: PlatformIndex,
  used: readonly BilledUse[],
  arms: number,
): void {
  for (let row = 0; row < chunk.rows; row++) {
    const use = used[chunk.load[row]! * arms + chunk.arm[row]!];
    if (use !== undefined && chunk.sentUs[row]! >= 0) addUse(use, platform, chunk, row);
  }
}

function count(
  chunk: AttemptChunk,
  totals: {
    lag: ExactValues;
    refusals: number[];
    reasons: number[];
    unsent: number[];
    rows: number;
  },
): void {
  totals.rows += chunk.rows;
  for (let row = 0; row < chunk.rows; row++) {
    if (chunk.outcome[row] === DROPPED) {
      totals.unsent[chunk.reason[row]!]!++;
      continue;
    }
    totals.refusals[chunk.refusedBy[row]!]!++;
    totals.reasons[chunk.reason[row]!]!++;
    if (chunk.sentUs[row]! >= 0) totals.lag.add(chunk.lagUs[row]!);
  }
}

function countLogged(
  segment: ParquetColumns,
  { load, line, rows }: AttemptChunk,
  { access }: PlatformIndex,
  logged: readonly Logged[],
): void {
  const status = segment.ints("status");
  for (let row = 0; row < rows; row++) {
    const counts = logged[load[row]!];
    if (counts === undefined || status[row]! <= 0) continue;
    counts.answered++;
    if (line !== null && line[row]! >= 0 && access.isNew(line[row]!)) counts.lines++;
  }
}

/** Statuses have three digits; whatever else stands there counts as none. */
function countStatuses(segment: ParquetColumns, chunk: AttemptChunk, counts: Float64Array): void {
  const status = segment.ints("status");
  for (let row = 0; row < chunk.rows; row++) {
    const code = status[row]!;
    if (chunk.outcome[row] !== DROPPED) counts[code > 0 && code < counts.length ? code : 0]!++;
  }
}

function byStatus(counts: Float64Array): Map<number, number> {
  const seen = Array.from(counts, (count, status) => [status, count] as const);
  return new Map(seen.filter(([, count]) => count > 0));
}

function unknownCode(segment: ParquetColumns, row: number): GatecrashError {
  const load = segment.ints("load")[row];
  const arm = segment.ints("arm")[row];
  const what = `row ${row} is of load ${load}, arm ${arm}, which plan.json does not list`;
  return new GatecrashError("facts", `${segment.file}: ${what}`, {
    hint: `known outcomes are ${OUTCOMES.join(", ")}; is this segment from another run?`,
  });
}
