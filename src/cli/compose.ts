// The lists: which drivers, targets and faults there are, and how each is made from its part of a
// scenario.
import { identityOf, SHELL } from "../aws/identity.ts";
import type { Arrival, BatchTarget, Driver, FormBatches, Target } from "../core/arrival.ts";
import type { PlannedCapture } from "../core/capture.ts";
import type { Fault } from "../core/change.ts";
import { GatecrashError, messageOf } from "../core/error.ts";
import { type Rng, seededRng } from "../core/rng.ts";
import type { DriverSpec, FaultSpec, Load, TargetSpec } from "../core/scenario.ts";
import type { Clock } from "../core/time.ts";
import { burst } from "../drivers/burst.ts";
import { withDuplicates } from "../drivers/duplicates.ts";
import { PUT_RECORDS, putRecords } from "../drivers/put-records.ts";
import { rate } from "../drivers/rate.ts";
import { recordedMs } from "../drivers/recorded.ts";
import { replay } from "../drivers/replay.ts";
import { saturate } from "../drivers/saturate.ts";
import { sendMessages } from "../drivers/send-messages.ts";
import { eventSource } from "../faults/event-source.ts";
import { forceRetries } from "../faults/force-retries.ts";
import { recycleEnvironments } from "../faults/recycle-environments.ts";
import { reservedConcurrency } from "../faults/reserved-concurrency.ts";
import { slowDependency } from "../faults/slow-dependency.ts";
import { importCapture } from "../import/capture.ts";
import { kinesisStreamTarget } from "../targets/kinesis-stream.ts";
import { lambdaTarget } from "../targets/lambda-invoke.ts";
import { sqsQueueTarget } from "../targets/sqs-queue.ts";
import { makeHttpTarget } from "./http-load.ts";
import { type AwsPlace, userAgentOf } from "./load-place.ts";
import { plannedCapture } from "./planned-capture.ts";

/** A driver, and what of the capture it will not send. */
export interface ComposedDriver extends Driver {
  readonly skipped?: readonly { readonly reason: string; readonly count: number }[];
  /** Recorded service time by route code; null = the capture does not say. */
  readonly recordedMs?: () => readonly number[] | null;
  /** What it replays. */
  readonly capture?: () => PlannedCapture;
}

type MakeDriver = (load: Load, rng: Rng, epochMs: number) => Promise<ComposedDriver>;

const DRIVERS: { readonly [kind in DriverSpec["kind"]]?: MakeDriver } = {
  replay: async (load, rng, epochMs) => {
    if (load.driver.kind !== "replay") throw new Error("not a replay");
    const { file } = load.driver;
    const { records, fidelity } = await importCapture({ file, rng: rng.fork("import") });
    return {
      ...(await replay(load, records, rng, epochMs)),
      recordedMs: () => recordedMs(load, records),
      capture: () => plannedCapture(fidelity, records),
    };
  },
  rate: async (load, rng, epochMs) => rate(load, rng, epochMs),
  burst: async (load, rng, epochMs) => burst(load, rng, epochMs),
  saturate: async (load, rng, epochMs) => saturate(load, rng, epochMs),
};

/** The same seed gives the same arrivals, in every thread that makes them. */
export async function makeDriver(
  load: Load,
  seed: number,
  epochMs: number,
): Promise<ComposedDriver> {
  const make = DRIVERS[load.driver.kind];
  if (make === undefined) throw notYet(load, load.driver.kind);
  const rng = seededRng(seed, `load/${load.name}`);
  const driver = withDuplicates(await make(load, rng, epochMs), load.duplicates ?? 0, rng);
  const form = formOf(load);
  return form === null ? driver : { ...driver, arrivals: () => unpacked(form, driver) };
}

/** The same arrivals, read through their calls: what no call may carry is said before the start. */
function* unpacked(form: FormBatches, driver: Driver): Generator<Arrival> {
  for (const { arrivals } of form(driver.arrivals())) yield* arrivals;
}

/** How a batch target's records are put into calls; null for all other targets. */
function formOf({ target, inFlightMax }: Load): FormBatches | null {
  if (target.kind === "sqs") return sendMessages(target.lingerUs);
  if (target.kind !== "kinesis") return null;
  const { lingerUs, recordBytesMax } = target;
  const { callBytesMax } = PUT_RECORDS;
  const recordsMax = Math.min(target.recordsMax, inFlightMax); // more would be dropped at once
  return putRecords({ recordsMax, recordBytesMax, callBytesMax, lingerUs });
}

