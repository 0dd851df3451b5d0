// SendMessageBatch: up to ten messages, up to 1 MiB together, each with its own answer.
import type { JsonInput } from "../wire/aws-json.ts";
import type { World } from "../world.ts";
import { entriesOf, forEach } from "./batch.ts";
import { batchTooLong } from "./errors.ts";
import { queueOf } from "./input.ts";
import { sendOne } from "./send-message.ts";
import { MESSAGE_BYTES_MAX } from "./settings.ts";

export function sendMessageBatch(world: World, input: JsonInput): object {
  const queue = queueOf(world, input);
  const entries = entriesOf(input, "SendMessageBatchRequestEntry");
  const sizeBytes = entries.reduce((sum, entry) => sum + roughBytes(entry), 0);
  if (sizeBytes > MESSAGE_BYTES_MAX) throw batchTooLong(sizeBytes, MESSAGE_BYTES_MAX);
  return forEach(entries, (entry) => sendOne(world, queue, entry));
}

/** Of body and attribute values, before anything is checked. */
function roughBytes({ MessageBody: body, MessageAttributes: attributes }: JsonInput): number {
  const values = Object.entries((attributes ?? {}) as { [name: string]: unknown });
  return values.reduce(
    (sum, [name, value]) => {
      const { DataType, StringValue, BinaryValue } = (value ?? {}) as { [key: string]: unknown };
      const texts = [name, DataType, StringValue].map((text) => Buffer.byteLength(textOr(text)));
      const binaryBytes = Buffer.byteLength(textOr(BinaryValue), "base64");
      return texts.reduce((a, b) => a + b, sum + binaryBytes);
    },
    Buffer.byteLength(textOr(body)),
  );
}

const textOr = (value: unknown): string => (typeof value === "string" ? value : "");
