// Hostile input in every protocol: an error as AWS shapes it, never a crash, never our own fault.
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seededRng } from "../../src/core/rng.ts";
import { createWorld } from "../../src/local/create-world.ts";
import { dispatcher } from "../../src/local/dispatch.ts";
import type { HostFactory } from "../../src/local/lambda/function-version.ts";
import { publish } from "../../src/local/lambda/publish.ts";
import { muteRuleOf } from "../../src/local/metrics/mute-rules.ts";
import { DEFAULTS } from "../../src/local/options.ts";
import { DEFAULT_SETTINGS } from "../../src/local/sqs/settings.ts";
import { alarmOf } from "../../src/local/template/data.ts";
import type { AlarmResource } from "../../src/local/template/schema-data.ts";
import { type Listener, listen } from "../../src/local/wire/listener.ts";
import type { WireAnswer, WireHandler } from "../../src/local/wire/request.ts";
import type { World } from "../../src/local/world.ts";
import { type HostileRequest, hostileRequest } from "../support/hostile/mutate.ts";
import { allSeeds, type Seed } from "../support/hostile/seeds.ts";
import { TestClock } from "../support/test-clock.ts";
import { restSpec } from "./rest-api/gateway.ts";

/** Of each operation; `.ci/run` asks for 10,000. */
const MUTATIONS = Number(process.env.GATECRASH_MUTATIONS ?? 500);
/** What operations make piles up, so a new account comes after so many. */
const ACCOUNT_REQUESTS = 1_000;
const SEED = Number(process.env.GATECRASH_FUZZ_SEED ?? 1);
const AUTHORIZATION =
  "AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-1/any/aws4_request, " +
  "SignedHeaders=host, Signature=0";

/** Its environments answer at once; no process is started. */
const makeHost: HostFactory = async () => ({
  create: async () => ({
    ...{ id: "e", stream: "2026/01/01/[$LATEST]e", initMs: 1, destroy() {} },
    invoke: async () => {
      return { kind: "ok", payload: "{}", durationMs: 1, maxMemoryMb: 64, logs: [] };
    },
  }),
  async [Symbol.asyncDispose]() {},
});

/** Virtual time stands still: a long poll just stays open. */
async function startWorld(): Promise<World> {
  const world = createWorld({ ...DEFAULTS, template: "" }, new TestClock(), { makeHost });
  world.queues.create("plain", DEFAULT_SETTINGS);
  const settings = { shardCount: 1, retentionHours: 24, maxRecordBytes: 1_048_576 };
  world.streams.create("s", settings, true);
  world.logs.ensureGroup("/g");
  world.logs.append("/g", "s", 0, "x");
  world.eventBuses.addRule({
    ...{ name: "every", bus: "default", description: null, enabled: true, pattern: "{}" },
    matches: () => true,
    targets: [{ id: "t", arn: world.queues.arn("plain"), input: null, inputPath: "$.detail" }],
  });
  const nowMs = world.clock.wallMs();
  world.alarms.add(alarmOf("High", HIGH, 1), nowMs);
  const Schedule = { Expression: "cron(0 0 * * *)", Duration: "P1D" };
  const mute = { Name: "mute", Rule: { Schedule }, MuteTargets: { AlarmNames: ["high"] } };
  world.alarms.mutes.put(muteRuleOf(mute, nowMs));
  await addFunction(world);
  deployApi(world);
  await world.tables.deployed({
    name: "table",
    request: {
      TableName: "table",
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      BillingMode: "PAY_PER_REQUEST",
    },
  });
  return world;
}

const HIGH: AlarmResource = {
  Type: "AWS::CloudWatch::Alarm",
  Properties: {
    ...{ AlarmName: "high", Namespace: "AWS/Lambda", MetricName: "Errors", Period: 60 },
    ...{ EvaluationPeriods: 1, Threshold: 0, ComparisonOperator: "GreaterThanThreshold" },
    AlarmActions: ["arn:aws:lambda:eu-west-1:000000000000:function:f", "arn:aws:sns:a:0:b"],
  },
};

/** As a template's REST API would be, with a key, a plan and a domain. */
function deployApi({ deployment }: World): void {
  const spec = restSpec();
  const { apiId, stage } = spec;
  const key = { id: "key0000000", name: "key", value: "k".repeat(20), enabled: true };
  const plan = { id: "plan00", name: "plan", quota: null, throttle: null, keys: [key] };
  deployment.restApis = [{ spec, endpoint: "http://127.0.0.1:1" }];
  deployment.usage = { keys: [key], plans: [{ ...plan, stages: [] }] };
  const name = "a.example";
  deployment.domains = [{ name, mappings: [{ domain: name, key: "", apiId, stage }] }];
}

async function addFunction(world: World): Promise<void> {
  const spec = {
    ...{ logicalId: "F", name: "f", arn: world.functions.arn("f"), runtime: "nodejs22.x" },
    ...{ handler: "index.handler", codeDir: "/", timeoutMs: 3_000, memoryMb: 128 },
    ...{ environment: {}, reserved: null, initMs: 0, isolation: "shared" as const },
    ...{ logGroup: "/aws/lambda/f", endpoint: "http://127.0.0.1:1" },
  };
  const config = { spec, description: "", activeTracing: false, deadLetterArn: null, layers: [] };
  world.admission.declare("f", { reserved: null, provisioned: 0 });
  const host = await world.functions.host(spec, "$LATEST", "on-demand");
  const fn = world.functions.add(config, host, world.clock.wallMs());
  const { version } = publish(world, fn, null);
  fn.setAlias({ name: "live", version, description: "", additional: null });
  fn.published = null; // as if it had changed since
  publish(world, fn, null);
}

