// GetMetricData: whole minutes, pages, sparse points, and waiting until nothing changes.
import { expect, test } from "vitest";
import { AwsFailure, type ControlPlane, type Json } from "../../src/core/change.ts";
import { collectMetrics } from "../../src/observe/metrics.ts";
import { AutoClock } from "../support/auto-clock.ts";

type Input = { readonly [key: string]: Json };
interface Asked {
  readonly Id: string;
  readonly MetricStat: { readonly Metric: { readonly MetricName: string } };
}

const ARN = "arn:aws:lambda:eu-west-1:222222222222:function:checkout:live";

/** Throttles in two pages; the second value grows until the fourth read, the first is refused. */
class Metrics implements ControlPlane {
  readonly inputs: Input[] = [];
  #reads = 0;

  async call(_service: string, action: string, input: Input) {
    expect(action).toBe("GetMetricData");
    this.inputs.push(input);
    if (this.inputs.length === 1) throw new AwsFailure("ThrottlingException", "", "", 400);
    const second = input.NextToken === "more";
    if (!second) this.#reads++;
    const asked = input.MetricDataQueries as unknown as Asked[];
    const MetricDataResults = asked.map(({ Id, MetricStat }) => {
      const wanted = MetricStat.Metric.MetricName === "Throttles";
      const stamp = second ? new Date(120_000) : new Date(60_000);
      const value = second ? Math.min(4, this.#reads) : 7;
      return {
        Id,
        StatusCode: "Complete",
        Timestamps: wanted ? [stamp] : [],
        Values: wanted ? [value] : [],
      };
    });
    return second ? { MetricDataResults } : { MetricDataResults, NextToken: "more" };
  }
}

const point = (at: number, value: number) => ({
  namespace: "AWS/Lambda",
  metric: "Throttles",
  dimensions: { FunctionName: "checkout" },
  stat: "Sum",
  period_s: 60,
  at,
  value,
});

test("reads all pages until the values hold still", async () => {
  const control = new Metrics();
  const { points, end } = await collectMetrics({
    control,
    functions: [ARN, ARN.replace(":live", "")],
    account: false,
    fromMs: 61_500,
    toMs: 140_000,
    waitUs: 60_000_000,
    clock: new AutoClock(),
  });
  expect([points, end]).toEqual([[point(60_000, 7), point(120_000, 4)], "quiet"]);
  const { StartTime, EndTime, MetricDataQueries } = control.inputs[0] ?? {};
  expect([StartTime, EndTime, (MetricDataQueries as Json[]).length]).toEqual([60, 180, 6]);
});

test("asks for spill-over by what was invoked: an alias or version alone has it", async () => {
  const control = new Metrics();
  await collectMetrics({
    ...{ control, functions: [ARN, ARN.replace(":live", "")], account: false, fromMs: 0, toMs: 1 },
    ...{ waitUs: 1_000_000, clock: new AutoClock() },
  });
  const asked = control.inputs[0]!.MetricDataQueries as unknown as {
    readonly MetricStat: { readonly Metric: { readonly MetricName: string; Dimensions: Json } };
  }[];
  const spilled = asked.filter(({ MetricStat }) => MetricStat.Metric.MetricName.includes("Spill"));
  expect(spilled.map(({ MetricStat }) => MetricStat.Metric.Dimensions)).toEqual([
    [
      { Name: "FunctionName", Value: "checkout" },
      { Name: "Resource", Value: "checkout:live" },
    ],
  ]);
});

test("no points at all after the wait is an empty answer, not zeros", async () => {
  const clock = new AutoClock();
  const { points } = await collectMetrics({
    control: { call: async () => ({ MetricDataResults: [] }) },
    functions: [ARN],
    account: true,
    fromMs: 0,
    toMs: 1,
    waitUs: 5_000_000,
    clock,
  });
  expect([points, clock.nowUs()]).toEqual([[], 5_000_000]);
});

test("a missing right is an error that names it", async () => {
  const call = async () => {
    throw new AwsFailure("AccessDeniedException", "no", "", 403);
  };
  const clock = new AutoClock();
  const input = { functions: [ARN], account: false, fromMs: 0, toMs: 1, waitUs: 0, clock };
  await expect(collectMetrics({ control: { call }, ...input })).rejects.toMatchObject({
    code: "aws",
    hint: expect.stringContaining("cloudwatch:GetMetricData"),
  });
});

/** The first reading is whole; of every later one AWS refuses the second page. */
class Refusing extends Metrics {
  override async call(service: string, action: string, input: Input) {
    if (this.inputs.length >= 3 && input.NextToken === "more")
      throw new AwsFailure("ThrottlingException", "", "", 400);
    return await super.call(service, action, input);
  }
}

test.each([
  [10_000_000, [point(60_000, 7), point(120_000, 1)]],
  [0, []],
])("half a reading is none: %i µs of waiting", async (waitUs, expected) => {
  const found = await collectMetrics({
    ...{ control: new Refusing(), functions: [ARN], account: false, fromMs: 0, toMs: 140_000 },
    ...{ waitUs, clock: new AutoClock() },
  });
  expect(found).toEqual({ points: expected, end: "waited" });
});
