// ChangeMessageVisibility and its batch: a new timeout from now, for messages in flight only.
import { US_PER_S } from "../../core/time.ts";
import type { JsonInput } from "../wire/aws-json.ts";
import type { World } from "../world.ts";
import { entriesOf, forEach } from "./batch.ts";
import {
  badValue,
  messageNotInflight,
  missingParameter,
  receiptHandleIsInvalid,
} from "./errors.ts";
import { queueOf, textOf, wholeOf } from "./input.ts";
import type { Queue } from "./queue.ts";

/** Twelve hours, also from the first receive on. */
const VISIBILITY_MAX_S = 43_200;

export function changeMessageVisibility(world: World, input: JsonInput): object {
  return changeOne(world, queueOf(world, input), input);
}

export function changeMessageVisibilityBatch(world: World, input: JsonInput): object {
  const queue = queueOf(world, input);
  const entries = entriesOf(input, "ChangeMessageVisibilityBatchRequestEntry");
  return forEach(entries, (entry) => changeOne(world, queue, entry));
}

function changeOne(world: World, queue: Queue, input: JsonInput): object {
  const handle = textOf(input, "ReceiptHandle");
  const reason = `Must be between 0 and ${VISIBILITY_MAX_S}, if provided.`;
  const seconds = wholeOf(input, "VisibilityTimeout", [0, VISIBILITY_MAX_S], reason);
  if (seconds === undefined) throw missingParameter("VisibilityTimeout");
  const at = world.queues.now();
  const shown = queue.advance(at);
  const found = queue.find(handle);
  if (found === null) throw receiptHandleIsInvalid(handle);
  if (found === "stale" || found.state !== "in-flight") throw messageNotInflight(handle);
  const heldMs = at.epochMs - (found.firstReceiveEpochMs ?? at.epochMs);
  if (heldMs + seconds * 1_000 > VISIBILITY_MAX_S * 1_000)
    throw badValue(
      seconds,
      "VisibilityTimeout",
      `Total VisibilityTimeout for the message is beyond the limit [${VISIBILITY_MAX_S} seconds]`,
    );
  queue.hideFor(found, seconds * US_PER_S, at);
  world.queues.woke(queue, shown + (seconds === 0 ? 1 : 0));
  return {};
}
