// GetFunctionConfiguration, and the configuration object that other operations return too.
import type { World } from "../world.ts";
import type { LocalFunction } from "./function-table.ts";
import { LATEST } from "./pipeline-deps.ts";
import type { RestAnswer, RestCall } from "./rest-call.ts";

/** Variables that Lambda sets by itself are not part of a function's configuration. */
const PLATFORM_VARIABLE = /^(AWS_|TZ$|_)/;

/** `qualified`: the ARN then ends in the version, as for GetFunction with a qualifier. */
export function configurationOf(fn: LocalFunction, qualified: boolean): object {
  const { spec } = fn;
  const variables = Object.entries(spec.environment).filter(([k]) => !PLATFORM_VARIABLE.test(k));
  return {
    FunctionName: spec.name,
    FunctionArn: qualified ? `${spec.arn}:${LATEST}` : spec.arn,
    Runtime: spec.runtime,
    Role: `arn:aws:iam::${spec.arn.split(":")[4]}:role/${spec.name}`,
    Handler: spec.handler,
    CodeSize: 0,
    Description: "",
    Timeout: spec.timeoutMs / 1_000,
    MemorySize: spec.memoryMb,
    LastModified: fn.lastModified,
    CodeSha256: fn.codeSha256,
    Version: LATEST,
    ...(variables.length === 0
      ? {}
      : { Environment: { Variables: Object.fromEntries(variables) } }),
    ...(fn.deadLetterArn === null ? {} : { DeadLetterConfig: { TargetArn: fn.deadLetterArn } }),
    TracingConfig: { Mode: fn.activeTracing ? "Active" : "PassThrough" },
    RevisionId: fn.revisionId,
    State: "Active",
    LastUpdateStatus: "Successful",
    PackageType: "Zip",
    Architectures: ["x86_64"],
    EphemeralStorage: { Size: 512 },
    SnapStart: { ApplyOn: "None", OptimizationStatus: "Off" },
    LoggingConfig: { LogFormat: "Text", LogGroup: spec.logGroup },
  };
}

export function getFunctionConfiguration(world: World, call: RestCall): RestAnswer {
  const ref = world.functions.parse(call.segment, call.query);
  const fn = world.functions.find(ref);
  return { status: 200, body: configurationOf(fn, ref.qualifier !== null) };
}