type MakeTarget = (load: Load, clock: Clock, aws: AwsPlace) => Promise<Target>;

const TARGETS: { readonly [kind in TargetSpec["kind"]]?: MakeTarget } = {
  http: makeHttpTarget,
  lambda: async (load, clock, aws) => {
    if (load.target.kind !== "lambda") throw new Error("not a Lambda target");
    const { function: name, invocation, timeoutUs } = load.target;
    const { endpoint, region } = aws;
    const credentials = await usableCredentials(aws, clock);
    const options = { invocation, endpoint, region, credentials, clock, timeoutUs };
    return lambdaTarget({ ...options, function: name, userAgent: userAgentOf(aws) });
  },
  kinesis: async (load, clock, aws) => {
    if (load.target.kind !== "kinesis") throw new Error("not a stream");
    const { stream, timeoutUs } = load.target;
    const { endpoint, region } = aws;
    const credentials = await usableCredentials(aws, clock);
    const options = { endpoint, region, credentials, clock, timeoutUs };
    return kinesisStreamTarget({ stream, ...options, userAgent: userAgentOf(aws) });
  },
  sqs: async (load, clock, aws) => {
    if (load.target.kind !== "sqs") throw new Error("not a queue");
    const { queue, timeoutUs } = load.target;
    const { endpoint, region } = aws;
    const credentials = await usableCredentials(aws, clock);
    const options = { endpoint, region, credentials, clock, timeoutUs };
    return sqsQueueTarget({ queue, ...options, userAgent: userAgentOf(aws) });
  },
};

/** What sends a load's arrivals several at a time; null when each is a call of its own. */
export function batchingOf(
  load: Load,
  target: Target,
): { readonly target: BatchTarget; readonly form: FormBatches } | null {
  const form = formOf(load);
  if (form === null) return null;
  if (!("sendBatch" in target)) throw new Error(`${load.target.kind} takes no batches`);
  return { target: target as BatchTarget, form };
}

/** Looked up once before the start, so that no request waits for them. */
async function usableCredentials({ identity = SHELL, ...place }: AwsPlace, clock: Clock) {
  const { credentials } = identityOf(identity, { ...place, nowMs: () => clock.wallMs() });
  try {
    await credentials();
  } catch (cause) {
    throw new GatecrashError("aws", `no AWS credentials: ${messageOf(cause)}`, {
      hint: "log in, or set AWS_PROFILE: a load signs its own requests",
      cause,
    });
  }
  return credentials;
}

export async function makeTarget(load: Load, clock: Clock, aws: AwsPlace): Promise<Target> {
  const make = TARGETS[load.target.kind];
  if (make === undefined) throw notYet(load, load.target.kind);
  return make(load, clock, aws);
}

function notYet(load: Load, what: string): GatecrashError {
  return new GatecrashError("scenario", `load ${load.name}: ${what} cannot be run yet`, {
    hint: `there are: ${[...Object.keys(DRIVERS), ...Object.keys(TARGETS)].join(", ")}`,
  });
}

type MakeFault = (spec: FaultSpec, seed: number) => Fault;

const FAULTS: { readonly [kind: string]: MakeFault } = {
  "reserved-concurrency": ({ name, input }) =>
    reservedConcurrency({
      name,
      function: String(input.function),
      to: Number(input.to),
    }),
  "event-source": (spec) => eventSource(spec),
  "recycle-environments": (spec, seed) => recycleEnvironments(spec, seed),
  "slow-dependency": (spec, seed) => slowDependency(spec, seed),
  "force-retries": (spec, seed) => forceRetries(spec, seed),
};

/** `seed`: the scenario's; two faults of one scenario choose independently of each other. */
export function makeFault(spec: FaultSpec, seed: number): Fault {
  const make = FAULTS[spec.kind];
  if (make === undefined) {
    throw new GatecrashError("scenario", `fault ${spec.name}: ${spec.kind} is not known`, {
      hint: `there are: ${Object.keys(FAULTS).join(", ")}`,
    });
  }
  return make(spec, Math.floor(seededRng(seed, `fault/${spec.name}`).next() * 2 ** 32));
}
