// What every change of a function or an alias checks first: its revision, and no update running.
import { AwsError } from "../aws-error.ts";
import type { LocalFunction } from "./local-function.ts";

export const USER = { extra: { Type: "User" } } as const;

/** A `RevisionId` given must be the current one: the only compare-and-set that Lambda has. */
export function checkRevision(
  input: { readonly [member: string]: unknown },
  current: string,
  where = "GetFunction/GetAlias",
): void {
  const given = input.RevisionId ?? null;
  if (given === null || given === current) return;
  throw new AwsError(
    "PreconditionFailedException",
    412,
    `The Revision Id provided does not match the latest Revision Id. Call the ${where} API to ` +
      "retrieve the latest Revision Id",
    USER,
  );
}

/** `$LATEST` cannot be changed or published until its last update is in force. */
export function refuseDuringUpdate({ update, arn }: LocalFunction): void {
  if (update === null) return;
  throw new AwsError(
    "ResourceConflictException",
    409,
    `The operation cannot be performed at this time. An update is in progress for resource: ${arn}`,
    USER,
  );
}
