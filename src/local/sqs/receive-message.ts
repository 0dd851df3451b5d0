// ReceiveMessage: up to ten messages, at once or after a long poll.
import type { JsonInput } from "../wire/aws-json.ts";
import type { World } from "../world.ts";
import { overLimit } from "./errors.ts";
import { namesOf, queueOf, wholeOf } from "./input.ts";
import { type MessageAttributes, md5OfAttributes } from "./message.ts";
import { systemAttributesOf } from "./message-attributes.ts";
import { IN_FLIGHT_MAX, type Received } from "./queue.ts";
import { RECEIVE_MAX } from "./queue-table.ts";

export async function receiveMessage(world: World, input: JsonInput): Promise<object> {
  const queue = queueOf(world, input);
  const between = `Must be between 1 and ${RECEIVE_MAX}, if provided.`;
  const max = wholeOf(input, "MaxNumberOfMessages", [1, RECEIVE_MAX], between) ?? 1;
  const waits = "Must be >= 0 and <= 20, if provided.";
  const waitS = wholeOf(input, "WaitTimeSeconds", [0, 20], waits) ?? queue.settings.receiveWaitS;
  const hides = "Must be >= 0 and <= 43200, if provided.";
  const visibilityS =
    wholeOf(input, "VisibilityTimeout", [0, 43_200], hides) ?? queue.settings.visibilityTimeoutS;
  // A long poll with everything in flight just finds nothing (AWS: quotas of queues).
  if (waitS === 0 && queue.counts().inFlight >= IN_FLIGHT_MAX) {
    queue.advance(world.queues.now());
    if (queue.counts().inFlight >= IN_FLIGHT_MAX) throw overLimit();
  }
  const received = await world.queues.receive(queue, { max, waitS, visibilityS });
  if (received.length === 0) return {};
  const system = namesOf(input, "MessageSystemAttributeNames", "AttributeNames");
  const own = namesOf(input, "MessageAttributeNames");
  return { Messages: received.map((one) => messageAnswer(one, system, own)) };
}

function messageAnswer(
  { message, receipt }: Received,
  system: readonly string[],
  own: readonly string[],
): object {
  const wanted = chosen(message.attributes, own);
  const attributes = Object.entries(systemAttributesOf(message)).filter(
    ([name]) => system.includes(name) || system.includes("All"),
  );
  return {
    MessageId: message.id,
    ReceiptHandle: receipt,
    MD5OfBody: message.md5OfBody,
    Body: message.body,
    ...(attributes.length === 0 ? {} : { Attributes: Object.fromEntries(attributes) }),
    ...(Object.keys(wanted).length === 0
      ? {}
      : { MD5OfMessageAttributes: md5OfAttributes(wanted), MessageAttributes: wanted }),
  };
}

/** By name, by `prefix.*`, or all of them. */
function chosen(attributes: MessageAttributes, wanted: readonly string[]): MessageAttributes {
  const all = wanted.includes("All") || wanted.includes(".*");
  const prefixes = wanted.filter((name) => name.endsWith(".*")).map((name) => name.slice(0, -2));
  return Object.fromEntries(
    Object.entries(attributes).filter(
      ([name]) => all || wanted.includes(name) || prefixes.some((start) => name.startsWith(start)),
    ),
  );
}
