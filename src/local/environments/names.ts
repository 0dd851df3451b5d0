// Names that Lambda gives to an execution environment, and what its process sees of the world.
import { randomBytes } from "node:crypto";
import type { FunctionSpec } from "../function-host.ts";

/** 32 hexadecimal digits. */
export function newEnvironmentId(): string {
  return randomBytes(16).toString("hex");
}

/** `YYYY/MM/DD/[version]id`; a log group of the user's own has the function's name in it too. */
export function streamName(spec: FunctionSpec, version: string, id: string): string {
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", "/");
  const custom = spec.logGroup !== `/aws/lambda/${spec.name}`;
  return `${day}/${custom ? spec.name : ""}[${version}]${id}`;
}

/**
 * The child's whole environment: nothing of ours but the path to programs. The AWS SDK would else
 * read the operator's own profile, or ask the machine's metadata address for a role.
 */
export function childEnvironment(
  spec: FunctionSpec,
  version: string,
  initialization: string,
): { [name: string]: string } {
  const region = spec.arn.split(":")[3] ?? "";
  return {
    PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
    TZ: ":UTC",
    LANG: "en_US.UTF-8",
    HOME: "/nonexistent",
    AWS_CONFIG_FILE: "/nonexistent/config",
    AWS_SHARED_CREDENTIALS_FILE: "/nonexistent/credentials",
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: "LOCALLOCALLOCALLOCAL",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_SESSION_TOKEN: "local",
    AWS_ENDPOINT_URL: spec.endpoint,
    AWS_EXECUTION_ENV: `AWS_Lambda_${spec.runtime}`,
    AWS_LAMBDA_FUNCTION_NAME: spec.name,
    AWS_LAMBDA_FUNCTION_VERSION: version,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(spec.memoryMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: initialization,
    AWS_LAMBDA_LOG_GROUP_NAME: spec.logGroup,
    LAMBDA_TASK_ROOT: spec.codeDir,
    _HANDLER: spec.handler,
    ...spec.environment,
  };
}
