// The report of a run as data: what every output prints and nothing else.
import type { Unit } from "../core/criterion.ts";
import type { ExitCode } from "../core/exit.ts";
import type {
  AlarmState,
  CleanUpEvent,
  CollectedEvent,
  PlanFile,
  Predicted,
} from "../core/facts.ts";
import type { VerdictName } from "../core/verdict.ts";
import type { Window } from "../core/window.ts";
import type { VersionRow } from "./by-version.ts";
import type { ClockOffset } from "./clock-offset.ts";
import type { ColdWave } from "./cold-wave.ts";
import type { CostResult } from "./cost-result.ts";
import type { CrossCheckResult } from "./cross-check.ts";
import type { Drawn } from "./drawn-result.ts";
import type { FrontResult } from "./fronts.ts";
import type { NoticeResult } from "./notices.ts";
import type { OldNew } from "./old-new.ts";
import type { Start } from "./platform-index.ts";
import type { SinkResult } from "./reconcile-result.ts";
import type { RetryAfterResult } from "./retry-after.ts";
import type { Interval } from "./statistics.ts";
import type { TimeSplit } from "./time-split.ts";

/** One criterion, judged. Times are µs, shares 0–1; +∞ = no upper end, null = not known. */
export interface CriterionResult {
  /** Stable: made from the text alone. */
  readonly id: string;
  readonly text: string;
  readonly kind: "sample" | "census" | "ratio";
  /** As written, or true for all when none is marked. */
  readonly primary: boolean;
  readonly window: Window | null;
  readonly verdict: VerdictName;
  readonly n: number;
  /** After the correction for bursts; null where nothing is sampled. */
  readonly nEffective: number | null;
  readonly blocks: number | null;
  readonly unit: Unit;
  readonly estimate: number | null;
  /** Two-sided 95 % interval of the estimate. */
  readonly low: number | null;
  readonly high: number | null;
  readonly limit: number | null;
  /** Percentiles are judged by the share beyond the limit. */
  readonly beyond: {
    readonly count: number;
    readonly share: number;
    readonly allowed: number;
  } | null;
  /** Limit minus the deciding one-sided bound; in shares for percentiles, else in `unit`. */
  readonly margin: number | null;
  /** In plain words; for an undecided criterion what is missing. */
  readonly reason: string;
  /** Samples needed for a decision, null = more samples would not help or none are needed. */
  readonly needs: number | null;
  /** How much longer its window, or else the run, has to last for them at this rate; µs. */
  readonly longerUs: number | null;
}

/** Quantiles of response time; +∞ where unknown answers reach that far. µs. */
export interface LatencyRow {
  readonly load: string;
  readonly arm: string;
  readonly start: Start | "all";
  readonly n: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
  /** Two-sided 95 % intervals by order statistics, corrected for bursts; µs, NaN = no bound. */
  readonly intervals: { readonly [quantile in "p50" | "p95" | "p99"]: Interval };
  /** Median of init durations, cold rows only. */
  readonly initP50: number | null;
}

export interface OutcomeCounts {
  readonly planned: number;
  readonly sent: number;
  readonly dropped: number;
  readonly ok: number;
  readonly throttled: number;
  readonly errored: number;
  readonly unknown: number;
  /** ok, but second best. */
  readonly degraded: number;
  readonly attempts: number;
}

export interface LoadCounts extends OutcomeCounts {
  readonly load: string;
  readonly arm: string;
}

export interface BalanceResult {
  readonly holds: boolean;
  /** Each as a sentence; empty when it holds. */
  readonly problems: readonly string[];
}

export interface FaultResult {
  readonly name: string;
  readonly kind: string;
  readonly resources: readonly string[];
  readonly askedUs: number | null;
  readonly onsetUs: number | null;
  readonly restoreAskedUs: number | null;
  readonly clearedUs: number | null;
  readonly injected: boolean;
  readonly undone: boolean;
  readonly verified: boolean;
  /** `reserved unset → 0 → unset`. */
  readonly change: string;
  /** What undo cannot put back, as declared by the fault; null = nothing is known of. */
  readonly residue: string | null;
  /** The cold starts that its undo caused; null where it replaces no execution environments. */
  readonly coldWave: ColdWave | null;
  /** Set when it is not undone: what holds now, and the command that puts it back. */
  readonly notUndone: { readonly state: string; readonly command: string } | null;
}

