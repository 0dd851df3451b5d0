// Faults in front of a dependency: rules as data, and the conformance of every fault over HTTP.
import { describe, expect, test } from "vitest";
import type { ControlPlane, Fields } from "../../src/core/change.ts";
import { commandOf } from "../../src/core/command.ts";
import type { FaultSpec } from "../../src/core/scenario.ts";
import { forceRetries } from "../../src/faults/force-retries.ts";
import { slowDependency } from "../../src/faults/slow-dependency.ts";
import { faultConformance } from "../conformance/fault.ts";
import { startSubject } from "../support/local-subject.ts";
import { memorySubject } from "../support/memory-subject.ts";

const arnOf = (name: string): string =>
  `arn:aws:ssm:eu-west-1:000000000000:parameter/gatecrash/dependency/${name}`;
const FIELD = "Parameters.0.Value";

const spec = (name: string, dependency: string, input: FaultSpec["input"]): FaultSpec => ({
  kind: "slow-dependency",
  name,
  during: null,
  startUs: 0,
  endUs: 30_000_000,
  input: { dependency: arnOf(dependency), ...input },
  line: 1,
});

const FAULTS = [
  ["slow-dependency", slowDependency, { delay: 300_000, share: 0.1 }],
  ["force-retries by crashes", forceRetries, { crash: "after-commit", only: "PutItem" }],
] as const;

const foreign = slowDependency(spec("x", "orders", { error: 503 }), 8).faulted;

function subjectSpec(make: typeof slowDependency, input: FaultSpec["input"]) {
  return {
    fault: (name: string) => make(spec(name, "orders", input), 7),
    other: (name: string) => make(spec(name, "carts", input), 7),
    foreign,
    async set(control: ControlPlane, fields: Fields, other?: "other") {
      const Name = `/gatecrash/dependency/${other === undefined ? "orders" : "carts"}`;
      const Value = fields[FIELD];
      if (Value === undefined) await control.call("ssm", "DeleteParameters", { Names: [Name] });
      else
        await control.call("ssm", "PutParameter", { Name, Value, Type: "String", Overwrite: true });
    },
  };
}

for (const [kind, make, input] of FAULTS) {
  const own = make(spec("x", "orders", input), 7).faulted;
  faultConformance({
    name: `${kind}, in virtual time`,
    priors: [
      ["unset", {}, 21],
      ["its own rule", own, 13],
    ],
    start: () =>
      memorySubject({
        ...subjectSpec(make, input),
        async before({ dependencies }) {
          for (const name of ["orders", "carts"]) await dependencies.open(name, "", () => {});
        },
      }),
  });
}

faultConformance({
  name: "slow-dependency, on local AWS",
  priors: [["unset", {}, 21]],
  start: () =>
    startSubject({
      ...subjectSpec(slowDependency, { delay: 300_000 }),
      metadata:
        "    Dependencies:\n" +
        "      orders: { Variable: AWS_ENDPOINT_URL_DYNAMODB, Functions: [Checkout] }\n" +
        "      carts: { Variable: AWS_ENDPOINT_URL_DYNAMODB, Functions: [Front] }\n",
    }),
});

describe("the changes of a fault in front of a dependency", () => {
  const made = (input: FaultSpec["input"]) => slowDependency(spec("slow", "orders", input), 7);
  const ruleOf = (input: FaultSpec["input"], make: typeof slowDependency = slowDependency) =>
    JSON.parse(String(make(spec("slow", "orders", input), 7).faulted[FIELD]));
  const common = { v: 1, for_s: 150, share: 1, seed: 7 };

  test.each([
    [{ delay: 300_000 }, { ...common, act: "delay", delay_ms: 300 }],
    [
      { delay: 300_000, "delay-p99": 2_000_000, share: 0.1 },
      { ...common, share: 0.1, act: "delay", delay_ms: 300, p99_ms: 2_000 },
    ],
    [{ error: 503 }, { ...common, act: "error", status: 503 }],
    [{ reset: true }, { ...common, act: "reset" }],
    [
      { hang: true, only: "PutItem,  GET /a" },
      { ...common, act: "hang", only: ["PutItem", "GET /a"] },
    ],
  ])("slow-dependency %o is the rule %o", (input, rule) => {
    expect(ruleOf(input as FaultSpec["input"])).toEqual(rule);
  });

  test("a crash before the commit is a reset, one after it a drop, for all attempts of a call", () => {
    const crashed = { ...common, per_call: true };
    const rule = (crash: string) => ruleOf({ crash }, forceRetries);
    expect(rule("before-commit")).toEqual({ ...crashed, act: "reset" });
    expect(rule("after-commit")).toEqual({ ...crashed, act: "drop" });
  });

  test("its undo is a delete that may be made twice, and may be typed", () => {
    const [undo] = made({ hang: true }).undo({});
    expect(commandOf(undo!, "eu-west-1", null)).toBe(
      "aws ssm delete-parameters --names '[\"/gatecrash/dependency/orders\"]' --region eu-west-1",
    );
  });

  test("a rule of somebody else's is refused before anything is recorded", () => {
    expect(() => made({ hang: true }).undo({ [FIELD]: "theirs" })).toThrow(/another rule already/);
  });

  test.each([
    "orders",
    "arn:aws:ssm:eu-west-1:000000000000:parameter/database/password",
    `${arnOf("orders")}/state`,
    "arn:aws:sqs:eu-west-1:000000000000:orders",
  ])("%s is refused: it holds no rule", (dependency) => {
    const wrong = { ...spec("slow", "x", { hang: true }), input: { dependency, hang: true } };
    expect(() => slowDependency(wrong, 1)).toThrow(/holds no rule/);
  });
});
