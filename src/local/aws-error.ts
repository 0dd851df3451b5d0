// An error that goes back over the wire as AWS would send it.
import type { Json } from "../core/change.ts";

export interface AwsErrorShape {
  /** Members beside the message, in the order AWS sends them (`Reason`, `Type`). */
  readonly extra?: { readonly [member: string]: Json };
  /** `Message` for ResourceNotFound- and ServiceException of Lambda, `message` otherwise. */
  readonly messageKey?: "message" | "Message";
  /** The code that Query clients know, where it is not `code` without its `Exception`. */
  readonly queryCode?: string;
}

/** Thrown by an operation, encoded by the protocol it was called through. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;
  readonly extra: { readonly [member: string]: Json };
  readonly messageKey: "message" | "Message";
  readonly queryCode: string;

  constructor(code: string, status: number, message: string, shape: AwsErrorShape = {}) {
    super(message);
    this.name = "AwsError";
    this.code = code;
    this.status = status;
    this.extra = shape.extra ?? {};
    this.messageKey = shape.messageKey ?? "message";
    this.queryCode = shape.queryCode ?? code.replace(/Exception$/, "");
  }

  /** The members of a JSON error body: extras first, as recorded for Lambda. */
  body(): { [member: string]: Json } {
    return { ...this.extra, [this.messageKey]: this.message };
  }
}

export const validationError = (message: string): AwsError =>
  new AwsError("ValidationException", 400, message);

export const invalidParameter = (message: string, shape?: AwsErrorShape): AwsError =>
  new AwsError("InvalidParameterValueException", 400, message, shape);