export interface GeneratorResult {
  readonly lagP50Us: number;
  readonly lagP99Us: number;
  readonly lagMaxUs: number;
  readonly lagLimitUs: number;
  readonly cpuMax: number | null;
  readonly cpuLimit: number;
  readonly dropped: number;
  readonly droppedLimit: number;
  readonly connectFailures: number;
  /** Longest that the event loop of a sender was busy; null = not recorded. */
  readonly loopMaxUs: number | null;
  /** Connections opened for so many attempts sent. */
  readonly opened: number;
  readonly attempts: number;
  /** Furthest that wall and monotonic clock came apart; null = not recorded. */
  readonly clockStepMs: number | null;
  /** Of the system's clock from the generator's; null = no answer says it. */
  readonly clockOffset: ClockOffset | null;
  /** The machines that sent, in words; empty = not recorded. */
  readonly machines: readonly string[];
}

/** Answers (ok and unknown) by what led to their REPORT line. */
export interface JoinCounts {
  readonly access_log: number;
  /** The answer's own id is REPORT's. */
  readonly request_id: number;
  /** The handler's id in a header of its answer. */
  readonly echo: number;
  readonly trace: number;
  /** Answered by the front itself (no route, a preflight): there is no REPORT line to find. */
  readonly front_alone: number;
  readonly unjoined: number;
}

export interface ThrottleCounts {
  /** Refused attempts by who refused them, as the client (and the access log) saw it. */
  readonly client: { readonly [refuser: string]: number };
  /** Throttles metric by function name; our own probes are taken off. */
  readonly platform: { readonly [name: string]: number };
  /** Refusals of our own probes, by function name. */
  readonly probes: { readonly [name: string]: number };
  /** Why client and platform differ, in words; "" where they cannot be compared. */
  readonly difference: string;
  /** What answers asked their clients to wait; absent where none did. */
  readonly retry_after?: RetryAfterResult;
  /** Attempts that a gateway with an access log should have answered, and its lines about them. */
  readonly logged: { readonly answered: number; readonly lines: number } | null;
}

/** µs of the run; the reason in CloudWatch's words. */
export interface AlarmSeen {
  readonly name: string;
  readonly state: AlarmState;
  readonly atUs: number;
  readonly reason: string;
}

/** Figures of an earlier run, by the text of a criterion; "" = it has none. */
export interface LastGood {
  readonly run: string;
  readonly found: { readonly [text: string]: string };
}

export interface Report {
  readonly dir: string;
  readonly plan: PlanFile;
  readonly verdict: VerdictName;
  /** THE reason, one sentence. */
  readonly reason: string;
  readonly exitCode: ExitCode;
  /** Why nothing can be said about the system; empty for a valid run. */
  readonly invalid: readonly string[];
  readonly criteria: readonly CriterionResult[];
  readonly counts: OutcomeCounts;
  readonly loads: readonly LoadCounts[];
  readonly starts: { readonly [start in Start]: number };
  readonly joins: JoinCounts;
  /** How the reading of the platform's lines ended; null = not recorded, or nothing was read. */
  readonly collected: CollectedEvent | null;
  readonly latencies: readonly LatencyRow[];
  /** By version; empty where there is one only and no criterion asks. */
  readonly versions: readonly VersionRow[];
  /** Null where no answer has a REPORT line. */
  readonly timeSplit: TimeSplit | null;
  /** Absent = no earlier run was named. */
  readonly lastGood?: LastGood;
  /** Null where no capture was replayed. */
  readonly oldNew: OldNew | null;
  /** Null where nothing says what was billed. */
  readonly cost: CostResult | null;
  readonly throttles: ThrottleCounts;
  /** To stand beside the plan's forecast. */
  readonly measured: Omit<Predicted, "service">;
  /** Attempts that errored or are unknown, by reason. */
  readonly errors: { readonly [reason: string]: number };
  /** Arrivals that were dropped, by reason: no attempt was made of them. */
  readonly droppedBy: { readonly [reason: string]: number };
  /** How long the run was observed: to its planned end, or to the stop before it. µs. */
  readonly observedUs: number;
  readonly faults: readonly FaultResult[];
  readonly balance: BalanceResult;
  /** By sink; empty without sinks. */
  readonly reconciliation: readonly SinkResult[];
  readonly generator: GeneratorResult;
  /** Closed loops that another program sent too; empty without any. */
  readonly crossChecks: readonly CrossCheckResult[];
  /** APIs that loads went through and whose own counts were read; empty without any. */
  readonly fronts: readonly FrontResult[];
  /** What was taken out of queues of failures; empty where no load declares it. */
  readonly cleanUps: readonly CleanUpEvent[];
  /** What alarms of `stop-when` were seen in, in time; empty without any. */
  readonly alarms: readonly AlarmSeen[];
  /** Who was told of it by `notify:`, the verdict aside; empty where nobody is to be told. */
  readonly notices: readonly NoticeResult[];
  readonly stopped: string | null;
  readonly drawn: Drawn;
}

/** Pure: the same report gives the same bytes. */
export type Reporter = (report: Report) => string;
