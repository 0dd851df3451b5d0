// The attributes that SQS itself keeps of a message.
import type { Message } from "./message.ts";

/** For a message that has been received. */
export function systemAttributesOf(message: Message): { [name: string]: string } {
  const trace = message.systemAttributes.AWSTraceHeader?.StringValue;
  return {
    ApproximateReceiveCount: String(message.receiveCount),
    ...(trace === undefined ? {} : { AWSTraceHeader: trace }),
    SentTimestamp: String(message.sentEpochMs),
    SenderId: message.senderId,
    ApproximateFirstReceiveTimestamp: String(message.firstReceiveEpochMs ?? 0),
    ...(message.deadLetterSource === null
      ? {}
      : { DeadLetterQueueSourceArn: message.deadLetterSource }),
  };
}
