// A queue as a target: hand-built, signed SendMessageBatch over the load path's own client.

import type { BatchTarget } from "../core/arrival.ts";
import { queueUrlOf } from "../core/partition.ts";
import { BatchCalls, type BatchCallsOptions, MAYBE, OK, SERVICE } from "./batch-calls.ts";
import type { End } from "./exchange-answer.ts";
import {
  type MessageResult,
  messageResults,
  messagesBytesMax,
  writeMessages,
} from "./send-message-batch.ts";

/** `endpoint` is where calls go, whatever host the queue's URL names. */
export interface SqsQueueOptions extends BatchCallsOptions {
  /** URL or ARN. */
  readonly queue: string;
}

/** Answers of SendMessageBatch: ten results of some 250 bytes. */
const ANSWER_BYTES = 16_384;
const HEADERS = {
  "content-type": "application/x-amz-json-1.0",
  "x-amz-target": "AmazonSQS.SendMessageBatch",
};
const THROTTLED: End = { outcome: "throttled", refusedBy: "sqs", reason: "" };
/** Refusals for a rate, of a whole call or of one message. */
const THROTTLES = ["RequestThrottled", "ThrottlingException", "OverLimit", "KmsThrottled"];

export function sqsQueueTarget({ queue, ...options }: SqsQueueOptions): BatchTarget {
  const url = queueUrlOf(queue) ?? queue;
  return new BatchCalls<MessageResult>(
    {
      ...{ name: "a queue", service: "sqs", headers: HEADERS, answerBytesMax: ANSWER_BYTES },
      throttled: THROTTLED,
      isThrottle,
      bodyBytesMax: (messages) => messagesBytesMax(url, messages),
      writeBody: (into, from, messages) => writeMessages(into, from, url, messages),
      results: messageResults,
      endOf: endOfMessage,
      shardOf: () => -1,
      sequenceOf: ({ MessageId }) => MessageId,
    },
    options,
  );
}

function endOfMessage({ MessageId, Code, SenderFault }: MessageResult): End {
  if (Code === undefined) return MessageId === undefined ? SERVICE : OK;
  if (isThrottle(Code)) return THROTTLED;
  return SenderFault === false ? MAYBE : SERVICE;
}

const isThrottle = (code: string): boolean => THROTTLES.includes(code.split(".").at(-1) ?? "");
