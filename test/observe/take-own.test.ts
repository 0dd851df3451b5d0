// Taking own messages out of a queue when something goes wrong: told, bounded, all given back.
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import type { ControlPlane } from "../../src/core/change.ts";
import { type LocalAws, startLocalAws } from "../../src/local/start.ts";
import { type TakeOwnOptions, takeOwn } from "../../src/observe/take-own.ts";
import { systemClock } from "../../src/run/clock.ts";
import { SkipClock } from "../support/skip-clock.ts";

const TEMPLATE = fileURLToPath(new URL("../fixtures/failures/template.yaml", import.meta.url));
const QueueUrl = "https://sqs.eu-west-1.amazonaws.com/000000000000/failed";
const MESSAGES = 13;

const skipped = new SkipClock();
let local: LocalAws;
let real: ControlPlane;
beforeAll(async () => {
  local = await startLocalAws({ template: TEMPLATE }, skipped);
  const { endpoint } = local;
  real = createControlPlane({ endpoint, region: "eu-west-1", account: null, runId: "take-own" });
});
afterAll(() => local.stop());
beforeEach(async () => {
  await skipped.skip(61_000); // a queue is purged once a minute at most
  await real.call("sqs", "PurgeQueue", { QueueUrl });
  for (let i = 0; i < MESSAGES; i++)
    await real.call("sqs", "SendMessage", { QueueUrl, MessageBody: `${i}` });
});

/** The queue itself, but for the n-th call of an action, which fails. */
function failing(action: string, nth: number): ControlPlane {
  let calls = 0;
  return {
    call: (service, name, input) => {
      if (name === action && ++calls === nth) return Promise.reject(new Error(`no ${name}`));
      return real.call(service, name, input);
    },
  };
}

async function visible(): Promise<number> {
  const AttributeNames = ["ApproximateNumberOfMessages"];
  const { Attributes } = await real.call("sqs", "GetQueueAttributes", { QueueUrl, AttributeNames });
  return Number((Attributes as { [name: string]: string }).ApproximateNumberOfMessages);
}

const take = (more: Partial<TakeOwnOptions> = {}, atMostUs = 60_000_000) =>
  takeOwn({
    spec: { queue: "arn:aws:sqs:eu-west-1:000000000000:failed", quietUs: 1, atMostUs },
    control: real,
    clock: systemClock(),
    signal: new AbortController().signal,
    areOurs: async (claims) => claims.map((_, i) => i % 2 === 0),
    ...more,
  });

it("deletes what is its own, and shows the others at once", async () => {
  const counts = { found: 13, ours: 7, deleted: 7, given_back: 6 };
  expect(await take()).toEqual({ ...counts, end: "quiet", detail: "" });
  expect(await visible()).toBe(6);
});

it.each([
  ["ReceiveMessage", 1, { found: 0, ours: 0, deleted: 0, given_back: 0 }, 13],
  ["ReceiveMessage", 2, { found: 10, ours: 0, deleted: 0, given_back: 10 }, 13],
  ["DeleteMessageBatch", 1, { found: 13, ours: 7, deleted: 0, given_back: 13 }, 13],
  ["ChangeMessageVisibilityBatch", 1, { found: 13, ours: 7, deleted: 7, given_back: 0 }, 0],
] as const)(
  "tells that %s failed, call %i, and gives back what it can",
  async (action, nth, counts, shown) => {
    const taken = await take({ control: failing(action, nth) });
    expect(taken).toEqual({ ...counts, end: "failed", detail: `no ${action}` });
    expect(await visible()).toBe(shown);
  },
);

it("deletes nothing when it cannot be told whose the messages are", async () => {
  const areOurs = () => Promise.reject(new Error("items/ is torn"));
  const counts = { found: 13, ours: 0, deleted: 0, given_back: 13 };
  expect(await take({ areOurs })).toEqual({ ...counts, end: "failed", detail: "items/ is torn" });
  expect(await visible()).toBe(MESSAGES);
});

it("ends when its time is over, with what it has", async () => {
  const counts = { found: 10, ours: 5, deleted: 5, given_back: 5 };
  expect(await take({}, 1)).toEqual({ ...counts, end: "at-most", detail: "" });
});

it("of a stopped run cleans up what is there, without waiting", async () => {
  const counts = { found: 13, ours: 7, deleted: 7, given_back: 6 };
  const signal = AbortSignal.abort();
  const taken = await take({ signal });
  expect(taken).toEqual({ ...counts, end: "stopped", detail: "" });
});
