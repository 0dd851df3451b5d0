// Rights in China and GovCloud: their ARNs are of another partition, or nothing would be allowed.
import { expect, test } from "vitest";
import { observeStatements } from "../../src/cli/iam-observe.ts";
import { deadManRole, schedules } from "../../src/cli/iam-statement.ts";
import type { Scenario } from "../../src/core/scenario.ts";

type System = Parameters<typeof observeStatements>[1];

const SCENARIO = {
  stopAlarms: ["late"],
  faults: [],
  sinks: [
    { kind: "dynamodb", input: { table: "counts" } },
    { kind: "objects", input: { bucket: "sums" } },
  ],
  loads: [
    { target: { kind: "http", url: "https://shop.example/" } },
    { target: { kind: "kinesis", stream: "clicks" } },
    { target: { kind: "sqs", queue: "orders" } },
  ],
  observe: { reports: [], accessLog: "front" },
} as unknown as Scenario;

test.each([
  ["cn-north-1", "aws-cn"],
  ["us-gov-west-1", "aws-us-gov"],
  ["eu-west-1", "aws"],
])("in %s every ARN begins with arn:%s:", (region, partition) => {
  const outputs = { cloudformation: "shop", ssm: "/shop/" };
  const environment = { outputs, logs: null };
  const system = { region, account: "222222222222", environment } as unknown as System;
  const statements = observeStatements(SCENARIO, system);
  const arns = statements.flatMap(({ Resource }) => Resource).filter((arn) => arn !== "*");
  const all = [...arns, deadManRole(system), schedules(system)];
  expect(all.length).toBeGreaterThan(12);
  expect(all.filter((arn) => !String(arn).startsWith(`arn:${partition}:`))).toEqual([]);
});
