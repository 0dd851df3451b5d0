// An event on its way to a queue or a function.
import type { QueueTable } from "../sqs/queue-table.ts";
import type { Deliver, Event, EventTarget } from "./event-buses.ts";

export interface DeliverDeps {
  readonly account: string;
  readonly queues: QueueTable;
  /** Invokes a function asynchronously. */
  invoke(functionArn: string, payload: string): Promise<unknown>;
}

/** What is not there (any more) gets nothing, and nobody hears of it. */
export const deliverTo =
  ({ account, queues, invoke }: DeliverDeps): Deliver =>
  (target, event) => {
    const body = bodyOf(target, event);
    const queue = queues.byArn(target.arn);
    if (queue === undefined) {
      invoke(target.arn, body).catch(() => {});
      return;
    }
    const message = { body, attributes: {}, systemAttributes: {}, senderId: account };
    queues.send(queue, message, Buffer.byteLength(body));
  };

function bodyOf({ input, inputPath }: EventTarget, event: Event): string {
  if (input !== null) return input;
  const path = inputPath === null ? [] : inputPath.split(".").slice(1);
  const part = path.reduce<unknown>((of, key) => {
    const isThere = typeof of === "object" && of !== null && Object.hasOwn(of, key);
    return isThere ? Reflect.get(of, key) : undefined;
  }, event);
  return JSON.stringify(part ?? null);
}
