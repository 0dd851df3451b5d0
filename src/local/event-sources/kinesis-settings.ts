// Settings of a mapping from a stream: read from the API's inputs, checked, described.

import { invalidParameter, validationError } from "../aws-error.ts";
import { said } from "../wire/said.ts";
import type { MappingInput } from "./event-source.ts";
import {
  KINESIS_MAPPING_DEFAULTS,
  type KinesisMappingSpec,
  type StartingPosition,
} from "./kinesis-spec.ts";

type Settings = Pick<
  KinesisMappingSpec,
  | "batchMax"
  | "windowS"
  | "parallelization"
  | "retriesMax"
  | "recordAgeMaxS"
  | "bisect"
  | "reportFailures"
  | "onFailure"
>;

/** Members that a mapping from a stream may have; null counts as not given. */
const MEMBERS = [
  "EventSourceArn",
  "FunctionName",
  "Enabled",
  "UUID",
  "Tags",
  "MetricsConfig",
  "StartingPosition",
  "StartingPositionTimestamp",
  "BatchSize",
  "MaximumBatchingWindowInSeconds",
  "ParallelizationFactor",
  "MaximumRetryAttempts",
  "MaximumRecordAgeInSeconds",
  "BisectBatchOnFunctionError",
  "FunctionResponseTypes",
  "DestinationConfig",
];
/** Ages below a minute are refused. */
const RECORD_AGE_LEAST_S = 60;

/** `from` with the members of `input`; throws AWS's errors. Also for what is not modelled. */
export function settingsOf(
  input: MappingInput,
  from: Settings = KINESIS_MAPPING_DEFAULTS,
): Settings {
  for (const [member, value] of Object.entries(input)) {
    const empty = value === null || (member === "TumblingWindowInSeconds" && value === 0);
    if (!empty && !MEMBERS.includes(member))
      throw invalidParameter(`${member} is not modelled by local AWS for streams`);
  }
  const recordAgeMaxS =
    whole(input, "MaximumRecordAgeInSeconds", [-1, 604_800]) ?? from.recordAgeMaxS;
  if (recordAgeMaxS !== -1 && recordAgeMaxS < RECORD_AGE_LEAST_S)
    throw outOfRange("MaximumRecordAgeInSeconds", recordAgeMaxS, [RECORD_AGE_LEAST_S, 604_800]);
  const bisect = input.BisectBatchOnFunctionError;
  return {
    batchMax: whole(input, "BatchSize", [1, 10_000]) ?? from.batchMax,
    windowS: whole(input, "MaximumBatchingWindowInSeconds", [0, 300]) ?? from.windowS,
    parallelization: whole(input, "ParallelizationFactor", [1, 10]) ?? from.parallelization,
    retriesMax: whole(input, "MaximumRetryAttempts", [-1, 10_000]) ?? from.retriesMax,
    recordAgeMaxS,
    bisect: typeof bisect === "boolean" ? bisect : from.bisect,
    reportFailures: reportsFailures(input.FunctionResponseTypes ?? null, from.reportFailures),
    onFailure: destinationOf(input.DestinationConfig ?? null, from.onFailure),
  };
}

export function startingPositionOf(input: MappingInput): StartingPosition {
  const { StartingPosition: type = null, StartingPositionTimestamp: atS } = input;
  if (type === null)
    throw invalidParameter(
      "1 validation error detected: Value null at 'startingPosition' failed to satisfy " +
        "constraint: Member must not be null.",
    );
  if (type === "TRIM_HORIZON" || type === "LATEST") return { type };
  if (type === "AT_TIMESTAMP" && typeof atS === "number") return { type, epochMs: atS * 1_000 };
  throw invalidParameter(`StartingPosition ${said(type)} cannot be used as it is`);
}

/** AWS shows every default. */
export function describeSettings(settings: Settings): { readonly [member: string]: unknown } {
  const { onFailure } = settings;
  return {
    BatchSize: settings.batchMax,
    MaximumBatchingWindowInSeconds: settings.windowS,
    ParallelizationFactor: settings.parallelization,
    MaximumRecordAgeInSeconds: settings.recordAgeMaxS,
    MaximumRetryAttempts: settings.retriesMax,
    BisectBatchOnFunctionError: settings.bisect,
    TumblingWindowInSeconds: 0,
    DestinationConfig: { OnFailure: onFailure === null ? {} : { Destination: onFailure } },
    FunctionResponseTypes: settings.reportFailures ? ["ReportBatchItemFailures"] : [],
  };
}

function destinationOf(value: unknown, otherwise: string | null): string | null {
  if (typeof value !== "object" || value === null) return otherwise;
  const { OnFailure: onFailure } = value as { OnFailure?: { Destination?: unknown } | null };
  const arn = onFailure?.Destination;
  return typeof arn === "string" && arn !== "" ? arn : null;
}

function reportsFailures(types: unknown, otherwise: boolean): boolean {
  if (types === null) return otherwise;
  const known = Array.isArray(types) && types.every((one) => one === "ReportBatchItemFailures");
  if (known) return types.length > 0;
  throw validationError(
    "1 validation error detected: Value at 'functionResponseTypes' failed to satisfy constraint: " +
      "Member must satisfy enum value set: [ReportBatchItemFailures]",
  );
}

function whole(input: MappingInput, member: string, range: readonly [number, number]) {
  const value = input[member];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isInteger(value)) throw outOfRange(member, value, range);
  if (value < range[0] || value > range[1]) throw outOfRange(member, value, range);
  return value;
}

const outOfRange = (member: string, value: unknown, [low, high]: readonly [number, number]) =>
  validationError(
    `1 validation error detected: Value '${said(value)}' at ` +
      `'${member.charAt(0).toLowerCase()}${member.slice(1)}' failed to satisfy constraint: ` +
      `Member must have value between ${low} and ${high}`,
  );
