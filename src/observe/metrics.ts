// CloudWatch points of a run: throttles, invocations, concurrency and queues, by whole minutes.
import type { ControlPlane, Json } from "../core/change.ts";
import { AwsFailure } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import type { MetricPoint } from "../core/facts.ts";
import { type Clock, runUs } from "../core/time.ts";
import { functionName } from "./resource-names.ts";

export interface MetricsInput {
  readonly control: ControlPlane;
  /** ARNs, qualified or not: the points are those of the function, all versions together. */
  readonly functions: readonly string[];
  /** The account's own concurrency as well. */
  readonly account: boolean;
  /** Dimensions of API stages whose requests are counted; default none. */
  readonly fronts?: readonly Query["dimensions"][];
  /** Names of queues whose depth is wanted; default none. */
  readonly queues?: readonly string[];
  /** Wall time, ms since 1970; widened to whole minutes. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly waitUs: number;
  readonly clock: Clock;
  /** Unchanged for so long is the end; default 2 s, on AWS rather 90 s (points come late). */
  readonly quietUs?: number;
  /** Ends the waiting: one look more. */
  readonly signal?: AbortSignal;
}

const LAMBDA = "AWS/Lambda";
const SQS = "AWS/SQS";
const API_GATEWAY = "AWS/ApiGateway";
const PERIOD_S = 60;
const MINUTE_MS = 60_000;
const QUIET_US = 2_000_000;
const PAUSE_FIRST_US = 250_000;
const PAUSE_MAX_US = 15_000_000;
/** AWS's most queries per GetMetricData. */
const QUERIES_MAX = 500;
const PAGES_MAX = 1_000;

type Stat = MetricPoint["stat"];
/** Concurrency is a level: adding it up would mean nothing. */
const OF_FUNCTION: readonly (readonly [string, Stat])[] = [
  ["Invocations", "Sum"],
  ["Errors", "Sum"],
  ["Throttles", "Sum"],
  ["ConcurrentExecutions", "Maximum"],
  ["IteratorAge", "Maximum"], // of functions that read a stream; no points elsewhere
];
/** Published for an alias or version that has provisioned concurrency; no points elsewhere. */
const OF_QUALIFIER: readonly (readonly [string, Stat])[] = [
  ["ProvisionedConcurrencySpilloverInvocations", "Sum"],
];
const OF_ACCOUNT: readonly (readonly [string, Stat])[] = [
  ["Invocations", "Sum"],
  ["Throttles", "Sum"],
  ["ConcurrentExecutions", "Maximum"],
  ["UnreservedConcurrentExecutions", "Maximum"],
];

/** A level as well. Without the ones in flight: those are being worked on. */
const OF_QUEUE: readonly (readonly [string, Stat])[] = [
  ["ApproximateNumberOfMessagesVisible", "Maximum"],
];

/** HTTP APIs and REST APIs have names of their own for errors. */
const OF_HTTP_API: readonly (readonly [string, Stat])[] = [
  ...(["Count", "4xx", "5xx"] as const).map((name) => [name, "Sum"] as const),
];
const OF_REST_API: readonly (readonly [string, Stat])[] = [
  ...(["Count", "4XXError", "5XXError"] as const).map((name) => [name, "Sum"] as const),
];

interface Query {
  readonly namespace: string;
  readonly metric: string;
  readonly stat: Stat;
  readonly dimensions: { readonly [name: string]: string };
}

export interface Metered {
  readonly points: readonly MetricPoint[];
  /** The points no longer changed, or the wait was over before. */
  readonly end: "quiet" | "waited";
}

/**
 * Reads until nothing changes or the wait is over. Metrics are sparse: no point means that nothing
 * was invoked in that minute (or is not known yet), never 0. A reading that AWS refused midway is
 * none: the last whole one counts.
 * @throws GatecrashError `aws` when metrics may not be read.
 */
export async function collectMetrics(input: MetricsInput): Promise<Metered> {
  const { clock } = input;
  const queries = queriesOf(input);
  if (queries.length === 0) return { points: [], end: "quiet" };
  const deadlineUs = clock.nowUs() + input.waitUs;
  const quietUs = input.quietUs ?? QUIET_US;
  let before = "";
  let whole: readonly MetricPoint[] = [];
  let changedUs: number = clock.nowUs();
  let pauseUs = PAUSE_FIRST_US;
  for (;;) {
    const { points, complete } = await readPoints(input, queries);
    const nowUs = clock.nowUs();
    const now = JSON.stringify(points);
    if (now !== before || !complete) changedUs = nowUs;
    before = now;
    if (complete) whole = points;
    const quiet = points.length > 0 && nowUs - changedUs >= quietUs;
    if (quiet) return { points, end: "quiet" };
    const isOver = nowUs >= deadlineUs || input.signal?.aborted === true;
    if (isOver) return { points: whole, end: "waited" };
    const quietAtUs = Math.max(changedUs + quietUs, nowUs + PAUSE_FIRST_US);
    const nextUs = Math.min(deadlineUs, quietAtUs, nowUs + pauseUs);
    await clock.sleepUntil(runUs(nextUs), input.signal).catch(() => {}); // one last look
    pauseUs = Math.min(PAUSE_MAX_US, pauseUs * 2);
  }
}

