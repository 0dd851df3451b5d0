// SQS's operations, one table for both of its protocols.
import type { JsonInput } from "../wire/aws-json.ts";
import type { World } from "../world.ts";
import {
  changeMessageVisibility,
  changeMessageVisibilityBatch,
} from "./change-message-visibility.ts";
import { deleteMessage, deleteMessageBatch } from "./delete-message.ts";
import {
  createQueue,
  deleteQueue,
  getQueueAttributes,
  getQueueUrl,
  listDeadLetterSourceQueues,
  listQueues,
  purgeQueue,
  setQueueAttributes,
} from "./queue-operations.ts";
import { receiveMessage } from "./receive-message.ts";
import { sendMessage } from "./send-message.ts";
import { sendMessageBatch } from "./send-message-batch.ts";

export type SqsOperation = (world: World, input: JsonInput) => object | Promise<object>;

export const SQS_OPERATIONS: { readonly [name: string]: SqsOperation } = {
  ChangeMessageVisibility: changeMessageVisibility,
  ChangeMessageVisibilityBatch: changeMessageVisibilityBatch,
  CreateQueue: createQueue,
  DeleteMessage: deleteMessage,
  DeleteMessageBatch: deleteMessageBatch,
  DeleteQueue: deleteQueue,
  GetQueueAttributes: getQueueAttributes,
  GetQueueUrl: getQueueUrl,
  ListDeadLetterSourceQueues: listDeadLetterSourceQueues,
  ListQueues: listQueues,
  PurgeQueue: purgeQueue,
  ReceiveMessage: receiveMessage,
  SendMessage: sendMessage,
  SendMessageBatch: sendMessageBatch,
  SetQueueAttributes: setQueueAttributes,
};
