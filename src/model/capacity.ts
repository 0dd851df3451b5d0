// How much of each resource a load needs, in closed form: concurrency, scaling, streams, pollers.
import { REQUESTS_PER_CONCURRENCY } from "./limits.ts";

/** Little's law: invocations in flight = arrivals per second × their duration. */
export function concurrencyOf(perSecond: number, durationMs: number): number {
  return (perSecond * durationMs) / 1_000;
}

/** AWS's own: new environments a function may get at once; a tenth of it comes back a second. */
export const SCALING_BUCKET = 1_000;

export interface Burst {
  readonly perSecond: number;
  readonly durationMs: number;
  /** Concurrency quota in force. */
  readonly quota: number;
  /** Environments that are warm already. */
  readonly warm: number;
  readonly scalingBucket?: number;
}

export interface BurstNeeds {
  /** Execution environments that would serve it all. */
  readonly needed: number;
  /** New ones, as far as the quota allows. */
  readonly cold: number;
  /** Seconds until the last new one may be made, after the bucket is empty. */
  readonly scalingS: number;
  /** Environments that the quota does not allow, and that as a share of those needed. */
  readonly gap: number;
  readonly gapShare: number;
  /** Requests per second that the quota admits, however short they are: 10 × the quota. */
  readonly rateCeiling: number;
}

/** A load that begins at once. The scaling bucket refills continuously. */
export function burstNeeds(burst: Burst): BurstNeeds {
  const { perSecond, durationMs, quota, warm, scalingBucket = SCALING_BUCKET } = burst;
  const needed = concurrencyOf(perSecond, durationMs);
  const cold = Math.max(0, Math.min(needed, quota) - warm);
  const gap = Math.max(0, needed - quota);
  return {
    needed,
    cold,
    scalingS: Math.max(0, cold - scalingBucket) / (scalingBucket / 10),
    gap,
    gapShare: needed === 0 ? 0 : gap / needed,
    rateCeiling: quota * REQUESTS_PER_CONCURRENCY,
  };
}

/** Provisioned environments for a need: a tenth more, so that a ripple does not spill over. */
export function provisionedFor(needed: number): number {
  return Math.ceil(needed * 1.1 - 1e-9);
}

export interface Split {
  readonly provisioned: number;
  /** On demand, cold at first. */
  readonly spilled: number;
  readonly refused: number;
}

/** How invocations in flight divide among provisioned, on-demand and refused. */
export function splitInFlight(
  inFlight: number,
  limits: { readonly provisioned: number; readonly reserved: number },
): Split {
  const admitted = Math.min(inFlight, limits.reserved);
  const provisioned = Math.min(admitted, limits.provisioned);
  return { provisioned, spilled: admitted - provisioned, refused: inFlight - admitted };
}

export interface Stream {
  readonly eventsPerSecond: number;
  readonly eventBytes: number;
  readonly eventsPerRecord: number;
}

/** A shard takes 1 MB and 1,000 records a second (AWS's quotas). */
const SHARD_BYTES = 1_000_000;
const SHARD_RECORDS = 1_000;

/** Shards by the tighter of bytes and records; `headroom` 0.25 = a quarter more. */
export function shardsFor(stream: Stream, headroom = 0): number {
  const bytes = (stream.eventsPerSecond * stream.eventBytes) / SHARD_BYTES;
  const records = recordsPerSecond(stream) / SHARD_RECORDS;
  return Math.ceil(Math.max(bytes, records) * (1 + headroom) - 1e-9);
}

export function recordsPerSecond(stream: Stream): number {
  return stream.eventsPerSecond / stream.eventsPerRecord;
}

/** Shards so that one consumer each (ParallelizationFactor 1) keeps up with its processor time. */
export function shardsForCpu(eventsPerSecond: number, cpuMsPerEvent: number): number {
  return Math.ceil(eventsPerSecond / (1_000 / cpuMsPerEvent) - 1e-9);
}

export interface StreamBatches {
  readonly invocationsPerSecond: number;
  readonly eventsPerBatch: number;
  readonly recordsPerBatch: number;
  readonly batchBytes: number;
}

/** A poller that hands over what a shard gathers in each batching window. */
export function batchesOf(stream: Stream, shards: number, windowMs: number): StreamBatches {
  const invocationsPerSecond = shards / (windowMs / 1_000);
  const eventsPerBatch = stream.eventsPerSecond / invocationsPerSecond;
  return {
    invocationsPerSecond,
    eventsPerBatch,
    recordsPerBatch: eventsPerBatch / stream.eventsPerRecord,
    batchBytes: eventsPerBatch * stream.eventBytes,
  };
}

/** Consumers that may run at once so that a partner's limit holds; each makes call after call. */
export function consumersFor(partnerPerSecond: number, callMs: number): number {
  return partnerPerSecond / (1_000 / callMs);
}
