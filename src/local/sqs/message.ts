// One message of a queue, and the checksums that clients verify.
import { createHash } from "node:crypto";

export interface MessageAttribute {
  /** `String`, `Number` or `Binary`, with an optional own label behind a dot. */
  readonly DataType: string;
  readonly StringValue?: string;
  /** Base64. */
  readonly BinaryValue?: string;
}

export type MessageAttributes = { readonly [name: string]: MessageAttribute };

export interface NewMessage {
  readonly body: string;
  readonly attributes: MessageAttributes;
  /** `AWSTraceHeader` is the only one there is. */
  readonly systemAttributes: MessageAttributes;
  readonly senderId: string;
}

export interface Message extends NewMessage {
  readonly id: string;
  readonly md5OfBody: string;
  readonly sentEpochMs: number;
  receiveCount: number;
  /** null = never received. */
  firstReceiveEpochMs: number | null;
  /** ARN of the queue that gave it up, in a dead-letter queue. */
  deadLetterSource: string | null;
  state: "visible" | "delayed" | "in-flight" | "gone";
  /** Grows with every change of state: what was noted before is then out of date. */
  stamp: number;
  /** End of the delay or of the visibility timeout. */
  dueUs: number;
}

export const md5 = (text: string): string => createHash("md5").update(text).digest("hex");

/** The checksum of message attributes (SQS developer guide: "Calculating the MD5…"). */
export function md5OfAttributes(attributes: MessageAttributes): string {
  const hash = createHash("md5");
  const field = (bytes: Buffer): void => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  };
  for (const name of Object.keys(attributes).sort()) {
    const { DataType, StringValue = "", BinaryValue } = attributes[name]!;
    field(Buffer.from(name));
    field(Buffer.from(DataType));
    hash.update(Buffer.of(BinaryValue === undefined ? 1 : 2));
    field(
      BinaryValue === undefined ? Buffer.from(StringValue) : Buffer.from(BinaryValue, "base64"),
    );
  }
  return hash.digest("hex");
}

/** What counts against the size limits: the body, and names, types and values of attributes. */
export function sizeBytesOf(message: Pick<NewMessage, "body" | "attributes">): number {
  let sizeBytes = Buffer.byteLength(message.body);
  for (const [name, value] of Object.entries(message.attributes)) {
    sizeBytes += Buffer.byteLength(name) + Buffer.byteLength(value.DataType);
    sizeBytes += Buffer.byteLength(value.StringValue ?? "");
    sizeBytes += Buffer.byteLength(value.BinaryValue ?? "", "base64");
  }
  return sizeBytes;
}
