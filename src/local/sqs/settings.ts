// A queue's attributes: defaults, limits, and how they are written.

import type { JsonInput } from "../wire/aws-json.ts";
import { said } from "../wire/said.ts";
import { invalidAttributeName, invalidAttributeValue } from "./errors.ts";

export interface QueueSettings {
  readonly visibilityTimeoutS: number;
  readonly delayS: number;
  readonly maximumMessageBytes: number;
  readonly retentionS: number;
  readonly receiveWaitS: number;
  readonly redrive: RedrivePolicy | null;
  /** Attributes that are kept and given back but change nothing here. */
  readonly kept: { readonly [name: string]: string };
}

export interface RedrivePolicy {
  readonly deadLetterTargetArn: string;
  readonly maxReceiveCount: number;
}

/** Bytes of a message, and of all messages of a batch; 256 KiB until 2025. */
export const MESSAGE_BYTES_MAX = 1_048_576;

/** SQS's own defaults. */
export const DEFAULT_SETTINGS: QueueSettings = {
  visibilityTimeoutS: 30,
  delayS: 0,
  maximumMessageBytes: MESSAGE_BYTES_MAX,
  retentionS: 345_600,
  receiveWaitS: 0,
  redrive: null,
  kept: {},
};

type NumberKey =
  | "visibilityTimeoutS"
  | "delayS"
  | "maximumMessageBytes"
  | "retentionS"
  | "receiveWaitS";

const NUMBERS: { readonly [name: string]: readonly [NumberKey, low: number, high: number] } = {
  VisibilityTimeout: ["visibilityTimeoutS", 0, 43_200],
  DelaySeconds: ["delayS", 0, 900],
  MaximumMessageSize: ["maximumMessageBytes", 1_024, MESSAGE_BYTES_MAX],
  MessageRetentionPeriod: ["retentionS", 60, 1_209_600],
  ReceiveMessageWaitTimeSeconds: ["receiveWaitS", 0, 20],
};

const KEPT = [
  "Policy",
  "RedriveAllowPolicy",
  "KmsMasterKeyId",
  "KmsDataKeyReusePeriodSeconds",
  "SqsManagedSseEnabled",
];

/** `settings` with the attributes of a CreateQueue or SetQueueAttributes; throws AWS's errors. */
export function withAttributes(settings: QueueSettings, attributes: JsonInput): QueueSettings {
  let changed = settings;
  for (const [name, given] of Object.entries(attributes)) {
    const text = said(given);
    const number = Object.hasOwn(NUMBERS, name) ? NUMBERS[name] : undefined;
    if (number !== undefined) changed = { ...changed, [number[0]]: numberOf(name, text, number) };
    else if (name === "RedrivePolicy") changed = { ...changed, redrive: redriveOf(text) };
    else if (KEPT.includes(name)) changed = { ...changed, kept: { ...changed.kept, [name]: text } };
    else throw invalidAttributeName(name);
  }
  return changed;
}

function numberOf(
  name: string,
  text: string,
  [, low, high]: readonly [NumberKey, number, number],
): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= low && value <= high) return value;
  throw invalidAttributeValue(name);
}

/** An empty policy removes it. */
function redriveOf(text: string): RedrivePolicy | null {
  if (text === "") return null;
  try {
    const policy = JSON.parse(text) as { [key: string]: unknown };
    const { deadLetterTargetArn: arn } = policy;
    const count = Number(policy.maxReceiveCount);
    if (typeof arn === "string" && Number.isInteger(count) && count >= 1 && count <= 1_000)
      return { deadLetterTargetArn: arn, maxReceiveCount: count };
  } catch {
    // falls through to the same error
  }
  throw invalidAttributeValue("RedrivePolicy");
}

/** Every attribute that can be set, as GetQueueAttributes writes it. */
export function attributesOf(settings: QueueSettings): { [name: string]: string } {
  const { redrive } = settings;
  return {
    VisibilityTimeout: String(settings.visibilityTimeoutS),
    DelaySeconds: String(settings.delayS),
    MaximumMessageSize: String(settings.maximumMessageBytes),
    MessageRetentionPeriod: String(settings.retentionS),
    ReceiveMessageWaitTimeSeconds: String(settings.receiveWaitS),
    SqsManagedSseEnabled: "true",
    ...settings.kept,
    ...(redrive === null ? {} : { RedrivePolicy: JSON.stringify(redrive) }),
  };
}
