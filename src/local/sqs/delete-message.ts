// DeleteMessage and its batch: also after the visibility timeout, as long as nobody received it.
import type { JsonInput } from "../wire/aws-json.ts";
import type { World } from "../world.ts";
import { entriesOf, forEach } from "./batch.ts";
import { receiptHandleIsInvalid } from "./errors.ts";
import { queueOf, textOf } from "./input.ts";
import type { Queue } from "./queue.ts";

export function deleteMessage(world: World, input: JsonInput): object {
  return deleteOne(world, queueOf(world, input), input);
}

export function deleteMessageBatch(world: World, input: JsonInput): object {
  const queue = queueOf(world, input);
  const entries = entriesOf(input, "DeleteMessageBatchRequestEntry");
  return forEach(entries, (entry) => deleteOne(world, queue, entry));
}

/** An old handle of a message that was received again succeeds, and deletes nothing. */
function deleteOne(world: World, queue: Queue, input: JsonInput): object {
  const handle = textOf(input, "ReceiptHandle");
  const found = queue.find(handle);
  if (found === null) throw receiptHandleIsInvalid(handle);
  if (found !== "stale") {
    queue.remove(found);
    world.queues.removed(queue, 1);
  }
  return {};
}
