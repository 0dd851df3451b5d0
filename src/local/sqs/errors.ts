// SQS's errors: the name that JSON clients get, and the older code that Query clients get.

import { AwsError } from "../aws-error.ts";
import { said } from "../wire/said.ts";

const sqsError = (code: string, queryCode: string, message: string, status = 400): AwsError =>
  new AwsError(code, status, message, { queryCode });

const legacy = (code: string): string => `AWS.SimpleQueueService.${code}`;

export const queueDoesNotExist = (): AwsError =>
  sqsError("QueueDoesNotExist", legacy("NonExistentQueue"), "The specified queue does not exist.");

export const queueNameExists = (name: string): AwsError =>
  sqsError(
    "QueueNameExists",
    "QueueAlreadyExists",
    `A queue already exists with the same name and a different value for attribute ${name}`,
  );

export const invalidAttributeName = (name: string): AwsError =>
  sqsError("InvalidAttributeName", "InvalidAttributeName", `Unknown Attribute ${name}.`);

export const invalidAttributeValue = (name: string): AwsError =>
  sqsError(
    "InvalidAttributeValue",
    "InvalidAttributeValue",
    `Invalid value for the parameter ${name}.`,
  );

/** A value outside its range, or of the wrong kind. */
export const invalidParameterValue = (message: string): AwsError =>
  sqsError("InvalidParameterValueException", "InvalidParameterValue", message);

export const badValue = (value: unknown, parameter: string, reason: string): AwsError =>
  invalidParameterValue(
    `Value ${said(value)} for parameter ${parameter} is invalid. Reason: ${reason}`,
  );

export const missingParameter = (parameter: string): AwsError =>
  sqsError(
    "MissingRequiredParameterException",
    "MissingParameter",
    `The request must contain the parameter ${parameter}.`,
  );

export const invalidAddress = (address: string): AwsError =>
  sqsError(
    "InvalidAddress",
    "InvalidAddress",
    `The address ${address} is not valid for this endpoint.`,
    404,
  );

export const invalidMessageContents = (): AwsError =>
  sqsError(
    "InvalidMessageContents",
    "InvalidMessageContents",
    "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | " +
      "#xE000 to #xFFFD | #x10000 to #x10FFFF",
  );

export const receiptHandleIsInvalid = (handle: string): AwsError =>
  sqsError(
    "ReceiptHandleIsInvalid",
    "ReceiptHandleIsInvalid",
    `The input receipt handle "${handle}" is not a valid receipt handle.`,
    404,
  );

export const messageNotInflight = (handle: string): AwsError =>
  sqsError(
    "InvalidParameterValueException",
    "InvalidParameterValue",
    `Value ${handle} for parameter ReceiptHandle is invalid. Reason: Message does not exist or ` +
      "is not available for visibility timeout change.",
  );

export const overLimit = (): AwsError =>
  sqsError("OverLimit", "OverLimit", "Too many messages in flight", 403);

export const unsupported = (message: string): AwsError =>
  sqsError("UnsupportedOperation", legacy("UnsupportedOperation"), message);

export const purgeInProgress = (name: string): AwsError =>
  sqsError(
    "PurgeQueueInProgress",
    legacy("PurgeQueueInProgress"),
    `Only one PurgeQueue operation on ${name} is allowed every 60 seconds.`,
    403,
  );

export const emptyBatch = (entry: string): AwsError =>
  sqsError(
    "EmptyBatchRequest",
    legacy("EmptyBatchRequest"),
    `There should be at least one ${entry} in the request.`,
  );

export const tooManyEntries = (count: number): AwsError =>
  sqsError(
    "TooManyEntriesInBatchRequest",
    legacy("TooManyEntriesInBatchRequest"),
    `Maximum number of entries per request are 10. You have sent ${count}.`,
  );

export const idsNotDistinct = (id: string): AwsError =>
  sqsError("BatchEntryIdsNotDistinct", legacy("BatchEntryIdsNotDistinct"), `Id ${id} repeated.`);

export const invalidBatchEntryId = (): AwsError =>
  sqsError(
    "InvalidBatchEntryId",
    legacy("InvalidBatchEntryId"),
    "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can " +
      "be at most 80 letters long.",
  );

export const batchTooLong = (sizeBytes: number, maxBytes: number): AwsError =>
  sqsError(
    "BatchRequestTooLong",
    legacy("BatchRequestTooLong"),
    `Batch requests cannot be longer than ${maxBytes} bytes. You have sent ${sizeBytes} bytes.`,
  );
