// `Environment` of UpdateFunctionConfiguration: it replaces the function's variables as a whole.
import { invalidParameter, validationError } from "../aws-error.ts";
import { said } from "../wire/said.ts";
import { USER } from "./update-rules.ts";

const NAME = /^[a-zA-Z][a-zA-Z0-9_]+$/;
/** Of all names and values together (developer guide, "Using Lambda environment variables"). */
const BYTES_MAX = 4_096;
/** What Lambda sets by itself (the same page). */
const RESERVED = new Set([
  "_HANDLER",
  "_X_AMZN_TRACE_ID",
  "AWS_DEFAULT_REGION",
  "AWS_REGION",
  "AWS_EXECUTION_ENV",
  "AWS_LAMBDA_FUNCTION_NAME",
  "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
  "AWS_LAMBDA_FUNCTION_VERSION",
  "AWS_LAMBDA_INITIALIZATION_TYPE",
  "AWS_LAMBDA_LOG_GROUP_NAME",
  "AWS_LAMBDA_LOG_STREAM_NAME",
  "AWS_ACCESS_KEY",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_LAMBDA_RUNTIME_API",
  "LAMBDA_TASK_ROOT",
  "LAMBDA_RUNTIME_DIR",
]);

/** null = not given; an Environment without Variables removes them all. Throws AWS's errors. */
export function environmentOf(input: {
  readonly [member: string]: unknown;
}): { readonly [name: string]: string } | null {
  const given = input.Environment ?? null;
  if (given === null) return null;
  const variables = (given as { Variables?: unknown }).Variables ?? {};
  if (typeof given !== "object" || typeof variables !== "object" || Array.isArray(variables))
    throw refusal(given, "be a map");
  const entries = Object.entries(variables as object) as [string, unknown][];
  const wrong = entries.find(([name, value]) => !NAME.test(name) || typeof value !== "string");
  if (wrong !== undefined && !RESERVED.has(wrong[0]))
    throw refusal(wrong[0], "satisfy regular expression pattern: [a-zA-Z]([a-zA-Z0-9_])+");
  const reserved = entries.map(([name]) => name).filter((name) => RESERVED.has(name));
  if (reserved.length > 0)
    throw invalidParameter(
      "Lambda was unable to configure your environment variables because the environment " +
        "variables you have provided contains reserved keys that are currently not supported for " +
        `modification. Reserved keys used in this request: ${reserved.join(", ")}`,
      USER,
    );
  const text = JSON.stringify(variables);
  if (Buffer.byteLength(text) > BYTES_MAX)
    throw invalidParameter(
      "Lambda was unable to configure your environment variables because the environment " +
        "variables you have provided exceeded the 4KB limit.",
      USER,
    );
  return { ...(variables as { [name: string]: string }) };
}

const refusal = (value: unknown, must: string): Error =>
  validationError(
    `1 validation error detected: Value '${said(value)}' at 'environment.variables' failed to ` +
      `satisfy constraint: Member must ${must}`,
  );
