// Reserved concurrency: its changes as data, and the conformance of every fault.
import { describe, expect, test } from "vitest";
import { commandOf } from "../../src/core/command.ts";
import { runUs } from "../../src/core/time.ts";
import { reservedConcurrency } from "../../src/faults/reserved-concurrency.ts";
import { faultConformance } from "../conformance/fault.ts";
import { AutoClock } from "../support/auto-clock.ts";
import { memoryAws } from "../support/memory-aws.ts";

const ARN = "arn:aws:lambda:eu-west-1:000000000000:function:checkout";
const OTHER = "arn:aws:lambda:eu-west-1:000000000000:function:front";
const FIELD = "ReservedConcurrentExecutions";

for (const to of [0, 5]) {
  faultConformance({
    name: `reserved-concurrency to ${to}, in virtual time`,
    priors: [
      ["unset", {}, 21],
      ["0", { [FIELD]: 0 }, to === 0 ? 13 : 21],
      ["7", { [FIELD]: 7 }, 21],
      ["5", { [FIELD]: 5 }, to === 5 ? 13 : 21],
    ],
    async start() {
      const clock = new AutoClock();
      const { control, world } = memoryAws(clock, "checkout", "front");
      return {
        control,
        clock,
        endpoint: "http://127.0.0.1:1",
        leased: true,
        fault: (name) => reservedConcurrency({ name, function: ARN, to }),
        other: (name) => reservedConcurrency({ name, function: OTHER, to }),
        foreign: { [FIELD]: 33 },
        set: async (fields, other) => {
          const reserved = (fields[FIELD] as number | undefined) ?? null;
          const name = other === undefined ? "checkout" : "front";
          world.admission.declare(name, { reserved, provisioned: 0 });
        },
        pass: (ms) => clock.sleepUntil(runUs(clock.nowUs() + ms * 1_000)),
        close: async () => world.schedules[Symbol.dispose](),
      };
    },
  });
}

describe("the changes of reserved-concurrency", () => {
  const fault = reservedConcurrency({ name: "zero", function: ARN, to: 0 });
  const command = (prior: object): string[] =>
    fault.undo(prior as never).map((change) => commandOf(change, "eu-west-1", null));

  test("an unset prior is put back by a delete, never by a put of some number", () => {
    expect(command({})).toEqual([
      "aws lambda delete-function-concurrency --function-name checkout --region eu-west-1",
    ]);
  });

  test("a number is put back by a put of that number, never by a delete", () => {
    expect(command({ [FIELD]: 7 })).toEqual([
      "aws lambda put-function-concurrency --function-name checkout" +
        " --reserved-concurrent-executions 7 --region eu-west-1",
    ]);
  });

  test("a prior equal to the fault's value has nothing to write, neither way", () => {
    expect([...fault.inject({ [FIELD]: 0 }), ...fault.undo({ [FIELD]: 0 })]).toEqual([]);
  });

  test("0 is a value: unset and 0 are told apart on the way in", () => {
    expect(fault.inject({}).map((change) => change.input)).toEqual([
      { FunctionName: "checkout", [FIELD]: 0 },
    ]);
  });

  test("more provisioned than the new reservation is refused, and says where", () => {
    const provisioned = (qualifier: string, count: number) => ({
      FunctionArn: `${ARN}:${qualifier}`,
      RequestedProvisionedConcurrentExecutions: count,
    });
    const answer = { ProvisionedConcurrencyConfigs: [provisioned("live", 3), provisioned("7", 2)] };
    const looks = (to: number) => reservedConcurrency({ name: "x", function: ARN, to }).looks;
    expect(() => looks(4)?.check([answer])).toThrow(
      `${ARN} has 5 provisioned (live, 7), more than 4`,
    );
    expect(() => looks(5)?.check([answer])).not.toThrow();
    expect(() => looks(0)?.check([{}])).not.toThrow();
  });

  test("only a refusal for the reservation shows that 0 is in force", () => {
    const reasons = [
      "ReservedFunctionConcurrentInvocationLimitExceeded",
      "ConcurrentInvocationLimitExceeded",
      "",
    ];
    const seen = reasons.map((reason) => fault.probe.inForce({ error: "x", reason, output: {} }));
    expect(seen).toEqual([true, false, false]);
  });

  test.each([
    "checkout",
    `${ARN}:live`,
    "arn:aws:sqs:eu-west-1:000000000000:orders",
    "arn:aws:lambda:eu-west-1:000000000000:layer:checkout",
  ])("%s is refused: it names no function as a whole", (text) => {
    expect(() => reservedConcurrency({ name: "x", function: text, to: 0 })).toThrow(/no function/);
  });
});
