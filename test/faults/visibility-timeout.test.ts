// A queue that hands out its messages too early: changes as data, and the conformance over HTTP.
import { describe, expect, test } from "vitest";
import type { ControlPlane, Fields } from "../../src/core/change.ts";
import { commandOf } from "../../src/core/command.ts";
import type { FaultSpec } from "../../src/core/scenario.ts";
import { forceRetries } from "../../src/faults/force-retries.ts";
import { DEFAULT_SETTINGS } from "../../src/local/sqs/settings.ts";
import { faultConformance } from "../conformance/fault.ts";
import { Life } from "../support/fault-life.ts";
import { startSubject } from "../support/local-subject.ts";
import { memorySubject } from "../support/memory-subject.ts";

const FIELD = "Attributes.VisibilityTimeout";
const arnOf = (name: string): string => `arn:aws:sqs:eu-west-1:000000000000:${name}`;

const made = (name: string, queue: string, visibilityS = 0) => {
  const input: FaultSpec["input"] = { queue, visibility: visibilityS * 1_000_000 };
  const window = { during: null, startUs: 0, endUs: 30_000_000, line: 1 };
  return forceRetries({ kind: "force-retries", name, ...window, input }, 7);
};

const SPEC = {
  fault: (name: string) => made(name, arnOf("orders")),
  other: (name: string) => made(name, arnOf("carts")),
  foreign: { [FIELD]: "33" },
  async set(control: ControlPlane, fields: Fields, other?: "other") {
    const name = other === undefined ? "orders" : "carts";
    await control.call("sqs", "SetQueueAttributes", {
      QueueUrl: `https://sqs.eu-west-1.amazonaws.com/000000000000/${name}`,
      Attributes: { VisibilityTimeout: String(fields[FIELD]) },
    });
  },
};

faultConformance({
  name: "force-retries by visibility, in virtual time",
  priors: [
    ["the default", { [FIELD]: "30" }, 21],
    ["the fault's own", { [FIELD]: "0" }, 13],
  ],
  start: () =>
    memorySubject({
      ...SPEC,
      before({ queues }) {
        for (const name of ["orders", "carts"]) queues.create(name, DEFAULT_SETTINGS);
      },
    }),
});

test("over HTTP the queue's own address is used, and its value comes back", async () => {
  const subject = await startSubject({
    ...SPEC,
    resources: "  Orders:\n    Type: AWS::SQS::Queue\n    Properties: { QueueName: orders }\n",
  });
  await subject.set({ [FIELD]: "45" });
  const life = new Life(subject);
  const runner = life.runner(subject.fault("early"));
  await runner.inject(new AbortController().signal);
  const { service, action, input } = subject.fault("early").read;
  const read = () => subject.control.call(service, action, input);
  expect((await read()).Attributes).toEqual({ VisibilityTimeout: "0" });
  await runner.restore();
  expect((await read()).Attributes).toEqual({ VisibilityTimeout: "45" });
  await subject.close();
});

describe("the changes of a queue's visibility timeout", () => {
  const fault = made("early", arnOf("orders"));

  test("every prior is put back as the number that it was", () => {
    const [undo] = fault.undo({ [FIELD]: "120" });
    expect(commandOf(undo!, "eu-west-1", null)).toBe(
      "aws sqs set-queue-attributes" +
        " --queue-url https://sqs.eu-west-1.amazonaws.com/000000000000/orders" +
        ` --attributes '{"VisibilityTimeout":"120"}' --region eu-west-1`,
    );
  });

  test("other attributes of the queue are neither read nor written", () => {
    expect(fault.read.input.AttributeNames).toEqual(["VisibilityTimeout"]);
    expect(fault.inject({ [FIELD]: "30" }).map(({ input }) => input.Attributes)).toEqual([
      { VisibilityTimeout: "0" },
    ]);
  });

  test.each(["orders", "arn:aws:sns:eu-west-1:000000000000:orders", `${arnOf("orders")}:x`])(
    "%s is refused: it is no queue",
    (queue) => {
      expect(() => made("early", queue)).toThrow(/no queue's ARN/);
    },
  );
});
