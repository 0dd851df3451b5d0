// A template's streams, and the mappings that functions' events from streams become.
import { KINESIS_MAPPING_DEFAULTS as DEFAULTS } from "../event-sources/kinesis-spec.ts";
import { STREAM_DEFAULTS } from "../kinesis/stream.ts";
import { mappingIdOf } from "./data-names.ts";
import { targetNameOf } from "./names.ts";
import type { FunctionResource } from "./schema.ts";
import type { StreamResource } from "./schema-streams.ts";
import type { StreamMappingSpec, StreamSpec } from "./types.ts";

const BYTES_PER_KIB = 1_024;

export function streamOf(id: string, { Properties: given }: StreamResource): StreamSpec {
  const kib = given.MaxRecordSizeInKiB ?? STREAM_DEFAULTS.maxRecordKib;
  return {
    name: given.Name ?? `local-${id}`,
    settings: {
      shardCount: given.ShardCount,
      retentionHours: given.RetentionPeriodHours ?? STREAM_DEFAULTS.retentionHours,
      maxRecordBytes: kib * BYTES_PER_KIB,
    },
  };
}

export function streamMappingsOf(
  functions: ReadonlyMap<string, FunctionResource>,
): StreamMappingSpec[] {
  return [...functions].flatMap(([id, { Properties }]) =>
    Object.entries(Properties.Events ?? {}).flatMap(([event, declared]): StreamMappingSpec[] => {
      if (declared.Type !== "Kinesis") return [];
      const { Properties: wanted } = declared;
      const { StartingPosition: type, StartingPositionTimestamp: atS = 0 } = wanted;
      const spec = {
        uuid: mappingIdOf(id, event),
        streamArn: wanted.Stream,
        functionName: targetNameOf(id, Properties),
        batchMax: wanted.BatchSize ?? DEFAULTS.batchMax,
        windowS: wanted.MaximumBatchingWindowInSeconds ?? DEFAULTS.windowS,
        parallelization: wanted.ParallelizationFactor ?? DEFAULTS.parallelization,
        retriesMax: wanted.MaximumRetryAttempts ?? DEFAULTS.retriesMax,
        recordAgeMaxS: wanted.MaximumRecordAgeInSeconds ?? DEFAULTS.recordAgeMaxS,
        bisect: wanted.BisectBatchOnFunctionError ?? DEFAULTS.bisect,
        reportFailures: (wanted.FunctionResponseTypes ?? []).length > 0,
        startingPosition: type === "AT_TIMESTAMP" ? { type, epochMs: atS * 1_000 } : { type },
        onFailure: wanted.DestinationConfig?.OnFailure?.Destination ?? DEFAULTS.onFailure,
      };
      return [{ spec, enabled: wanted.Enabled ?? true }];
    }),
  );
}
