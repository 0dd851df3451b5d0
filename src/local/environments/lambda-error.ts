// Lambda's error payloads, as its Node.js runtime and its sandbox write them.
import { types } from "node:util";

/** The answer's size limit, in the words of Lambda's own message. */
export const RESPONSE_BYTES_MAX = 6_291_556;

export interface LambdaError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** What a handler threw, or a promise was rejected with: anything, even what cannot be read. */
export function errorOf(thrown: unknown): LambdaError {
  try {
    if (!types.isNativeError(thrown))
      return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
    const { name, message, stack } = thrown;
    const trace = typeof stack === "string" ? stack.split("\n") : [];
    return { errorType: String(name), errorMessage: String(message), trace };
  } catch {
    return { errorType: "handled", errorMessage: UNREADABLE, trace: [] };
  }
}

/** The runtime's own words. */
const UNREADABLE =
  "callback called with Error argument, but there was a problem while retrieving one or more of " +
  "its message, name, and stack";

/** Why a module could not be loaded; anything else that it threw stays what it is. */
export function initErrorOf(thrown: unknown): LambdaError {
  const error = errorOf(thrown);
  const code = (thrown as { code?: unknown } | null)?.code;
  if (code === "MODULE_NOT_FOUND" || code === "ERR_MODULE_NOT_FOUND") {
    return asType("Runtime.ImportModuleError", error);
  }
  return error.errorType === "SyntaxError" ? asType("Runtime.UserCodeSyntaxError", error) : error;
}

function asType(errorType: string, error: LambdaError): LambdaError {
  return { ...error, errorType, errorMessage: `${error.errorType}: ${error.errorMessage}` };
}

export function timeoutError(requestId: string, timeoutMs: number): LambdaError {
  const seconds = (timeoutMs / 1_000).toFixed(2);
  return {
    errorType: "Sandbox.Timedout",
    errorMessage: `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`,
  };
}

/** The runtime's process ended in the middle of an invocation. */
export function exitError(requestId: string, code: number | null, signal: string | null) {
  const how =
    signal !== null
      ? `with error: signal: ${signal === "SIGKILL" ? "killed" : signal}`
      : code === 0
        ? "without providing a reason"
        : `with error: exit status ${code}`;
  return {
    errorType: "Runtime.ExitError",
    errorMessage: `RequestId: ${requestId} Error: Runtime exited ${how}`,
  };
}
