// Turns what the SDK throws into an AwsFailure: name, message, Reason, HTTP status.
import { AwsFailure } from "../core/change.ts";
import { GatecrashError, messageOf } from "../core/error.ts";

/** Status 0 = there was no answer: refused, reset, timed out; whether AWS acted is then unknown. */
export function toAwsFailure(thrown: unknown): AwsFailure {
  if (thrown instanceof AwsFailure) return thrown;
  // Of whoever acts: it may pass like any call that had no answer, so it stays a failure.
  if (thrown instanceof GatecrashError)
    return new AwsFailure("NoCredentials", thrown.message, "", 0, thrown.hint);
  const status = statusOf(thrown);
  const name = status === 0 ? transportName(thrown) : textOf(thrown, "name") || "Unknown";
  return new AwsFailure(name, messageOf(thrown) || name, textOf(thrown, "Reason"), status);
}

function statusOf(thrown: unknown): number {
  const metadata = memberOf(thrown, "$metadata");
  const status = memberOf(metadata, "httpStatusCode");
  if (typeof status === "number") return status;
  const raw = memberOf(memberOf(thrown, "$response"), "statusCode");
  return typeof raw === "number" ? raw : 0;
}

/** `ECONNREFUSED` says more than `Error`; the addresses of one host fail as an AggregateError. */
function transportName(thrown: unknown): string {
  const inner = memberOf(thrown, "errors");
  const first = Array.isArray(inner) ? textOf(inner[0], "code") : "";
  return first || textOf(thrown, "code") || textOf(thrown, "name") || "Error";
}

function memberOf(of: unknown, key: string): unknown {
  return typeof of === "object" && of !== null ? Reflect.get(of, key) : undefined;
}

function textOf(of: unknown, key: string): string {
  const value = memberOf(of, key);
  return typeof value === "string" ? value : "";
}
