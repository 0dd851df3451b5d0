// Collecting from a real local AWS: every answer of the API finds its access row, and its report.
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { requestKey, requestKeyText } from "../../src/core/ids.ts";
import { startLocalAws } from "../../src/local/start.ts";
import { collectPlatform } from "../../src/observe/collect.ts";
import { collectMetrics } from "../../src/observe/metrics.ts";
import { systemClock } from "../../src/run/clock.ts";

const TEMPLATE = fileURLToPath(
  new URL("../../scenarios/zero-concurrency/naive.template.yaml", import.meta.url),
);
const ORDER = '{"tenant":9001,"orderId":"o1","currency":"EUR","cents":500,"items":[ITEM]}'.replace(
  "ITEM",
  '{"sku":"1000","quantity":1,"cents":500}',
);

/** Sends orders one after the other; statuses, and the keys of the front's request ids. */
async function order(url: string, times: number, ids: string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i++) {
    const answer = await fetch(`${url}/checkout`, { method: "POST", body: ORDER });
    await answer.arrayBuffer();
    ids.push(requestKeyText(requestKey(answer.headers.get("apigw-requestid") ?? "")));
    statuses.push(answer.status);
  }
  return statuses;
}

test("served and refused requests are joined, cold starts and throttles are told apart", async () => {
  const local = await startLocalAws({ template: TEMPLATE });
  try {
    const { ApiUrl = "", CheckoutArn = "", AccessLogGroup = "" } = local.outputs;
    const { endpoint } = local;
    const control = createControlPlane({
      endpoint,
      region: "eu-west-1",
      account: null,
      runId: "test",
    });
    const clock = systemClock();
    const fromMs = clock.wallMs();
    const ids: string[] = [];
    expect(await order(ApiUrl, 3, ids)).toEqual([201, 201, 201]);
    const none = { FunctionName: CheckoutArn, ReservedConcurrentExecutions: 0 };
    await control.call("lambda", "PutFunctionConcurrency", none);
    expect(await order(ApiUrl, 2, ids)).toEqual([503, 503]);

    const span = { control, clock, fromMs, toMs: clock.wallMs() + 1_000, waitUs: 5_000_000 };
    const functions = [CheckoutArn];
    const collected = await collectPlatform({
      ...{ ...span, functions, logs: { control, elsewhere: null } },
      accessLogGroup: AccessLogGroup,
      answers: { until: async () => ids.splice(0) },
    });
    expect([collected.joined, collected.end, collected.malformed]).toEqual([5, "joined", 0]);
    const reports = collected.rows.filter((row) => row.kind === "report");
    expect(reports.map((row) => [row.function, row.version, (row.init ?? 0) > 0])).toEqual([
      [CheckoutArn, "$LATEST", true],
      [CheckoutArn, "$LATEST", false],
      [CheckoutArn, "$LATEST", false],
    ]);
    const access = collected.rows.filter((row) => row.kind === "access");
    expect(access.map((row) => [row.status, row.integration_status])).toEqual([
      ...Array(3).fill(["201", 200]),
      ...Array(2).fill(["503", 429]),
    ]);

    const { points } = await collectMetrics({ ...span, functions, account: false });
    const total = (metric: string): number =>
      points.filter((one) => one.metric === metric).reduce((sum, one) => sum + one.value, 0);
    expect([total("Invocations"), total("Throttles"), total("Errors")]).toEqual([3, 2, 0]);
  } finally {
    await local.stop();
  }
});
