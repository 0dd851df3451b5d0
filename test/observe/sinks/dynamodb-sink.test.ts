// Sinks in DynamoDB: pages, reserved names and refusals, at the port of the control plane.
import { describe, expect, it } from "vitest";
import { AwsFailure, type ControlPlane, type Json } from "../../../src/core/change.ts";
import { rowsOf, sinkPorts, sinkSpec } from "../../support/sinks.ts";

/** Answers scans in turn; an AwsFailure is thrown. */
function scanning(...answers: ({ readonly [key: string]: unknown } | AwsFailure)[]) {
  const calls: { readonly [key: string]: Json }[] = [];
  const control: ControlPlane = {
    async call(service, action, input) {
      expect(`${service} ${action}`).toBe("dynamodb Scan");
      calls.push(input);
      const answer = answers[calls.length - 1];
      if (answer instanceof AwsFailure) throw answer;
      return answer ?? {};
    },
  };
  return { control, calls };
}

const spec = sinkSpec("dynamodb", { table: "deliveries", count: "times" }, { id: "event.id" });
const busy = new AwsFailure("ProvisionedThroughputExceededException", "slow down", "", 400);

describe("a DynamoDB sink", () => {
  it("scans page by page, consistently, and only what is needed", async () => {
    const key = { pk: { S: "a" } };
    const item = { event: { M: { id: { S: "a" } } }, depot: { N: "5" }, times: { N: "2" } };
    const { control, calls } = scanning(
      { Items: [item], LastEvaluatedKey: key },
      { Items: [{ other: { S: "x" } }, { ...item, event: { M: { id: { N: "7" } } } }] },
    );
    expect(await rowsOf(spec, sinkPorts(".", { control }))).toEqual([
      { id: "a", cell: "5", count: 2 },
      { id: "7", cell: "5", count: 2 },
    ]);
    const scan = {
      TableName: "deliveries",
      ConsistentRead: true,
      ProjectionExpression: "#f0.#f1, #f2, #f3",
      ExpressionAttributeNames: { "#f0": "event", "#f1": "id", "#f2": "depot", "#f3": "times" },
    };
    expect(calls).toEqual([scan, { ...scan, ExclusiveStartKey: key }]);
  });

  it("waits when it is refused for capacity, and gives up in the end", async () => {
    const { control } = scanning(busy, busy, { Items: [] });
    expect(await rowsOf(spec, sinkPorts(".", { control }))).toEqual([]);
    const never = scanning(...Array.from({ length: 10 }, () => busy));
    const reading = rowsOf(spec, sinkPorts(".", { control: never.control }));
    await expect(reading).rejects.toThrow("cannot scan deliveries: ProvisionedThroughput");
    expect(never.calls).toHaveLength(10);
  });

  it("says which right is missing", async () => {
    const { control } = scanning(new AwsFailure("AccessDeniedException", "no", "", 400));
    const reading = rowsOf(spec, sinkPorts(".", { control }));
    await expect(reading).rejects.toMatchObject({ hint: "it needs dynamodb:Scan" });
  });
});
