// The refusals of EventBridge Scheduler.
import { AwsError } from "../aws-error.ts";

const MESSAGE = { messageKey: "Message" } as const;

export const notFound = (what: string): AwsError =>
  new AwsError("ResourceNotFoundException", 404, `${what} does not exist.`, MESSAGE);

export const conflict = (what: string): AwsError =>
  new AwsError("ConflictException", 409, `${what} already exists.`, MESSAGE);

export const invalid = (message: string): AwsError =>
  new AwsError("ValidationException", 400, message, MESSAGE);
