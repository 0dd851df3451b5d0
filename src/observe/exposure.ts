// Reads what could be lost when a function is not served: its queues, streams and async settings.
import type { ControlPlane, Json } from "../core/change.ts";
import { eventRates, type RateQuery } from "./event-rates.ts";
import { type Ask, noting } from "./noting.ts";

export interface AsyncExposure {
  /** Where an event goes that is given up; null = nowhere: it is dropped. */
  readonly destination: string | null;
  readonly retries: number;
  readonly ageMaxS: number;
  /** Asynchronous events in the last hour; null = it could not be read. */
  readonly perSecond: number | null;
}

export interface QueueExposure {
  readonly arn: string;
  readonly visibilityS: number;
  /** null = no dead-letter queue. */
  readonly receivesMax: number | null;
  readonly deadLetter: string | null;
  readonly retentionS: number;
  /** Messages in it now, those in flight included. */
  readonly backlog: number;
  readonly perSecond: number | null;
}

export interface StreamExposure {
  readonly arn: string;
  /** null = as often as it takes. */
  readonly retriesMax: number | null;
  /** null = as old as the stream keeps it. */
  readonly ageMaxS: number | null;
  readonly retentionS: number;
  readonly onFailure: string | null;
  readonly perSecond: number | null;
}

/** What polls, and from where. */
export interface Sources {
  readonly queues: readonly QueueExposure[];
  readonly streams: readonly StreamExposure[];
}

type Output = { readonly [key: string]: unknown };
type Input = { readonly [key: string]: Json };

/** Lambda's defaults. */
const RETRIES = 2;
const AGE_MAX_S = 21_600;

/** Reads what depends on a function, a mapping or a queue. Never rejects because of AWS. */
export class Exposures {
  /** What could not be read, and why. */
  readonly unread: string[] = [];
  readonly #ask: Ask;
  readonly #nowMs: number;

  constructor(control: ControlPlane, nowMs: number) {
    this.#ask = noting(control, this.unread);
    this.#nowMs = nowMs;
  }

