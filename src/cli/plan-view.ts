// What a run would be, as data: where, by whom, how much; what it needs, decides, costs, changes.
import { isMutating } from "../core/capture.ts";
import type { PlanFile } from "../core/facts.ts";
import type { Scenario } from "../core/scenario.ts";
import { type CostLine, testCost } from "../model/cost.ts";
import { PRICE_REGION } from "../model/prices.ts";
import { type Pool, readPool } from "../observe/pool.ts";
import { lintScenario } from "../scenario/lint.ts";
import type { LintFinding } from "../scenario/lint-types.ts";
import type { AccountView } from "./account-view.ts";
import { type CheckedAccount, placeOf } from "./check-account.ts";
import { checkCleanUps, cleanedOf } from "./clean-up.ts";
import type { CountedLoad } from "./count-loads.ts";
import { type Egress, egressOf } from "./egress.ts";
import type { Forecast } from "./forecast.ts";
import { frontFindings } from "./front-limits.ts";
import type { Hazard } from "./hazard-text.ts";
import { hazardFindings, hazardsOf } from "./hazards.ts";
import { prospectFindings } from "./lint-plan.ts";
import { checkLogs, logsText } from "./logs-account.ts";
import type { MadePlan } from "./make-plan.ts";
import { muteChange } from "./mute-alarms.ts";
import type { ProbedLoad } from "./plan-probe.ts";
import { closeNotify, tellsOf } from "./plan-tells.ts";
import { type PlannedChange, plannedChanges } from "./planned-changes.ts";
import { type FoundAlarm, findAlarms, quietText } from "./stop-alarms.ts";
import { NO_AWS } from "./system.ts";
import type { System } from "./system-contract.ts";
import { versionFindings } from "./versions.ts";

export interface PlanView {
  readonly plan: Omit<PlanFile, "epoch_ms">;
  readonly place: {
    readonly endpoint: string;
    readonly local: boolean;
    readonly account: string;
    readonly region: string;
    readonly caller: string;
    /** By purpose; empty on local AWS. */
    readonly actors: System["actors"];
    /** From each host to the account; empty on local AWS. */
    readonly proven: readonly string[];
    /** Of another account, and how they are found there; null = of this one, or not read. */
    readonly logs: string | null;
    /** Why it looks like production. */
    readonly signs: readonly string[];
  };
  readonly loads: readonly PlannedSend[];
  readonly forecast: Forecast;
  /** Everything outside that a run would connect to. */
  readonly egress: readonly Egress[];
  readonly account: AccountView;
  readonly pool: Pool;
  /** What all counts are multiplied by here. */
  readonly scale: number;
  readonly join: string;
  /** What `--probe` sent and found; absent = nothing was sent. */
  readonly probed?: readonly ProbedLoad[];
  readonly prospects: MadePlan["prospects"];
  readonly cost: { readonly lines: readonly CostLine[]; readonly priceRegion: string };
  readonly changes: readonly PlannedChange[];
  /** Queues out of which loads take their own failures afterwards. */
  readonly cleanUps: readonly { readonly load: string; readonly queue: string }[];
  /** Alarms of `stop-when` as they are now. */
  readonly alarms: readonly FoundAlarm[];
  readonly hazards: readonly Hazard[];
  /** Who is told what: `webhook 1 → hooks.example: start, fault`. */
  readonly tells: readonly string[];
  readonly findings: readonly LintFinding[];
}

export interface PlannedSend {
  readonly load: string;
  readonly to: string;
  readonly arrivals: number;
  /** At once, in a closed loop: how many arrivals it makes is up to the answers; null = a plan. */
  readonly closed: number | null;
  readonly seconds: number;
  readonly meanPerSecond: number;
  readonly worstPerSecond: number;
  readonly methods: { readonly [method: string]: number };
  readonly writes: number;
  readonly notSent: number;
  readonly attemptsMax: number;
  readonly bodyBytes: number;
}

export interface ViewInput {
  readonly scenario: Scenario;
  readonly system: System;
  readonly made: MadePlan;
  readonly account: AccountView;
  readonly caller: string;
  readonly checked: CheckedAccount;
  /** Wall time. */
  readonly nowMs: number;
}

/** Without an AWS there is nobody to share with. */
const NOBODY: Pool = { members: [], more: 0, unread: [] };

/** Reads the account and the faults' priors; sends and changes nothing. */
export async function planView(input: ViewInput): Promise<PlanView> {
  const { scenario, system, made, account, caller } = input;
  const { plan, counted, forecast, prospects } = made;
  const { endpoint, region, actors } = system;
  const { proven, signs } = input.checked;
  await checkCleanUps(scenario, system);
  const unseen = await checkLogs(scenario, system, input.nowMs);
  const place = { endpoint, local: system.environment === null, account: system.account, region };
  const close = await closeNotify(scenario, system);
  const alarms = await findAlarms(scenario, system);
  const { control } = system;
  const hazards = await hazardsOf({ scenario, counted, control, nowMs: input.nowMs });
  const findings = [
    ...lintScenario(scenario),
    ...unseen.map((message) => ({ line: 1, severity: "warning", message }) as const),
    ...prospectFindings(scenario, prospects),
    ...alarms.flatMap(alarmFindings),
    ...hazardFindings(scenario, hazards),
    ...versionFindings(scenario, plan.versions ?? null),
    ...(await frontFindings(scenario, counted, proven, placeOf(system))),
  ];
  return {
    plan,
    place: {
      ...{ ...place, caller, actors, signs },
      ...{ proven: proven.map(({ text }) => text), logs: logsText(system) },
    },
    loads: counted.map(sendOf),
    ...{ forecast, account, prospects, hazards, scale: scenario.scale },
    pool: endpoint === NO_AWS ? NOBODY : await readPool(system.control, input.nowMs),
    join: joinOf(scenario),
    cost: { lines: costOf(input), priceRegion: PRICE_REGION },
    egress: system.environment === null ? [] : egressOf(scenario, system, process.env, close),
    tells: tellsOf(scenario, system, close),
    changes: [
      ...muteChange(scenario, system, input.nowMs),
      ...(await plannedChanges(scenario, system)),
    ],
    cleanUps: cleanedOf(scenario).map(({ name: load, cleanUp: { queue } }) => ({ load, queue })),
    alarms,
    findings: findings.toSorted((a, b) => a.line - b.line),
  };
}

