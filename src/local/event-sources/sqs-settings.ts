// Settings of a mapping from a queue: read from the API's inputs, checked, described.

import { invalidParameter, validationError } from "../aws-error.ts";
import type { SqsMappingSpec } from "../template/types.ts";
import { said } from "../wire/said.ts";
import type { MappingInput } from "./event-source.ts";

/** Lambda's limits for standard queues. */
const BATCH_MAX = 10_000;
const BATCH_WITHOUT_WINDOW_MAX = 10;

type Settings = Pick<
  SqsMappingSpec,
  "batchMax" | "windowS" | "maximumConcurrency" | "reportFailures"
>;

const DEFAULTS: Settings = {
  batchMax: 10,
  windowS: 0,
  maximumConcurrency: null,
  reportFailures: false,
};

/** Members that a mapping from a queue may have beside its own settings. */
const COMMON = ["EventSourceArn", "FunctionName", "Enabled", "UUID", "Tags", "MetricsConfig"];
const OWN = [
  "BatchSize",
  "MaximumBatchingWindowInSeconds",
  "ScalingConfig",
  "FunctionResponseTypes",
];

/** `from` with the members of `input`; throws AWS's errors. Also for what is not modelled. */
export function settingsOf(input: MappingInput, from: Settings = DEFAULTS): Settings {
  for (const [member, value] of Object.entries(input))
    if (value !== null && ![...COMMON, ...OWN].includes(member))
      throw invalidParameter(`${member} is not modelled by local AWS for queues`);
  const scaling = input.ScalingConfig;
  const types = input.FunctionResponseTypes ?? null;
  const settings = {
    batchMax: whole(input, "BatchSize", [1, BATCH_MAX]) ?? from.batchMax,
    windowS: whole(input, "MaximumBatchingWindowInSeconds", [0, 300]) ?? from.windowS,
    maximumConcurrency:
      typeof scaling === "object" && scaling !== null
        ? (whole(scaling as MappingInput, "MaximumConcurrency", [2, 1_000]) ?? null)
        : from.maximumConcurrency,
    reportFailures: types === null ? from.reportFailures : isList(types, "ReportBatchItemFailures"),
  };
  const wrong = windowProblem(settings);
  if (wrong !== null) throw invalidParameter(wrong, { extra: { Type: "User" } });
  return settings;
}

/** AWS's complaint about a large batch without a window; null = none. */
export function windowProblem({ batchMax, windowS }: Settings): string | null {
  return batchMax > BATCH_WITHOUT_WINDOW_MAX && windowS === 0
    ? "Maximum batch window in seconds must be greater than 0 if maximum batch size is greater " +
        `than ${BATCH_WITHOUT_WINDOW_MAX}`
    : null;
}

/** AWS's complaint about messages that would come back while the function runs; null = none. */
export function visibilityProblem(visibilityS: number, timeoutMs: number): string | null {
  return visibilityS * 1_000 < timeoutMs
    ? `Queue visibility timeout: ${visibilityS} seconds is less than Function timeout: ` +
        `${timeoutMs / 1_000} seconds`
    : null;
}

export function describeSettings(settings: Settings): { [member: string]: unknown } {
  const { batchMax, windowS, maximumConcurrency, reportFailures } = settings;
  return {
    BatchSize: batchMax,
    MaximumBatchingWindowInSeconds: windowS,
    FunctionResponseTypes: reportFailures ? ["ReportBatchItemFailures"] : [],
    ...(maximumConcurrency === null
      ? {}
      : { ScalingConfig: { MaximumConcurrency: maximumConcurrency } }),
  };
}

function whole(input: MappingInput, member: string, [low, high]: readonly [number, number]) {
  const value = input[member];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= low && value <= high)
    return value;
  const name = `${member.charAt(0).toLowerCase()}${member.slice(1)}`;
  throw validationError(
    `1 validation error detected: Value '${said(value)}' at '${name}' failed to satisfy ` +
      `constraint: Member must have value between ${low} and ${high}`,
  );
}

function isList(value: unknown, only: string): boolean {
  if (Array.isArray(value) && value.every((one) => one === only)) return value.length > 0;
  throw validationError(
    "1 validation error detected: Value at 'functionResponseTypes' failed to satisfy constraint: " +
      `Member must satisfy enum value set: [${only}]`,
  );
}
