// One batch of a stream until it is done or given up: retries, bisecting, ages, partial failures.
import { type Clock, runUs, US_PER_MS } from "../../core/time.ts";
import type { InvokeOutcome } from "../function-host.ts";
import type { Stream } from "../kinesis/stream.ts";
import { eventOf, type Waiting } from "./kinesis-event.ts";
import { failureBody, type GivenUp } from "./kinesis-failure.ts";
import { firstFailed } from "./kinesis-response.ts";
import type { KinesisMappingDeps, KinesisMappingSpec } from "./kinesis-spec.ts";

export interface Delivery {
  readonly spec: KinesisMappingSpec;
  readonly deps: KinesisMappingDeps;
  readonly stream: Stream;
  readonly signal: AbortSignal;
  /** The records are done with: processed, given up, or expired. In their order. */
  settled(records: readonly Waiting[]): void;
  result(text: string): void;
}

/** Back-off doubles from the first to the last; AWS gives no numbers. */
const BACKOFF_FIRST_MS = 200;
const BACKOFF_MAX_MS = 10_000;
const MS_PER_HOUR = 3_600_000;

export const OK = "OK";
export const PROBLEM = "PROBLEM: Function call failed";

/**
 * A table of what follows an attempt:
 *
 * | answer | retries counted | next |
 * |---|---|---|
 * | done | – | settled |
 * | throttled, or the function is gone | no | the same records again |
 * | items failed from i > 0 on | anew | the first i are settled, the rest again |
 * | error, or the first item failed | yes, unless split | halves with `bisect`, or the same |
 */
export async function deliver(batch: readonly Waiting[], to: Delivery): Promise<void> {
  let left = batch;
  let failures = 0;
  let invokes = 0;
  let waitMs = BACKOFF_FIRST_MS;
  let last: InvokeOutcome | null = null;
  for (;;) {
    left = withoutOld(left, to, invokes, last);
    if (left.length === 0) return;
    const outcome = await attempt(left, to);
    const throttled = outcome.kind === "throttled" || outcome.kind === "not-found";
    const done = throttled ? 0 : doneOf(outcome, left, to.spec);
    if (done === left.length) return settle(left, to, OK);
    if (!throttled) {
      last = outcome;
      invokes++;
      to.result(PROBLEM);
      if (done > 0) {
        to.settled(left.slice(0, done));
        left = left.slice(done);
        [failures, invokes, waitMs] = [0, 0, BACKOFF_FIRST_MS];
        continue;
      }
      if (to.spec.bisect && left.length > 1) return deliverHalves(left, to);
      failures++;
      if (to.spec.retriesMax !== -1 && failures > to.spec.retriesMax)
        return giveUp(left, to, "RetryAttemptsExhausted", invokes, outcome);
    }
    await sleep(to.deps.clock, waitMs, to.signal);
    waitMs = Math.min(BACKOFF_MAX_MS, waitMs * 2);
  }
}

/** Splitting counts as no retry, so each half begins anew; the first is done before the second. */
async function deliverHalves(batch: readonly Waiting[], to: Delivery): Promise<void> {
  const half = Math.ceil(batch.length / 2);
  await deliver(batch.slice(0, half), to);
  await deliver(batch.slice(half), to);
}

function attempt(batch: readonly Waiting[], { spec, deps, signal }: Delivery) {
  signal.throwIfAborted();
  const newest = batch.at(-1)!.record.arrivedEpochMs;
  deps.iteratorAge(spec.functionName, Math.max(0, deps.clock.wallMs() - newest));
  return deps.invoke(spec.functionName, eventOf(batch));
}

/** Records at the front of the batch that are done. */
function doneOf(outcome: InvokeOutcome, batch: readonly Waiting[], spec: KinesisMappingSpec) {
  if (outcome.kind !== "ok") return 0;
  return spec.reportFailures ? (firstFailed(outcome.payload, batch) ?? 0) : batch.length;
}

function settle(batch: readonly Waiting[], to: Delivery, result: string): void {
  to.result(result);
  to.settled(batch);
}

/** Too old for the mapping: said to the destination. Expired in the stream: said to nobody. */
function withoutOld(
  batch: readonly Waiting[],
  to: Delivery,
  invokes: number,
  outcome: InvokeOutcome | null,
): readonly Waiting[] {
  const nowMs = to.deps.clock.wallMs();
  const { recordAgeMaxS } = to.spec;
  const olderThan = (ageMs: number): number => {
    const fresh = batch.findIndex(({ record }) => nowMs - record.arrivedEpochMs <= ageMs);
    return fresh === -1 ? batch.length : fresh;
  };
  const expired = olderThan(to.stream.settings.retentionHours * MS_PER_HOUR);
  const old = recordAgeMaxS === -1 ? expired : Math.max(expired, olderThan(recordAgeMaxS * 1_000));
  if (expired > 0) to.settled(batch.slice(0, expired));
  if (old > expired) giveUp(batch.slice(expired, old), to, "RecordAgeExceeded", invokes, outcome);
  return old === 0 ? batch : batch.slice(old);
}

function giveUp(
  batch: readonly Waiting[],
  to: Delivery,
  condition: GivenUp,
  invokes: number,
  outcome: InvokeOutcome | null,
): void {
  const { spec, deps } = to;
  if (spec.onFailure !== null)
    deps.send(
      spec.onFailure,
      failureBody(batch, {
        condition,
        functionArn: deps.functionArn(spec.functionName),
        streamArn: spec.streamArn,
        invokes,
        outcome,
        atEpochMs: deps.clock.wallMs(),
      }),
    );
  to.settled(batch);
}

const sleep = (clock: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  clock.sleepUntil(runUs(clock.nowUs() + ms * US_PER_MS), signal);
