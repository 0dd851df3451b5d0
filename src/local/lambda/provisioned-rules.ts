// May an alias or version have so much provisioned concurrency? AWS's refusals, as recorded.
import type { AdmissionModel } from "../../model/admission.ts";
import { AwsError, invalidParameter } from "../aws-error.ts";
import type { Resolved } from "./function-table.ts";
import { LATEST } from "./function-version.ts";
import type { Alias, LocalFunction } from "./local-function.ts";
import { USER } from "./update-rules.ts";

/** Not for `$LATEST`, named or behind an alias. */
export function refuseUnpublished({ qualifier, version }: Resolved): void {
  if (qualifier !== null && version.version !== LATEST) return;
  throw invalidParameter(
    "Provisioned Concurrency Configs cannot be applied to unpublished function versions.",
    USER,
  );
}

/** Either an alias holds it or its version, never both. `alias` null: the version is asked for. */
export function refuseTwice(fn: LocalFunction, version: string, alias: Alias | null): void {
  const conflict = (message: string): AwsError =>
    new AwsError("ResourceConflictException", 409, message, USER);
  if (alias !== null && fn.provisioned.has(version))
    throw conflict(
      "Alias can't be used for Provisioned Concurrency configuration on an already Provisioned " +
        "version",
    );
  const names = [...fn.aliases.values()].filter((each) => each.version === version);
  if (alias === null && names.some(({ name }) => fn.provisioned.has(name)))
    throw conflict("Version is pointed by a Provisioned Concurrency alias");
}

/** What AWS says to so many for this qualifier; null = nothing. */
export function roomProblem(
  admission: AdmissionModel,
  fn: LocalFunction,
  qualifier: string,
  wanted: number,
): string | null {
  const { reserved, provisioned } = admission.limitsOf(fn.name);
  const others = provisioned - (fn.provisioned.get(qualifier)?.wanted ?? 0);
  if (reserved !== null)
    return others + wanted > reserved
      ? "Requested Provisioned Concurrency should not be greater than the " +
          "reservedConcurrentExecution for function"
      : null;
  const room = admission.unreservedPool(fn.name) - others;
  const { unreservedMinimum } = admission.account;
  if (wanted > room)
    return (
      "Specified ConcurrentExecutions for function is greater than account's unreserved " +
      `concurrency [${room}].`
    );
  return room - wanted < unreservedMinimum
    ? "Specified ConcurrentExecutions for function decreases account's " +
        `UnreservedConcurrentExecution below its minimum value of [${unreservedMinimum}].`
    : null;
}
