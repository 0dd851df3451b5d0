// The two systems of scenarios/zero-concurrency on local AWS: what each does when checkout is
// refused.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalAws, startLocalAws } from "../../src/local/start.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";
const { CloudWatchLogsClient, FilterLogEventsCommand } = await import(
  "@aws-sdk/client-cloudwatch-logs"
);
const {
  DeleteFunctionConcurrencyCommand,
  InvokeCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
} = await import("@aws-sdk/client-lambda");

const FOLDER = new URL("../../scenarios/zero-concurrency/", import.meta.url);
const ORDERS = readFileSync(new URL("traffic/checkout.ndjson", FOLDER), "utf8").trim().split("\n");

describe.each(["naive", "hardened"] as const)("%s", (variant) => {
  let local: LocalAws;
  let lambda: InstanceType<typeof LambdaClient>;
  let logs: InstanceType<typeof CloudWatchLogsClient>;

  beforeAll(async () => {
    local = await startLocalAws({
      template: fileURLToPath(new URL(`${variant}.template.yaml`, FOLDER)),
    });
    const credentials = { accessKeyId: "LOCAL", secretAccessKey: "local" };
    const common = { endpoint: local.endpoint, region: "us-east-1", credentials, maxAttempts: 1 };
    lambda = new LambdaClient(common);
    logs = new CloudWatchLogsClient(common);
  });
  afterAll(() => local.stop());

  const output = (name: string): string => local.outputs[name] ?? "";
  const checkout = (body: string): Promise<Response> =>
    fetch(`${output("ApiUrl")}/checkout`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
  const orderAt = (index: number): string =>
    (ORDERS[index] ?? "").replace("{{uuid}}", `order-${index}`);

  async function refused<T>(act: () => Promise<T>): Promise<T> {
    const FunctionName = output("CheckoutArn");
    const none = { FunctionName, ReservedConcurrentExecutions: 0 };
    await lambda.send(new PutFunctionConcurrencyCommand(none));
    try {
      return await act();
    } finally {
      await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
    }
  }

  async function messagesOf(logGroupName: string): Promise<string[]> {
    const { events = [] } = await logs.send(new FilterLogEventsCommand({ logGroupName }));
    return events.map(({ message = "" }) => message);
  }

  it("confirms every order of the captured traffic", async () => {
    // The front gives up on a checkout that is slow: so no cold start, and one after another.
    await checkout(orderAt(0));
    for (let i = 0; i < 40; i++) {
      const answer = await checkout(orderAt(i));
      const { cents } = JSON.parse(orderAt(i)) as { readonly cents: number };
      expect(await answer.json()).toEqual({ orderId: `order-${i}`, status: "confirmed", cents });
      expect(answer.status).toBe(201);
    }
  });

  it.each([
    ["no JSON", "{"],
    ["no body", ""],
    ["a total that is not the sum", orderWith({ cents: 1 })],
    ["no items", orderWith({ items: [], cents: 0 })],
    ["no id", orderWith({ orderId: "" })],
    [
      "a negative quantity",
      orderWith({ items: [{ sku: "1", quantity: -1, cents: 1 }], cents: -1 }),
    ],
  ])("answers 400 to %s", async (_, body) => {
    expect((await checkout(body)).status).toBe(400);
  });

  it("answers a probe without side effects", async () => {
    const Payload = JSON.stringify({ gatecrash: "probe" });
    const sent = new InvokeCommand({ FunctionName: output("CheckoutArn"), Payload });
    const { Payload: answer } = await lambda.send(sent);
    expect(Buffer.from(answer ?? []).toString()).toBe('{"probe":true}');
  });

  it("serves the catalogue, and says what it has not", async () => {
    const paths = ["/product/1000", "/product/1399?tab=info", "/product/9069", "/product/10%2F42"];
    const answers = await Promise.all(paths.map((path) => fetch(output("ApiUrl") + path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 404]);
    expect(await answers[0]?.json()).toEqual({ id: "1000", name: "oak desk", cents: 9_500 });
  });

  it("tells in its access log that Lambda refused, and whom to ask about the rest", async () => {
    await refused(() => checkout(orderAt(50)));
    const lines = (await messagesOf(output("AccessLogGroup"))).map((text) => JSON.parse(text));
    const last = lines.at(-1);
    expect(last).toMatchObject({
      routeKey: "POST /checkout",
      status: variant === "naive" ? "503" : "202",
      integrationStatus: variant === "naive" ? "429" : "200",
      requestId: expect.stringMatching(/^[\w-]{15}=$/),
      awsEndpointRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it("names the functions and hosts that the scenario asks for", () => {
    expect(Object.keys(local.outputs).sort()).toEqual([
      ...["AccessLogGroup", "ApiHost", "ApiUrl", "CatalogueArn", "CheckoutArn", "FrontArn"],
    ]);
    expect(output("FrontArn") === output("CheckoutArn")).toBe(variant === "naive");
    expect(output("ApiUrl")).toBe(`http://${output("ApiHost")}`);
  });

  if (variant === "naive") {
    it("loses its orders while checkout is refused", async () => {
      const answers = await refused(() =>
        Promise.all([60, 61, 62].map((i) => checkout(orderAt(i)))),
      );
      expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
      expect((await checkout(orderAt(63))).status).toBe(201);
    });
  } else {
    it("accepts orders for later while checkout is refused, and writes each down", async () => {
      const answers = await refused(() =>
        Promise.all([60, 61, 62].map((i) => checkout(orderAt(i)))),
      );
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
      expect(answers.map(({ headers }) => headers.get("x-degraded"))).toEqual(["1", "1", "1"]);
      const front = output("FrontArn").split(":").at(-1);
      const written = (await messagesOf(`/aws/lambda/${front}`))
        .flatMap((text) => /\{"acceptedForLater".*\}/.exec(text)?.[0] ?? [])
        .map((text) => JSON.parse(text).order.orderId);
      expect(written).toEqual(expect.arrayContaining(["order-60", "order-61", "order-62"]));
      const after = await checkout(orderAt(63));
      expect([after.status, after.headers.get("x-degraded")]).toEqual([201, null]);
    });
  }
});

function orderWith(more: object): string {
  const items = [{ sku: "1275", quantity: 3, cents: 100 }];
  return JSON.stringify({ tenant: 1, orderId: "a", currency: "EUR", cents: 300, items, ...more });
}
