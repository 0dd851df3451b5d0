// The systems of scenarios/pipeline on local AWS: redelivered batches, poison, rollups.
import { fileURLToPath } from "node:url";
import { DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { KinesisClient, PutRecordsCommand } from "@aws-sdk/client-kinesis";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { startLocalAws } from "../../src/local/start.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

const FOLDER = new URL("../../scenarios/pipeline/", import.meta.url);
const VARIANTS = ["naive", "backwards", "hardened", "no-bisect", "no-window"] as const;
const MINUTE = "2026-11-30T05:24";
const SHARD = "shardId-000000000000";

/** A system, and the clients that a test needs. */
async function start(variant: string) {
  const template = fileURLToPath(new URL(`${variant}.template.yaml`, FOLDER));
  const local = await startLocalAws({ template });
  const credentials = { accessKeyId: "LOCAL", secretAccessKey: "local" };
  const config = { endpoint: local.endpoint, region: "eu-west-1", credentials };
  const [lambda, dynamodb] = [new LambdaClient(config), new DynamoDBClient(config)];
  const kinesis = new KinesisClient(config);
  const invoke = async (FunctionName: string, event: object) => {
    const Payload = JSON.stringify(event);
    const answer = await lambda.send(new InvokeCommand({ FunctionName, Payload }));
    const text = Buffer.from(answer.Payload ?? []).toString();
    return { failed: answer.FunctionError !== undefined, text };
  };
  /** `shard/minute/group events`, in order. */
  const cells = async (): Promise<string[]> => {
    const { Items = [] } = await dynamodb.send(
      new ScanCommand({ TableName: "pipeline-aggregates", ConsistentRead: true }),
    );
    return Items.filter(({ group }) => group !== undefined)
      .map(({ shard, minute, group, events }) => {
        return `${shard?.S}/${minute?.S}/${group?.S} ${events?.N}`;
      })
      .sort();
  };
  const dead = async (): Promise<string[]> => {
    const { Items = [] } = await dynamodb.send(new ScanCommand({ TableName: "pipeline-dead" }));
    return Items.map(({ eventId, condition }) => `${eventId?.S} ${condition?.S}`).sort();
  };
  const put = (...records: string[]) => {
    const Records = records.map((text) => ({ PartitionKey: "g-1", Data: Buffer.from(text) }));
    return kinesis.send(new PutRecordsCommand({ StreamName: "pipeline-events", Records }));
  };
  return { local, invoke, cells, dead, put };
}

const event = (eventId: string, group: string, value: unknown = 1, minute = MINUTE): string =>
  JSON.stringify({ eventId, gateway: "g-1", device: "d-1", group, minute, value });

/** A batch as the event source delivers it: these sequence numbers, two events in each record. */
const batch = (...sequences: number[]) => ({
  Records: sequences.map((n) => ({
    eventID: `${SHARD}:${n}`,
    kinesis: {
      sequenceNumber: String(n),
      data: Buffer.from(`${event(`a${n}`, "heat")}\n${event(`b${n}`, "air")}`).toString("base64"),
    },
  })),
});

describe.each(VARIANTS)("%s", (variant) => {
  let system: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    system = await start(variant);
  });
  afterAll(() => system.local.stop());

  it("names what the scenario asks for", () => {
    expect(Object.keys(system.local.outputs).sort()).toEqual([
      ...["AggregatesRule", "AggregatesTable", "ConsumeArn", "DeadTable", "EventsArn"],
      "RollupsBucket",
    ]);
  });

  it("adds what a batch holds, and what its halves add when they come again", async () => {
    const consume = async (...sequences: number[]) => {
      const { failed, text } = await system.invoke("pipeline-consume", batch(...sequences));
      expect([failed, text]).toEqual([false, "null"]);
    };
    await consume(8, 9, 10, 11);
    await consume(8, 9); // as after a crash behind the commit, halved
    await consume(10, 11);
    await consume(12);
    const counted = { naive: 9, backwards: 7 }[variant as string] ?? 5;
    expect(await system.cells()).toEqual([
      `${SHARD}/${MINUTE}/air ${counted}`,
      `${SHARD}/${MINUTE}/heat ${counted}`,
    ]);
  });

  it("refuses a batch with poison as a whole", async () => {
    const before = await system.cells();
    const poison = { ...batch(20, 21) };
    poison.Records[1]!.kinesis.data = Buffer.from(event("p", "heat", "no number")).toString(
      "base64",
    );
    const { failed, text } = await system.invoke("pipeline-consume", poison);
    expect([failed, text]).toEqual([true, expect.stringContaining("record 21 holds what is no")]);
    expect(await system.cells()).toEqual(before);
  });
});

describe("hardened", () => {
  let system: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    system = await start("hardened");
  });
  afterAll(() => system.local.stop());
  const eventually = (check: () => Promise<void>) =>
    vi.waitFor(check, { timeout: 50_000, interval: 250 });

  it("files poison, and counts what travelled beside it once", async () => {
    const packed = `${event("e-2", "heat")}\n${event("e-3", "air")}`;
    await system.put(event("e-1", "heat"), packed, event("p-1", "poison", "x"), "{", "\n");
    await system.put(event("e-4", "heat"));
    await eventually(async () => {
      expect((await system.cells()).map((cell) => cell.slice(cell.indexOf("/") + 1))).toEqual([
        `${MINUTE}/air 1`,
        `${MINUTE}/heat 3`,
      ]);
      expect(await system.dead()).toEqual([
        "p-1 RetryAttemptsExhausted",
        "undefined RetryAttemptsExhausted",
      ]);
    });
  }, 60_000);

  it("writes each closed minute to a key of its own; again, and it is the same object", async () => {
    const { endpoint, outputs } = system.local;
    const minute = new Date(Date.now() - 60_000).toISOString().slice(0, 16);
    await system.put(event("e-5", "heat", 2, minute), event("e-6", "heat", 3, minute));
    const key = `aggregates/dt=${minute.slice(0, 10)}/hh=${minute.slice(11, 13)}/mm=${minute.slice(14)}.ndjson`;
    const control = createControlPlane({
      ...{ endpoint, region: "eu-west-1", account: null, runId: "test" },
    });
    const read = async () => {
      await system.invoke("pipeline-rollup", {});
      const input = { Bucket: outputs.RollupsBucket ?? "", Key: key };
      return String((await control.call("s3", "GetObject", input)).Body);
    };
    const line = `${JSON.stringify({ minute, group: "heat", events: 2, thousandths: 5_000 })}\n`;
    await eventually(async () => expect(await read()).toBe(line));
    expect(await read()).toBe(line);
  }, 60_000);
});
