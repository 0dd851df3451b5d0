// The event of a batch of messages, and what the function's answer says about each of them.

import type { MessageAttributes } from "../sqs/message.ts";
import { systemAttributesOf } from "../sqs/message-attributes.ts";
import type { Received } from "../sqs/queue.ts";

/** A synchronous payload; a batch that does not fit is halved. */
const EVENT_BYTES_MAX = 6_291_456;

export interface Payload {
  readonly batch: readonly Received[];
  /** JSON text. */
  readonly event: string;
}

/** The batch as one event, or as several when one would be too large for Lambda. */
export function payloadsOf(batch: readonly Received[], queueArn: string): Payload[] {
  const event = eventOf(batch, queueArn);
  if (batch.length === 1 || Buffer.byteLength(event) <= EVENT_BYTES_MAX) return [{ batch, event }];
  const half = Math.ceil(batch.length / 2);
  return [batch.slice(0, half), batch.slice(half)].flatMap((part) => payloadsOf(part, queueArn));
}

/** JSON text; keys and their order as recorded on AWS. */
function eventOf(batch: readonly Received[], queueArn: string): string {
  const awsRegion = queueArn.split(":")[3];
  return JSON.stringify({
    Records: batch.map(({ message, receipt }) => ({
      messageId: message.id,
      receiptHandle: receipt,
      body: message.body,
      attributes: systemAttributesOf(message),
      messageAttributes: attributesOf(message.attributes),
      md5OfMessageAttributes: null,
      md5OfBody: message.md5OfBody,
      eventSource: "aws:sqs",
      eventSourceARN: queueArn,
      awsRegion,
    })),
  });
}

function attributesOf(attributes: MessageAttributes): object {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { DataType, StringValue, BinaryValue }]) => [
      name,
      {
        ...(StringValue === undefined ? {} : { stringValue: StringValue }),
        ...(BinaryValue === undefined ? {} : { binaryValue: BinaryValue }),
        stringListValues: [],
        binaryListValues: [],
        dataType: DataType,
      },
    ]),
  );
}

/**
 * The messages that the answer names as failed. Null: an answer that cannot be understood, by which
 * the whole batch failed.
 */
export function failedOf(payload: string, batch: readonly Received[]): Received[] | null {
  const items = itemFailures(payload);
  if (items === null) return null;
  const byId = new Map<unknown, Received>(batch.map((one) => [one.message.id, one]));
  const failed: Received[] = [];
  for (const item of items) {
    const found = byId.get((item as { itemIdentifier?: unknown } | null)?.itemIdentifier);
    if (found === undefined) return null;
    failed.push(found);
  }
  return failed;
}

/** An absent, null or empty answer or list means that nothing failed. */
function itemFailures(payload: string): unknown[] | null {
  let answer: unknown;
  try {
    answer = JSON.parse(payload);
  } catch {
    return null;
  }
  if (answer === null || answer === "") return [];
  if (typeof answer !== "object" || Array.isArray(answer)) return null;
  const { batchItemFailures: items = null } = answer as { batchItemFailures?: unknown };
  if (items === null) return [];
  return Array.isArray(items) ? items : null;
}
