// SendMessage, and what SendMessageBatch does for each of its entries.
import type { JsonInput } from "../wire/aws-json.ts";
import type { World } from "../world.ts";
import { badValue, invalidMessageContents, invalidParameterValue } from "./errors.ts";
import { messageAttributesOf, queueOf, textOf, wholeOf } from "./input.ts";
import { type Message, md5OfAttributes, type NewMessage, sizeBytesOf } from "./message.ts";
import type { Queue } from "./queue.ts";

export function sendMessage(world: World, input: JsonInput): object {
  const queue = queueOf(world, input);
  return sendOne(world, queue, input);
}

/** Checks, sends, and answers with the checksums that clients verify. */
export function sendOne(world: World, queue: Queue, input: JsonInput): object {
  const message = messageOf(world, queue, input);
  const delayS = wholeOf(input, "DelaySeconds", [0, 900], "DelaySeconds must be >= 0 and <= 900.");
  const sent = world.queues.send(queue, message, sizeBytesOf(message), delayS);
  return sentAnswer(sent);
}

function sentAnswer({ id, md5OfBody, attributes, systemAttributes }: Message): object {
  const some = (map: object): boolean => Object.keys(map).length > 0;
  return {
    MessageId: id,
    MD5OfMessageBody: md5OfBody,
    ...(some(attributes) ? { MD5OfMessageAttributes: md5OfAttributes(attributes) } : {}),
    ...(some(systemAttributes)
      ? { MD5OfMessageSystemAttributes: md5OfAttributes(systemAttributes) }
      : {}),
  };
}

/** Everything but these is refused, as XML could not carry it. */
const NOT_ALLOWED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are meant
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

function messageOf(world: World, queue: Queue, input: JsonInput): NewMessage {
  const fifoOnly = input.MessageDeduplicationId ?? undefined;
  if (fifoOnly !== undefined)
    throw badValue(
      fifoOnly,
      "MessageDeduplicationId",
      "The request includes a parameter that is not valid for this queue type",
    );
  const body = textOf(input, "MessageBody");
  if (NOT_ALLOWED.test(body)) throw invalidMessageContents();
  const message: NewMessage = {
    body,
    attributes: messageAttributesOf(input, "MessageAttributes"),
    systemAttributes: messageAttributesOf(input, "MessageSystemAttributes"),
    senderId: world.account,
  };
  const maxBytes = queue.settings.maximumMessageBytes;
  if (sizeBytesOf(message) > maxBytes)
    throw invalidParameterValue(
      "One or more parameters are invalid. " +
        `Reason: Message must be shorter than ${maxBytes} bytes.`,
    );
  return message;
}
