// What functions of a template say about queues and URLs: mappings, destinations, dead letters.
import { mappingIdOf, urlHostOf, urlIdOf } from "./data-names.ts";
import { type Place, targetNameOf } from "./names.ts";
import type { FunctionResource } from "./schema.ts";
import type { AsyncSpec, FunctionUrlSpec, SqsMappingSpec } from "./types.ts";

/** `scale` multiplies MaximumConcurrency, as all concurrencies; never the batch size. */
export function sqsMappingsOf(
  functions: ReadonlyMap<string, FunctionResource>,
  scale: number,
): SqsMappingSpec[] {
  return [...functions].flatMap(([id, { Properties }]) =>
    Object.entries(Properties.Events ?? {}).flatMap(([event, declared]): SqsMappingSpec[] => {
      if (declared.Type !== "SQS") return [];
      const { Properties: wanted } = declared;
      const concurrency = wanted.ScalingConfig?.MaximumConcurrency;
      const spec = {
        uuid: mappingIdOf(id, event),
        queueArn: wanted.Queue,
        functionName: targetNameOf(id, Properties),
        batchMax: wanted.BatchSize ?? 10,
        windowS: wanted.MaximumBatchingWindowInSeconds ?? 0,
        maximumConcurrency:
          concurrency === undefined ? null : Math.max(1, Math.round(concurrency * scale)),
        reportFailures: (wanted.FunctionResponseTypes ?? []).length > 0,
        enabled: wanted.Enabled ?? true,
      };
      return [spec];
    }),
  );
}

export function functionUrlsOf(
  functions: ReadonlyMap<string, FunctionResource>,
  place: Place,
): FunctionUrlSpec[] {
  return [...functions]
    .filter(([, { Properties }]) => Properties.FunctionUrlConfig !== undefined)
    .map(([id, { Properties }]) => ({
      logicalId: `${id}Url`,
      urlId: urlIdOf(id),
      functionName: targetNameOf(id, Properties),
      onAws: urlHostOf(id, place),
      iam: Properties.FunctionUrlConfig?.AuthType === "AWS_IAM",
      account: place.account,
      region: place.region,
    }));
}

export function asyncSpecOf({ Properties }: FunctionResource): AsyncSpec {
  const given = Properties.EventInvokeConfig;
  return {
    retriesMax: given?.MaximumRetryAttempts ?? null,
    ageMaxS: given?.MaximumEventAgeInSeconds ?? null,
    onSuccess: given?.DestinationConfig?.OnSuccess?.Destination ?? null,
    onFailure: given?.DestinationConfig?.OnFailure?.Destination ?? null,
  };
}