  /** Of a function's asynchronous events. */
  async events(name: string): Promise<AsyncExposure> {
    const rates = await this.#rates([["AWS/Lambda", "AsyncEventsReceived", "FunctionName", name]]);
    return { ...(await asyncOf(this.#ask, name)), perSecond: rates?.[0] ?? null };
  }

  /** Of all queues and streams that a function's mappings poll now. */
  async sourcesOf(name: string): Promise<Sources> {
    return await this.#sources(await mappingsOf(this.#ask, name));
  }

  async sourceOf(mappingId: string): Promise<Sources> {
    const mapping = await this.#ask("lambda", "GetEventSourceMapping", { UUID: mappingId });
    return await this.#sources(mapping === null ? [] : [mapping]);
  }

  async queue(arn: string): Promise<QueueExposure> {
    const rates = await this.#rates([sentTo(arn)]);
    return { ...(await queueOf(this.#ask, arn)), perSecond: rates?.[0] ?? null };
  }

  async #sources(mappings: readonly Output[]): Promise<Sources> {
    const on = mappings.filter(({ State: state }) => !/^Disabl/.test(String(state)));
    const from = (service: string): Output[] =>
      on.filter(({ EventSourceArn: arn }) => String(arn).split(":")[2] === service);
    const queues = from("sqs").map(({ EventSourceArn: arn }) => this.queue(String(arn)));
    const streams = from("kinesis").map(async (mapping) => {
      const arn = String(mapping.EventSourceArn);
      const rates = await this.#rates([
        ["AWS/Kinesis", "IncomingRecords", "StreamName", lastOf(arn)],
      ]);
      return { ...(await streamOf(this.#ask, arn, mapping)), perSecond: rates?.[0] ?? null };
    });
    return { queues: await Promise.all(queues), streams: await Promise.all(streams) };
  }

  #rates(queries: readonly RateQuery[]): Promise<readonly number[] | null> {
    const ask = (input: Input) => this.#ask("cloudwatch", "GetMetricData", input);
    return eventRates(ask, queries, this.#nowMs);
  }
}

const sentTo = (arn: string): RateQuery => [
  ...(["AWS/SQS", "NumberOfMessagesSent", "QueueName"] as const),
  lastOf(arn),
];

async function asyncOf(ask: Ask, name: string): Promise<Omit<AsyncExposure, "perSecond">> {
  const input = { FunctionName: name };
  const configured = await ask("lambda", "GetFunctionConfiguration", input);
  const letter = (configured?.DeadLetterConfig as Output | undefined)?.TargetArn;
  const listed = await ask("lambda", "ListFunctionEventInvokeConfigs", input);
  const configs = (listed?.FunctionEventInvokeConfigs ?? []) as Output[];
  const destinations = configs.map(
    ({ DestinationConfig: both }) =>
      ((both as Output | undefined)?.OnFailure as Output | undefined)?.Destination,
  );
  // One per version or alias; whichever has none drops, unless the function has a queue for all.
  const safe = destinations.length > 0 && destinations.every((each) => each !== undefined);
  const destination = letter ?? (safe ? destinations[0] : undefined);
  const least = (key: string, unset: number): number =>
    configs.reduce((low, config) => Math.min(low, Number(config[key] ?? unset)), unset);
  return {
    destination: destination === undefined ? null : String(destination),
    retries: least("MaximumRetryAttempts", RETRIES),
    ageMaxS: least("MaximumEventAgeInSeconds", AGE_MAX_S),
  };
}

async function mappingsOf(ask: Ask, name: string): Promise<readonly Output[]> {
  const output = await ask("lambda", "ListEventSourceMappings", { FunctionName: name });
  return (output?.EventSourceMappings ?? []) as Output[];
}

async function queueOf(ask: Ask, arn: string): Promise<Omit<QueueExposure, "perSecond">> {
  const owner = arn.split(":")[4] ?? "";
  const where = { QueueName: lastOf(arn), QueueOwnerAWSAccountId: owner };
  const url = (await ask("sqs", "GetQueueUrl", where))?.QueueUrl;
  const input = { QueueUrl: String(url), AttributeNames: ["All"] };
  const output = url === undefined ? null : await ask("sqs", "GetQueueAttributes", input);
  const of = (output?.Attributes ?? {}) as { readonly [name: string]: string };
  const redrive = JSON.parse(of.RedrivePolicy ?? "{}") as {
    readonly maxReceiveCount?: number | string;
    readonly deadLetterTargetArn?: string;
  };
  const { maxReceiveCount, deadLetterTargetArn } = redrive;
  return {
    arn,
    visibilityS: Number(of.VisibilityTimeout ?? 30),
    receivesMax: maxReceiveCount === undefined ? null : Number(maxReceiveCount),
    deadLetter: deadLetterTargetArn ?? null,
    retentionS: Number(of.MessageRetentionPeriod ?? 345_600),
    backlog:
      Number(of.ApproximateNumberOfMessages ?? 0) +
      Number(of.ApproximateNumberOfMessagesNotVisible ?? 0),
  };
}

async function streamOf(
  ask: Ask,
  arn: string,
  mapping: Output,
): Promise<Omit<StreamExposure, "perSecond">> {
  const output = await ask("kinesis", "DescribeStreamSummary", { StreamName: lastOf(arn) });
  const summary = (output?.StreamDescriptionSummary ?? {}) as Output;
  const limit = (value: unknown): number | null => (Number(value ?? -1) < 0 ? null : Number(value));
  const onFailure = (mapping.DestinationConfig as Output | undefined)?.OnFailure as
    | Output
    | undefined;
  return {
    arn,
    retriesMax: limit(mapping.MaximumRetryAttempts),
    ageMaxS: limit(mapping.MaximumRecordAgeInSeconds),
    retentionS: Number(summary.RetentionPeriodHours ?? 24) * 3_600,
    onFailure: onFailure?.Destination === undefined ? null : String(onFailure.Destination),
  };
}

/** Name of a function, queue or stream in its ARN. */
const lastOf = (arn: string): string => arn.split(/[:/]/).at(-1) ?? arn;
