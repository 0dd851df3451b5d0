// SQS through boto3 and AWS's command line: old versions speak the Query protocol, new ones JSON.
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalAws } from "../../../src/local/start.ts";
import { QUEUES_TEMPLATE, startSystem } from "../clients.ts";
import { AWS_CLIS, aws, BOTOS, python } from "../other-clients.ts";

const SCRIPT = fileURLToPath(new URL("./boto.py", import.meta.url));
let local: LocalAws;

beforeAll(async () => {
  local = await startSystem({ template: QUEUES_TEMPLATE });
});
afterAll(() => local.stop());

describe("boto3", () => {
  it.skipIf(BOTOS.length > 0)("is not on this machine: apt-get install python3-boto3", () => {});

  it.each(BOTOS)(
    "$version does everything that there is to do",
    { timeout: 120_000 },
    async ({ program, version }) => {
      const prefix = `boto-${version.replaceAll(".", "-")}`;
      expect(await python(program, SCRIPT, [local.endpoint, prefix])).toEqual({
        same_url: true,
        listed: 2,
        sources: true,
        body: true,
        md5: [true, true],
        count: "1",
        depot: "ghent & <co>",
        raw: [0, 1, 255],
        given_up: [],
        dead: [true, true],
        sent: [["a"], [["b", true, "InvalidParameterValue"]]],
        changed: ["a"],
        deleted: ["x"],
        visibility: "7",
        purge: ["AWS.SimpleQueueService.PurgeQueueInProgress", 403, "PurgeQueueInProgress"],
        too_many: ["InvalidParameterValue", 400, "ClientError"],
        missing: ["AWS.SimpleQueueService.NonExistentQueue", 400, "QueueDoesNotExist"],
      });
    },
  );
});

describe("the command line", () => {
  it.skipIf(AWS_CLIS.length > 0)("is not on this machine: apt-get install awscli", () => {});

  it.each(AWS_CLIS)(
    "$version sends, receives and sees errors",
    { timeout: 120_000 },
    async ({ program }) => {
      const run = (...args: string[]) => aws(program, local.endpoint, ["sqs", ...args]);
      const at = ["--queue-url", local.outputs.PlainUrl ?? ""];
      const sent = (await run("send-message", ...at, "--message-body", "<hello>")) as object;
      const got = await run("receive-message", ...at, "--attribute-names", "All");
      expect(got).toMatchObject({
        Messages: [
          { ...renamed(sent), Body: "<hello>", Attributes: { ApproximateReceiveCount: "1" } },
        ],
      });
      const { Messages: [{ ReceiptHandle = "" } = {}] = [] } = got as {
        Messages?: { ReceiptHandle?: string }[];
      };
      await run("delete-message", ...at, "--receipt-handle", ReceiptHandle);
      const depth = await run("get-queue-attributes", ...at, "--attribute-names", "All");
      expect(depth).toMatchObject({
        Attributes: {
          ApproximateNumberOfMessages: "0",
          ApproximateNumberOfMessagesNotVisible: "0",
          VisibilityTimeout: "30",
        },
      });
      const missing = run("get-queue-url", "--queue-name", "nobody");
      await expect(missing).rejects.toThrow(/\(AWS\.SimpleQueueService\.NonExistentQueue\)/);
    },
  );
});

/** What SendMessage calls MD5OfMessageBody, ReceiveMessage calls MD5OfBody. */
function renamed(sent: { MessageId?: string; MD5OfMessageBody?: string }): object {
  return { MessageId: sent.MessageId, MD5OfBody: sent.MD5OfMessageBody };
}
