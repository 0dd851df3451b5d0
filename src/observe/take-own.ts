// Takes a run's own messages out of a queue that others use too, and gives the others back.
import type { ControlPlane, Json } from "../core/change.ts";
import type { Claim } from "../core/claim.ts";
import { messageOf } from "../core/error.ts";
import type { CleanUpEvent } from "../core/facts.ts";
import type { CleanUpSpec } from "../core/scenario.ts";
import type { Clock } from "../core/time.ts";
import { claimOf } from "./claim-of.ts";

export interface TakeOwnOptions {
  readonly spec: CleanUpSpec;
  readonly control: ControlPlane;
  readonly clock: Pick<Clock, "nowUs">;
  /** Ends the waiting: what is there is still cleaned up, once. */
  readonly signal: AbortSignal;
  /** Which of these are the run's own, in their order. */
  readonly areOurs: (claims: readonly Claim[]) => Promise<readonly boolean[]>;
}

export type Taken = Pick<
  CleanUpEvent,
  "found" | "ours" | "deleted" | "given_back" | "end" | "detail"
>;

/** Some kilobytes each are held. */
const MESSAGES_MAX = 10_000;
/** A call of a batch, or of a receive, takes so many (AWS). */
const BATCH = 10;
/** A long poll asks all of a queue's servers; a short one may find nothing where there is. */
const POLL_S = 1;
/** For reading whose messages are, and for deleting them, before they show themselves again. */
const AFTERWARDS_S = 300;
const US_PER_S = 1_000_000;

interface Held {
  readonly claim: Claim;
  readonly receipt: string;
}

/**
 * Every message is received once and held back until all are looked at, so that none is received
 * again and again; then the run's own are deleted and the others made visible at once. What fails
 * is told, never thrown: what could be neither deleted nor given back shows itself by time.
 */
export async function takeOwn(options: TakeOwnOptions): Promise<Taken> {
  const held = new Map<string, Held>();
  const deleted = new Set<Held>();
  const back = new Set<Held>();
  let ours: readonly Held[] = [];
  let end: Taken["end"] = "failed";
  let detail = "";
  const trying = async (step: () => Promise<void>): Promise<void> => {
    try {
      await step();
    } catch (error) {
      end = "failed";
      detail ||= messageOf(error);
    }
  };
  await trying(async () => {
    const how = await hold(options, held);
    const all = [...held.values()];
    const flags = await options.areOurs(all.map(({ claim }) => claim));
    ours = all.filter((_, i) => flags[i] === true);
    await inBatches(options, "DeleteMessageBatch", ours, deleted);
    end = how;
  });
  await trying(async () => {
    const rest = [...held.values()].filter((one) => !deleted.has(one));
    await inBatches(options, "ChangeMessageVisibilityBatch", rest, back);
  });
  const counts = { found: held.size, ours: ours.length, deleted: deleted.size };
  return { ...counts, given_back: back.size, end, detail };
}

/** Fills `held`, by message id, until the queue is quiet; how it ended. */
async function hold(
  { spec, control, clock, signal }: TakeOwnOptions,
  held: Map<string, Held>,
): Promise<Taken["end"]> {
  const deadlineUs = clock.nowUs() + spec.atMostUs;
  let sinceUs = clock.nowUs();
  for (;;) {
    const { Messages = [] } = (await control.call("sqs", "ReceiveMessage", {
      QueueUrl: queueUrl(spec.queue),
      MaxNumberOfMessages: BATCH,
      VisibilityTimeout: Math.ceil(spec.atMostUs / US_PER_S) + AFTERWARDS_S,
      WaitTimeSeconds: POLL_S,
    })) as { readonly Messages?: readonly { readonly [key: string]: unknown }[] };
    for (const { MessageId, ReceiptHandle, Body } of Messages) {
      const id = String(MessageId);
      held.set(id, { claim: claimOf(id, Body), receipt: String(ReceiptHandle) });
    }
    const nowUs = clock.nowUs();
    if (held.size >= MESSAGES_MAX) return "full";
    if (Messages.length > 0) sinceUs = nowUs;
    else if (signal.aborted) return "stopped";
    else if (nowUs - sinceUs >= spec.quietUs) return "quiet";
    if (nowUs >= deadlineUs) return "at-most";
  }
}

/** Adds to `done` those for which the queue has done it; rejects at the first call that fails. */
async function inBatches(
  { spec, control }: TakeOwnOptions,
  action: "DeleteMessageBatch" | "ChangeMessageVisibilityBatch",
  list: readonly Held[],
  done: Set<Held>,
): Promise<void> {
  const shown = action === "DeleteMessageBatch" ? {} : { VisibilityTimeout: 0 };
  for (let from = 0; from < list.length; from += BATCH) {
    const part = list.slice(from, from + BATCH);
    const Entries = part.map(({ receipt }, i): Json => {
      return { Id: String(i), ReceiptHandle: receipt, ...shown };
    });
    const input = { QueueUrl: queueUrl(spec.queue), Entries };
    const { Successful = [] } = (await control.call("sqs", action, input)) as {
      readonly Successful?: readonly { readonly Id?: string }[];
    };
    for (const { Id } of Successful) {
      const one = part[Number(Id)];
      if (one !== undefined) done.add(one);
    }
  }
}

/**
 * Before anything is sent: the queue is there, and looking into it moves nobody's message.
 * Rejects with the AwsFailure of a queue that cannot be read; "" = it is all right.
 */
export async function whyNotTaken({
  spec,
  control,
}: Pick<TakeOwnOptions, "spec" | "control">): Promise<string> {
  const input = { QueueUrl: queueUrl(spec.queue), AttributeNames: ["RedrivePolicy"] };
  const { Attributes } = await control.call("sqs", "GetQueueAttributes", input);
  const policy = (Attributes as { readonly RedrivePolicy?: string } | undefined)?.RedrivePolicy;
  return policy === undefined
    ? ""
    : "it has a dead-letter queue of its own, and each look counts as a receive: " +
        "others' messages could be moved there";
}

/** The address as AWS makes it of the ARN's parts; where calls go is the control plane's matter. */
function queueUrl(arn: string): string {
  const [, , , region, account, name] = arn.split(":");
  return `https://sqs.${region}.amazonaws.com/${account}/${name}`;
}
