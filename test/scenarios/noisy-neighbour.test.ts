// The systems of scenarios/noisy-neighbour on local AWS: how each takes events in and counts them.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { GetFunctionConcurrencyCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type LocalAws, startLocalAws } from "../../src/local/start.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

const FOLDER = new URL("../../scenarios/noisy-neighbour/", import.meta.url);
const CREDENTIALS = { accessKeyId: "LOCAL", secretAccessKey: "local" };
const VARIANTS = ["naive", "hardened", "a", "b", "c"] as const;
const start = (variant: string): Promise<LocalAws> =>
  startLocalAws({ template: fileURLToPath(new URL(`${variant}.template.yaml`, FOLDER)) });

const scan = (eventId: string): string =>
  readFileSync(new URL("traffic/scan.json", FOLDER), "utf8")
    .replace("{{uuid}}", eventId)
    .replace(/\{\{pick ([^|]+)\|[^}]*\}\}/g, "$1");

const post = (url: string, body: string): Promise<Response> =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });

/** `eventId depot counted repeats` of every row. */
async function rowsOf({ endpoint }: LocalAws): Promise<string[]> {
  const client = new DynamoDBClient({ endpoint, region: "eu-west-1", credentials: CREDENTIALS });
  const { Items = [] } = await client.send(new ScanCommand({ TableName: "carrier-deliveries" }));
  client.destroy();
  return Items.map(({ eventId, depot, counted, repeats }) =>
    [eventId?.S, depot?.S, counted?.N, repeats?.N ?? "0"].join(" "),
  ).sort();
}

describe.each(VARIANTS)("%s", (variant) => {
  it("reserves what its description says, and has the names of the story", async () => {
    const local = await start(variant);
    const { endpoint } = local;
    const lambda = new LambdaClient({ endpoint, region: "eu-west-1", credentials: CREDENTIALS });
    const reserved = async (FunctionName: string) =>
      (await lambda.send(new GetFunctionConcurrencyCommand({ FunctionName })))
        .ReservedConcurrentExecutions;
    expect([
      await reserved("checkout-confirm"),
      await reserved("carrier-webhook-ingest"),
      await reserved("order-search"),
      await reserved("notify-worker"),
    ]).toEqual([
      variant === "naive" || variant === "a" ? undefined : 100,
      variant === "naive" || variant === "a" ? undefined : 150,
      ...[undefined, undefined],
    ]);
    lambda.destroy();
    const answers = await Promise.all([
      post(`${local.outputs.ShopUrl}/confirm`, '{"cartId":"c-1","items":[{"sku":"s"}]}'),
      post(`${local.outputs.ShopUrl}/confirm`, '{"cartId":"c-2","items":[]}'),
      fetch(`${local.outputs.ShopUrl}/orders`),
      fetch(`${local.outputs.ShopUrl}/notifications`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 200, 200]);
    await local.stop();
  });
});

describe("an event", () => {
  let naive: LocalAws;
  let hardened: LocalAws;
  beforeAll(async () => {
    [naive, hardened] = await Promise.all([start("naive"), start("hardened")]);
  });
  afterAll(() => Promise.all([naive.stop(), hardened.stop()]));

  it("is answered by naive when it is counted, and one that comes again is not counted again", async () => {
    const url = `${naive.outputs.HookUrl}/events`;
    const bodies = [scan("e-1"), scan("e-1"), scan("e-2"), "{}", "no JSON"];
    const sentMs = performance.now();
    const answers = await Promise.all(bodies.map((body) => post(url, body)));
    expect(performance.now() - sentMs).toBeGreaterThan(8_000);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400, 400]);
    const told = await Promise.all(answers.slice(0, 3).map((answer) => answer.json()));
    expect(told.map((one) => (one as { outcome: string }).outcome).sort()).toEqual([
      ...["counted", "counted", "repeated"],
    ]);
    expect(await rowsOf(naive)).toEqual(["e-1 BER 1 1", "e-2 BER 1 0"]);
  }, 30_000);

  it("is in the queue of hardened at once, and counted once with its batch", async () => {
    const url = `${hardened.outputs.HookUrl}/events`;
    const bodies = [scan("e-1"), scan("e-1"), scan("e-2"), '{"eventId":"no depot"}'];
    const sentMs = performance.now();
    const answers = await Promise.all(bodies.map((body) => post(url, body)));
    expect(performance.now() - sentMs).toBeLessThan(5_000);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const wanted = ["e-1 BER 1 1", "e-2 BER 1 0"];
    const look = async () => expect(await rowsOf(hardened)).toEqual(wanted);
    await vi.waitFor(look, { timeout: 25_000, interval: 250 });
  }, 30_000);
});
