// What a schedule's description tells any machine about a change, in few enough characters.
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Fields, Json, ReadBack } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";

/** Limit of a schedule's description. */
const NOTE_CHARACTERS_MAX = 512;

/** What notes have in common, so that it takes no room in them. Other words are another format. */
const WORDS = Buffer.from(
  [
    '"none":["ResourceNotFoundException","ResourceNotFound"]"kind":"mute-alarms"',
    '"read":"cloudwatch:GetAlarmMuteRule","with":{"AlarmMuteRuleName":"gatecrash-2026-',
    '"ours":{"Rule.Schedule.Expression":"at(2026-alarm-mute-rule:gatecrash-',
    '"busy":{"LastUpdateStatus":["InProgress"],"State":["Pending"]}',
    '"busy":{"State":["Creating","Enabling","Disabling","Updating","Deleting"]}',
    '"read":"lambda:GetFunctionConcurrency","read":"lambda:GetEventSourceMapping","read":"lambda:',
    'GetFunctionConfiguration","with":{"FunctionName":"","ReservedConcurrentExecutions":0,"UUID":',
    '"read":"lambda:GetAlias","FunctionVersion":"1","RoutingConfig.AdditionalVersionWeights"',
    '"read":"sqs:GetQueueAttributes","with":{"QueueUrl":"https://sqs.us-east-1.amazonaws.com/',
    '"AttributeNames":["VisibilityTimeout"]},"Attributes.VisibilityTimeout":"30"',
    '"share":1,"act":"delay","delay_ms":300,"p99_ms":2000,"only":["PutItem","status":503',
    '"act":"drop","per_call":true,"act":"reset","hang","error"',
    '"ours":{"Parameters.0.Value":"{\\"v\\":1,\\"for_s\\":180,\\"share\\":0.1,\\"seed\\":',
    '\\"act\\":\\"delay\\",\\"delay_ms\\":300,\\"p99_ms\\":2000,\\"only\\":[\\"PutItem\\"]}"}}',
    '"read":"ssm:GetParameters","with":{"Names":["/gatecrash/dependency/',
    '"on":"arn:aws:lambda:us-east-1::function:","on":"arn:aws:sqs:eu-west-1::","on":"arn:aws:ssm:',
    'eu-west-1:","parameter/gatecrash/dependency/","event-source-mapping:","by":"ip-10-0-.eu-',
    'west-1.compute.internal:","prior":{},"ours":{"abort":"',
    '{"v":1,"run":"2026-","fault":"","kind":"reserved-concurrency","slow-dependency",',
    '"force-retries","event-source","recycle-environments"',
  ].join(""),
);

/** What a schedule tells any machine about a change; the undo call is the schedule's target. */
export interface LeaseNote {
  readonly v: 1;
  readonly run: string;
  readonly fault: string;
  readonly kind: string;
  /** ARN of what is changed. */
  readonly on: string;
  /** Who changes it: `holderName`. */
  readonly by: string;
  /** How it is read: `lambda:GetFunctionConcurrency`, and with what. */
  readonly read: string;
  readonly with: { readonly [key: string]: Json };
  readonly prior: Fields;
  readonly ours: Fields;
  /** Values that are read while AWS is at work. */
  readonly busy?: NonNullable<ReadBack["unsettled"]>;
  /** Errors that say that there is none. */
  readonly none?: NonNullable<ReadBack["absent"]>;
  /** Set from any machine: the run shall stop. Who asked. */
  readonly abort?: string;
}

/** At most 512 characters: JSON, or packed where that is too long. Throws "refused" if both are. */
export function encodeNote(note: LeaseNote): string {
  const text = JSON.stringify(note);
  if (text.length <= NOTE_CHARACTERS_MAX) return text;
  const packed = `deflate:${deflateRawSync(text, { dictionary: WORDS }).toString("base64")}`;
  if (packed.length <= NOTE_CHARACTERS_MAX) return packed;
  throw new GatecrashError(
    "refused",
    `fault ${note.fault}: what ${note.on} was before does not fit into a schedule's description`,
    { hint: "without that record no other machine could put it back; nothing was changed" },
  );
}

export function decodeNote(text: string): LeaseNote | null {
  try {
    const [, packed] = /^deflate:(.+)$/.exec(text) ?? [];
    const json = packed === undefined ? text : unpacked(packed);
    const note = JSON.parse(json) as Partial<LeaseNote>;
    return note.v === 1 && typeof note.run === "string" ? (note as LeaseNote) : null;
  } catch {
    return null;
  }
}

function unpacked(text: string): string {
  return inflateRawSync(Buffer.from(text, "base64"), { dictionary: WORDS }).toString();
}