function queriesOf({ functions, account, queues = [], fronts = [] }: MetricsInput): Query[] {
  const of = (
    namespace: string,
    metrics: readonly (readonly [string, Stat])[],
    dimensions: Query["dimensions"],
  ): Query[] => metrics.map(([metric, stat]) => ({ namespace, metric, stat, dimensions }));
  const names = [...new Set(functions.map(functionName))];
  const qualified = [...new Set(functions)].filter((arn) => qualifierOf(arn) !== "");
  return [
    ...names.flatMap((FunctionName) => of(LAMBDA, OF_FUNCTION, { FunctionName })),
    ...qualified.flatMap((arn) => {
      const FunctionName = functionName(arn);
      const Resource = `${FunctionName}:${qualifierOf(arn)}`;
      return of(LAMBDA, OF_QUALIFIER, { FunctionName, Resource });
    }),
    ...(account ? of(LAMBDA, OF_ACCOUNT, {}) : []),
    ...fronts.flatMap((dimensions) =>
      of(API_GATEWAY, "ApiName" in dimensions ? OF_REST_API : OF_HTTP_API, dimensions),
    ),
    ...[...new Set(queues)].flatMap((QueueName) => of(SQS, OF_QUEUE, { QueueName })),
  ];
}

const qualifierOf = (arn: string): string => /:function:[^:]+:([^:]+)$/.exec(arn)?.[1] ?? "";

async function readPoints(
  input: MetricsInput,
  queries: readonly Query[],
): Promise<{ points: MetricPoint[]; complete: boolean }> {
  const points: MetricPoint[] = [];
  let complete = true;
  for (let from = 0; from < queries.length; from += QUERIES_MAX) {
    const some = queries.slice(from, from + QUERIES_MAX);
    let NextToken: string | undefined;
    for (let page = 0; page < PAGES_MAX; page++) {
      const output = await pageOf(input, some, NextToken);
      if (output === null) return { points, complete: false };
      for (const result of listOf(output.MetricDataResults)) {
        if (result.StatusCode === "InternalError") complete = false;
        const query = some[Number(String(result.Id).slice(1))];
        if (query !== undefined) points.push(...pointsOf(query, result));
      }
      const token = output.NextToken;
      if (typeof token !== "string" || token === "" || token === NextToken) break;
      NextToken = token;
    }
  }
  points.sort((a, b) => a.at - b.at || (keyOf(a) < keyOf(b) ? -1 : 1));
  return { points, complete };
}

const keyOf = ({ dimensions, metric }: MetricPoint): string =>
  `${Object.values(dimensions).join(" ")} ${metric}`;

/** Null when the read was refused for its rate: the next round asks again. */
async function pageOf(
  { control, fromMs, toMs }: MetricsInput,
  queries: readonly Query[],
  NextToken: string | undefined,
): Promise<{ readonly [key: string]: unknown } | null> {
  const input: { [key: string]: Json } = {
    // Seconds since 1970; the end is exclusive.
    StartTime: (Math.floor(fromMs / MINUTE_MS) * MINUTE_MS) / 1_000,
    EndTime: (Math.floor(toMs / MINUTE_MS) * MINUTE_MS + MINUTE_MS) / 1_000,
    ScanBy: "TimestampAscending",
    MetricDataQueries: queries.map((query, i) => queryInput(query, i)),
  };
  if (NextToken !== undefined) input.NextToken = NextToken;
  try {
    return await control.call("cloudwatch", "GetMetricData", input);
  } catch (thrown) {
    if (!(thrown instanceof AwsFailure)) throw thrown;
    if (/Throttl|LimitExceeded/.test(thrown.name)) return null;
    throw new GatecrashError("aws", `cannot read metrics: ${thrown.name}`, {
      hint: "the identity for observing needs cloudwatch:GetMetricData",
      cause: thrown,
    });
  }
}

function queryInput({ namespace, metric, stat, dimensions }: Query, i: number): Json {
  const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  const Metric = { Namespace: namespace, MetricName: metric, Dimensions };
  return { Id: `q${i}`, MetricStat: { Metric, Period: PERIOD_S, Stat: stat }, ReturnData: true };
}

function pointsOf(query: Query, result: { readonly [key: string]: unknown }): MetricPoint[] {
  const stamps = Array.isArray(result.Timestamps) ? result.Timestamps : [];
  const values = Array.isArray(result.Values) ? result.Values : [];
  return stamps.map((stamp: unknown, i) => ({
    namespace: query.namespace,
    metric: query.metric,
    dimensions: query.dimensions,
    stat: query.stat,
    period_s: PERIOD_S,
    at: stamp instanceof Date ? stamp.getTime() : Date.parse(String(stamp)),
    value: Number(values[i]),
  }));
}

function listOf(value: unknown): { readonly [key: string]: unknown }[] {
  return Array.isArray(value) ? (value as { readonly [key: string]: unknown }[]) : [];
}
