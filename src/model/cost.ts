// What a month or a test costs at list price; every term is a count times a price of prices.ts.
import { PRICES } from "./prices.ts";

/** AWS bills a month as 730 hours. */
export const HOURS_PER_MONTH = 730;
const SECONDS_PER_HOUR = 3_600;
export const SECONDS_PER_MONTH = HOURS_PER_MONTH * SECONDS_PER_HOUR;

const PUT_UNIT_BYTES = 25_000;
const FIREHOSE_STEP_BYTES = 5_000;
const BYTES_PER_GB = 1e9;

/** Lambda on demand: requests and billed duration. */
export function lambdaUsd(requests: number, durationMs: number, memoryMb: number): number {
  const gbSeconds = (durationMs / 1_000) * (memoryMb / 1_024);
  return requests * (PRICES.lambdaRequest.usd + gbSeconds * PRICES.lambdaGbSecond.usd);
}

/** Provisioned concurrency that is kept, whether used or not. */
export function provisionedUsd(environments: number, memoryMb: number, hours: number): number {
  const gb = environments * (memoryMb / 1_024);
  return gb * hours * SECONDS_PER_HOUR * PRICES.provisionedGbSecond.usd;
}

/** A provisioned stream: its shards by the hour, and a PUT unit for each 25 KB of a record. */
export function kinesisUsd(
  shards: number,
  hours: number,
  records: number,
  recordBytes: number,
): number {
  const units = records * Math.max(1, Math.ceil(recordBytes / PUT_UNIT_BYTES));
  return shards * hours * PRICES.kinesisShardHour.usd + units * PRICES.kinesisPutUnit.usd;
}

/** An on-demand stream: bytes in, and bytes out for each consumer. */
export function kinesisOnDemandUsd(bytes: number, consumers: number): number {
  const perGb = PRICES.kinesisOnDemandInGb.usd + consumers * PRICES.kinesisOnDemandOutGb.usd;
  return (bytes / BYTES_PER_GB) * perGb;
}

/** Firehose bills each record rounded up to 5 KB. */
export function firehoseUsd(records: number, recordBytes: number): number {
  const billed = Math.ceil(recordBytes / FIREHOSE_STEP_BYTES) * FIREHOSE_STEP_BYTES;
  return ((records * billed) / BYTES_PER_GB) * PRICES.firehoseGb.usd;
}

/** DynamoDB on demand; a transactional write costs two units per KB. */
export function dynamoWriteUsd(writeUnits: number): number {
  return writeUnits * PRICES.dynamoWriteUnit.usd;
}

/** What a test does to the bill of the account it runs in; counts only, nothing measured. */
export interface TestUse {
  readonly httpRequests: number;
  readonly invocations: number;
  /** Billed duration of one invocation; null = not known. */
  readonly durationMs: number | null;
  readonly memoryMb: number | null;
  readonly sqsMessages: number;
  readonly kinesisRecords: number;
  readonly recordBytes: number;
  readonly logBytes: number;
  readonly metricsRequested: number;
  /** Of requests that ask to be traced; null = nobody knows which functions trace. */
  readonly traces: number | null;
  /** Of HTTP and Invoke, to wherever the load comes from. */
  readonly answerBytes: number;
  /** Schedules that may go off: one for each change that a fault leaves to a dead-man. */
  readonly schedules: number;
  readonly sinks: number;
}

export interface CostLine {
  readonly what: string;
  /** null = not priced, and `what` says why. */
  readonly usd: number | null;
}

/** Lines of what is priced, zero ones left out, and what could not be priced. */
export function testCost(use: TestUse): CostLine[] {
  const { invocations, durationMs, memoryMb } = use;
  const known = durationMs !== null && memoryMb !== null;
  const lines: CostLine[] = [
    { what: "gateway (HTTP API)", usd: use.httpRequests * PRICES.httpApiRequest.usd },
    { what: "function requests", usd: invocations * PRICES.lambdaRequest.usd },
    ...(known
      ? [
          {
            what: "function time",
            usd: lambdaUsd(invocations, durationMs, memoryMb) - requests(invocations),
          },
        ]
      : []),
    { what: "queue messages", usd: use.sqsMessages * PRICES.sqsRequest.usd },
    { what: "stream records", usd: kinesisUsd(0, 0, use.kinesisRecords, use.recordBytes) },
    { what: "logs", usd: (use.logBytes / BYTES_PER_GB) * PRICES.logsGb.usd },
    { what: "tracing", usd: (use.traces ?? 0) * PRICES.traceRecorded.usd },
    { what: "data out", usd: (use.answerBytes / BYTES_PER_GB) * PRICES.dataOutGb.usd },
    { what: "scheduler, at most", usd: use.schedules * PRICES.scheduledInvocation.usd },
    { what: "metrics read", usd: use.metricsRequested * PRICES.metricRequested.usd },
  ];
  const open = [
    ...(known || invocations === 0 ? [] : ["function time (its duration is not known)"]),
    ...(use.traces === null ? ["tracing where it is active"] : []),
    ...(use.sinks === 0 ? [] : ["reading the sinks"]),
    "what the functions call",
  ];
  return [...lines.filter(({ usd }) => usd !== 0), ...open.map((what) => ({ what, usd: null }))];
}

const requests = (count: number): number => count * PRICES.lambdaRequest.usd;
