// A queue hands its messages out again after a given time, long before their consumer is done.
import type { Change, Fault } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import { queueUrlOf } from "../core/partition.ts";
import type { FaultSpec } from "../core/scenario.ts";
import { US_PER_S } from "../core/time.ts";

const NAME = "VisibilityTimeout";
const FIELD = `Attributes.${NAME}`;

/** Throws GatecrashError("scenario") for a text that is no queue's ARN. */
export function visibilityTimeout({ kind, name, input }: FaultSpec): Fault {
  const arn = String(input.queue);
  const queue = { QueueUrl: queueUrl(name, arn) };
  const to = String(Number(input.visibility) / US_PER_S);
  const read = {
    action: "GetQueueAttributes",
    input: { ...queue, AttributeNames: [NAME] },
    fields: [FIELD],
  };
  const set = (seconds: string): Change => ({
    service: "sqs",
    action: "SetQueueAttributes",
    input: { ...queue, Attributes: { [NAME]: seconds } },
    readBack: read,
  });
  return {
    kind,
    name,
    resources: [arn],
    read: { service: "sqs", ...read },
    faulted: { [FIELD]: to },
    inject: (prior) => (prior[FIELD] === to ? [] : [set(to)]),
    // Every queue has one, so it is never unset.
    undo: (prior) => (prior[FIELD] === to ? [] : [set(String(prior[FIELD]))]),
    probe: {
      service: "sqs",
      ...read,
      inForce: ({ output }) => (output.Attributes as { [name: string]: string })?.[NAME] === to,
    },
  };
}

/** The queue's own address; where the call goes is the control plane's business. */
function queueUrl(fault: string, arn: string): string {
  const url = queueUrlOf(arn);
  if (url !== null) return url;
  throw new GatecrashError("scenario", `fault ${fault}: ${arn} is no queue's ARN`, {
    hint: "give it as in arn:aws:sqs:eu-west-1:123456789012:orders",
  });
}
