// GetFunctionConfiguration, and the configuration object that other operations return too.
import type { World } from "../world.ts";
import type { Resolved } from "./function-table.ts";
import { codeSha256Of, type FunctionConfig } from "./function-version.ts";
import type { LocalFunction } from "./local-function.ts";
import type { RestAnswer, RestCall } from "./rest-call.ts";

/** `$LATEST` as an unqualified caller sees it. */
export const latestConfiguration = (fn: LocalFunction): object =>
  configurationOf({ fn, version: fn.latest, alias: null, qualifier: null });

/** `qualifier`: the ARN then ends in it. A running update shows in `$LATEST` alone. */
export function configurationOf({ fn, version, qualifier }: Resolved): object {
  const update = version === fn.latest ? fn.update : null;
  const config = update?.config ?? version.config;
  return {
    ...settingsOf(config),
    FunctionArn: qualifier === null ? fn.arn : `${fn.arn}:${qualifier}`,
    LastModified: update?.lastModified ?? version.lastModified,
    Version: version.version,
    RevisionId: update?.revisionId ?? version.revisionId,
    State: "Active",
    ...(update === null ? { LastUpdateStatus: "Successful" } : IN_PROGRESS),
  };
}

const IN_PROGRESS = {
  LastUpdateStatus: "InProgress",
  LastUpdateStatusReason: "The function is being created.",
  LastUpdateStatusReasonCode: "Creating",
};

function settingsOf(config: FunctionConfig): object {
  const { spec, layers, deadLetterArn } = config;
  const variables = Object.keys(spec.environment).length;
  return {
    FunctionName: spec.name,
    Runtime: spec.runtime,
    Role: `arn:aws:iam::${spec.arn.split(":")[4]}:role/${spec.name}`,
    Handler: spec.handler,
    CodeSize: 0,
    Description: config.description,
    Timeout: spec.timeoutMs / 1_000,
    MemorySize: spec.memoryMb,
    CodeSha256: codeSha256Of(config),
    ...(variables === 0 ? {} : { Environment: { Variables: spec.environment } }),
    ...(layers.length === 0 ? {} : { Layers: layers.map((Arn) => ({ Arn, CodeSize: 0 })) }),
    ...(deadLetterArn === null ? {} : { DeadLetterConfig: { TargetArn: deadLetterArn } }),
    TracingConfig: { Mode: config.activeTracing ? "Active" : "PassThrough" },
    PackageType: "Zip",
    Architectures: ["x86_64"],
    EphemeralStorage: { Size: 512 },
    SnapStart: { ApplyOn: "None", OptimizationStatus: "Off" },
    LoggingConfig: { LogFormat: "Text", LogGroup: spec.logGroup },
  };
}

export function getFunctionConfiguration(world: World, call: RestCall): RestAnswer {
  return { status: 200, body: configurationOf(world.functions.resolve(call)) };
}