/** null: no answer yet, as for a long poll. */
async function answerOf(handle: WireHandler, request: HostileRequest): Promise<WireAnswer | null> {
  const { method, path, headers, body } = request;
  const cut = path.indexOf("?");
  const answer = handle({
    method,
    path: cut < 0 ? path : path.slice(0, cut),
    query: new URLSearchParams(cut < 0 ? "" : path.slice(cut + 1)),
    headers,
    body,
  });
  let turns = 0;
  const late = async (): Promise<null> => {
    while (turns++ < 200) await new Promise((resolve) => setImmediate(resolve));
    return null;
  };
  return Promise.race([answer, late()]).finally(() => {
    turns = 200;
  });
}

/** What is wrong with the answer; "" = nothing: AWS's clients can read it. */
function complaintOf({ protocol }: Seed, { status, headers, body }: WireAnswer): string {
  if (status >= 500) return "our own fault";
  if (status < 300) return "";
  const text = body.toString();
  if (protocol === "query")
    return /<Error><Type>Sender<\/Type><Code>[\w.]+<\/Code><Message>/.test(text)
      ? ""
      : "no code and message in XML";
  let error: { readonly [member: string]: unknown };
  try {
    error = JSON.parse(text) as typeof error;
  } catch {
    return "no JSON";
  }
  const type = protocol === "json" ? error.__type : headers["x-amzn-errortype"];
  if (typeof type !== "string" || type === "") return "no type";
  return typeof (error.message ?? error.Message) === "string" ? "" : "no message";
}

const shown = ({ method, path, body }: HostileRequest, answer: WireAnswer): string =>
  `${method} ${path} ${body} → ${answer.status} ${answer.body}`;

describe("hostile input", () => {
  const perOperation = { timeout: 10_000 + MUTATIONS * 30 };

  it.each(allSeeds())(
    "to $name ($protocol) is answered as AWS would",
    perOperation,
    async (seed) => {
      const rng = seededRng(SEED, `${seed.protocol}/${seed.name}`);
      const wrong: string[] = [];
      let handle: WireHandler = () => Promise.reject(new Error("no account yet"));
      for (let i = 0; i < MUTATIONS && wrong.length < 3; i++) {
        if (i % ACCOUNT_REQUESTS === 0) handle = dispatcher(await startWorld());
        const request = hostileRequest(seed, rng);
        const answer = await answerOf(handle, request);
        const complaint = answer === null ? "" : complaintOf(seed, answer);
        if (complaint !== "") wrong.push(`${complaint}: ${shown(request, answer!)}`);
      }
      expect(wrong).toEqual([]);
    },
  );

  const plain = (path: string, headers: HostileRequest["headers"]): HostileRequest => ({
    ...{ method: "POST", path, body: Buffer.from("{}") },
    headers: { authorization: AUTHORIZATION, ...headers },
  });

  it.each(["%", "%zz", "%E0%A4%A", "%00"])("as the name %s is no function", async (name) => {
    const handle = dispatcher(await startWorld());
    const answer = await answerOf(handle, plain(`/2015-03-31/functions/${name}/invocations`, {}));
    expect([answer?.status, answer?.headers["x-amzn-errortype"]]).toEqual([
      400,
      "ValidationException",
    ]);
  });

  it.each([
    ...["__proto__.x", "constructor.name", "toString", "", ".", "AmazonSQS.toString"],
    "AmazonSQS.",
  ])("as the target %s is an unknown operation", async (target) => {
    const handle = dispatcher(await startWorld());
    const answer = await answerOf(handle, plain("/", { "x-amz-target": target }));
    expect(JSON.parse(String(answer?.body))).toMatchObject({ __type: "UnknownOperationException" });
  });
});

describe("hostile bytes on the port", () => {
  let listener: Listener;
  beforeAll(async () => {
    listener = await listen(0, dispatcher(await startWorld()));
  });
  afterAll(() => listener.close());

  /** Ends when the other side has answered or closed; what it said does not matter. */
  const sendRaw = (bytes: Buffer): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(listener.port, "127.0.0.1", () => socket.end(bytes));
      for (const event of ["data", "error", "close"] as const)
        socket.on(event, () => {
          socket.destroy();
          resolve();
        });
    });

  it("end the connection, and nobody else's", async () => {
    const head =
      "POST / HTTP/1.1\r\nHost: a\r\nX-Amz-Target: AmazonSQS.ListQueues\r\n" +
      `Authorization: ${AUTHORIZATION}\r\nContent-Length: 2\r\n\r\n{}`;
    const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    const gzip =
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc";
    const start = fc.constantFrom(head, preface, gzip);
    const tail = fc.uint8Array({ maxLength: 40 });
    const one = fc.asyncProperty(
      start,
      fc.nat(500),
      fc.boolean(),
      tail,
      async (text, at, cut, more) => {
        const bytes = Buffer.from(text);
        bytes[at % bytes.length]! ^= 1 << (at % 7);
        await sendRaw(Buffer.concat([cut ? bytes.subarray(0, at % bytes.length) : bytes, more]));
      },
    );
    await fc.assert(one, { numRuns: 200 });
    const answer = await fetch(`http://127.0.0.1:${listener.port}/`, {
      method: "POST",
      headers: { authorization: AUTHORIZATION, "x-amz-target": "AmazonSQS.ListQueues" },
      body: "{}",
    });
    expect(await answer.json()).toEqual({ QueueUrls: [expect.stringMatching(/\/plain$/)] });
  });
});