/** What a run would say of it before it sends anything. */
function alarmFindings({ name, state, reason, missing, place }: FoundAlarm): LintFinding[] {
  const line = place.line ?? 1;
  const ringing = `alarm ${name} is in ALARM (${reason}): a run would be refused`;
  return [
    ...(state === "ALARM" ? [{ line, severity: "error", message: ringing } as const] : []),
    ...(missing === "breaching"
      ? [{ line, severity: "warning", message: quietText(name) } as const]
      : []),
  ];
}

function sendOf({ load, facts, counts, skipped }: CountedLoad): PlannedSend {
  const seconds = (facts.end_us - facts.start_us) / 1e6;
  const { target } = load;
  const writes = Object.entries(counts.methods).filter(([method]) => isMutating(method));
  const sum = (list: readonly number[]): number => list.reduce((total, n) => total + n, 0);
  const to = { http: "url", lambda: "function", kinesis: "stream", sqs: "queue" }[target.kind];
  return {
    load: facts.name,
    to: String((target as { readonly [key: string]: unknown })[to]),
    arrivals: facts.planned,
    closed: facts.closed?.connections ?? null,
    seconds,
    meanPerSecond: facts.planned / seconds,
    worstPerSecond: counts.perSecond.reduce((most, count) => Math.max(most, count), 0),
    methods: counts.methods,
    writes: sum(writes.map(([, count]) => count)),
    notSent: sum(skipped.map(({ count }) => count)),
    attemptsMax: facts.resend_attempts,
    bodyBytes: counts.bodyBytes,
  };
}

/** The rung of the join ladder that the scenario declares; none is tried here. */
function joinOf({ observe, loads }: Scenario): string {
  if (observe.reports.length === 0)
    return "no REPORT lines are read: cold and warm will not be told apart";
  if (loads.every(({ target }) => target.kind === "lambda"))
    return "by the invoke's own request id: cold and warm will be told apart";
  if (observe.accessLog !== null)
    return "by request id through the access log (declared, not tried): cold and warm by attempt";
  const echo = loads.find(({ joinBy }) => typeof joinBy === "object")?.joinBy;
  if (typeof echo === "object")
    return `by the request id that handlers echo in ${echo.header} (declared, not tried)`;
  return "no access log is read: only function URLs and traced REST fronts are joined";
}

/** START, END and REPORT of an invocation, and a line of access log: about so many bytes. */
const LOG_BYTES = 400;
/** An answer's, headers included, where nobody has measured it. */
const ANSWER_BYTES = 4_000;
/** Metrics of a function that are asked for, and how often until they no longer change. */
const METRICS = 5;
const LOOKS = 3;

/** One function for each request is assumed: what it calls in turn is not priced. */
function costOf({ scenario, made, account }: ViewInput): CostLine[] {
  const planned = (kind: string): readonly CountedLoad[] =>
    made.counted.filter(({ load }) => load.target.kind === kind);
  const sum = (list: readonly CountedLoad[], of: (one: CountedLoad) => number): number =>
    list.reduce((total, one) => total + of(one), 0);
  const arrivals = ({ facts }: CountedLoad): number => facts.planned;
  const httpRequests = sum(planned("http"), arrivals);
  const invocations = httpRequests + sum(planned("lambda"), arrivals);
  const records = sum(planned("kinesis"), arrivals);
  const bytes = sum(planned("kinesis"), ({ counts }) => counts.bodyBytes);
  const { metricFunctions, metricAccount, accessLog, queues = {} } = scenario.observe;
  const series = (metricFunctions.length + (metricAccount ? 1 : 0)) * METRICS;
  const metrics = (series + Object.keys(queues).length) * LOOKS;
  const traced = made.counted.filter(({ load }) => load.joinBy === "trace");
  return testCost({
    httpRequests,
    invocations,
    durationMs: made.forecast.serviceMs,
    memoryMb: account.memoryMb,
    // Sent, received and deleted.
    sqsMessages: 3 * sum(planned("sqs"), arrivals),
    kinesisRecords: records,
    recordBytes: records === 0 ? 0 : bytes / records,
    logBytes: invocations * LOG_BYTES * (accessLog === null ? 1 : 2),
    metricsRequested: metrics,
    traces: traced.length === 0 ? null : sum(traced, arrivals),
    answerBytes: invocations * ANSWER_BYTES,
    schedules: scenario.faults.length,
    sinks: scenario.sinks.length,
  });
}
