// What a fault would cost in data: foreseen in numbers, refused until accepted, and then measured.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import type { ControlPlane } from "../../src/core/change.ts";
import { Workplace } from "../support/command-line.ts";

const LOSS = fileURLToPath(new URL("../fixtures/loss/", import.meta.url));
const WORKER = "arn:aws:lambda:eu-west-1:000000000000:function:worker";
const ORDERS = "arn:aws:sqs:eu-west-1:000000000000:orders";
const CLICKS = "arn:aws:kinesis:eu-west-1:000000000000:stream/clicks";
const PATIENT = { timeout: 120_000 };

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

let copies = 0;

/** A copy of test/fixtures/loss in which each of these texts is replaced by the other. */
function lossScenario(edits: { readonly [text: string]: string } = {}): string {
  const folder = join(place.dir, `loss-${++copies}`);
  cpSync(LOSS, folder, { recursive: true });
  for (const file of ["scenario.yaml", "template.yaml"]) {
    const before = readFileSync(join(folder, file), "utf8");
    const text = Object.entries(edits).reduce((yaml, [a, b]) => yaml.replaceAll(a, b), before);
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

const ACCEPTED = {
  '  change: ["{{outputs.WorkerArn}}"]':
    '  change: ["{{outputs.WorkerArn}}"]\n  lose: ["{{outputs.WorkerArn}}"]',
};
const TO_ORDERS = {
  "      Timeout: 2\n":
    "      Timeout: 2\n      EventInvokeConfig:\n        DestinationConfig:\n" +
    "          OnFailure: { Type: SQS, Destination: !GetAtt DeadOrders.Arn }\n",
};

interface Planned {
  readonly hazards: readonly { resource: string; kind: string; count: number; text: string }[];
  readonly findings: readonly { severity: string; message: string }[];
  readonly pool: readonly { name: string; reserved: number | null }[];
}

async function planned(edits = {}): Promise<Planned & { code: number | null }> {
  const { code, out } = await place.run("plan", lossScenario(edits), "--json");
  return { code, ...(JSON.parse(out) as Planned) };
}

const foreseen = ({ hazards }: Planned): unknown[] =>
  hazards.map(({ resource, kind, count }) => [resource, kind, count]);

describe("a plan", () => {
  test("counts what would be destroyed, moved and kept, and is refused", PATIENT, async () => {
    const plan = await planned();
    expect(foreseen(plan)).toEqual([
      [WORKER, "destroyed", 160], // 20/s for 8 s, with nowhere to go
      [ORDERS, "moved", 20], // 5/s for what is left of 8 s after 2 receives × 2 s
      [CLICKS, "none", 0], // a record waits 60 s
    ]);
    const errors = plan.findings.filter(({ severity }) => severity === "error");
    expect([plan.code, errors.map(({ message }) => message)]).toEqual([
      64,
      [
        expect.stringMatching(
          /DESTROYED: it has neither .* list arn:aws:.*:worker under allow.lose/,
        ),
      ],
    ]);
    expect(plan.pool).toEqual([{ name: "worker", reserved: null, busiest: 0 }]);
  });

  test("with a failure destination loses nothing: the events are moved", PATIENT, async () => {
    const plan = await planned(TO_ORDERS);
    expect([plan.code, foreseen(plan)[0]]).toEqual([0, [WORKER, "moved", 160]]);
  });

  test("of a fault that outlasts the records says how many are skipped", PATIENT, async () => {
    const edits = { ...ACCEPTED, "gone: 8s": "gone: 90s", "duration: 30s": "duration: 120s" };
    const plan = await planned({ ...edits, "requests: 2000": "requests: 9000" });
    expect([plan.code, foreseen(plan)]).toEqual([
      64, // the function's events are accepted, the stream's records are not
      [
        [WORKER, "destroyed", 1_800],
        [ORDERS, "moved", 430],
        [CLICKS, "destroyed", 300],
      ],
    ]);
  });

  test(
    "says what a reservation takes from the pool, and that AWS refuses it",
    PATIENT,
    async () => {
      const { hazards } = await planned({ "to: 0": "to: 950" });
      expect(hazards.map(({ kind }) => kind)).toEqual(["none", "unknown", "none", "pool"]);
      expect(hazards[1]?.text).toMatch(
        /^where 950 at once are not enough, at most: up to about 20/,
      );
      expect(hazards[3]?.text).toBe(
        "takes 950 of the 1,000 unreserved that one function has: 50 are left; " +
          "AWS refuses less than 100",
      );
    },
  );

  test("of a reservation that the account does not have is refused", PATIENT, async () => {
    const { code, findings } = await planned({ "to: 0": "to: 1001" });
    const text =
      "fault gone: to: 1,001 is more than the 1,000 unreserved that one function has: AWS refuses it";
    const errors = findings.filter(({ severity }) => severity === "error");
    expect([code, errors.map(({ message }) => message)]).toEqual([64, [text]]);
  });
});

/** Orders reach their queue through an HTTP API that sends them there by itself. */
const FRONT = {
  "  WorkerArn:\n": "  OrdersFront:\n    Value: !GetAtt Front.ApiEndpoint\n  WorkerArn:\n",
  "  Orders:\n    Type: AWS::SQS::Queue": `  Front:
    Type: AWS::Serverless::HttpApi
    Properties:
      DefinitionBody:
        openapi: 3.0.1
        info: { title: orders, version: "1" }
        paths:
          /orders/{id}:
            post:
              x-amazon-apigateway-integration:
                type: aws_proxy
                integrationSubtype: SQS-SendMessage
                payloadFormatVersion: "1.0"
                credentials: arn:aws:iam::000000000000:role/front
                requestParameters: { QueueUrl: !Ref Orders, MessageBody: $request.body }

  Orders:
    Type: AWS::SQS::Queue`,
  'sqs: { queue: "{{outputs.OrdersUrl}}", timeout: 5s }':
    'http: { url: "{{outputs.OrdersFront}}/orders/one", method: POST, timeout: 5s }',
  'hosts: ["{{outputs.WorkerArn}}", ':
    'hosts: ["{{outputs.OrdersFront}}", "{{outputs.WorkerArn}}", ',
};

describe("what a plan sends to a queue", () => {
  test("through an HTTP API's own integration counts as sent there", PATIENT, async () => {
    const { hazards } = await planned({ ...ACCEPTED, ...FRONT });
    expect(hazards[1]).toMatchObject({ resource: ORDERS, kind: "moved", count: 20 });
    expect(hazards[1]?.text).toContain("(20 of this plan, 0 of others)");
  });

  test("by another route of that API does not", PATIENT, async () => {
    const elsewhere = { ...FRONT };
    const key = 'sqs: { queue: "{{outputs.OrdersUrl}}", timeout: 5s }';
    elsewhere[key] = elsewhere[key].replace("/orders/one", "/other/one");
    const { hazards } = await planned({ ...ACCEPTED, ...elsewhere });
    expect(hazards[1]).toMatchObject({ resource: ORDERS, kind: "none", count: 0 });
  });

  test("in a closed loop is not known, and never 0", PATIENT, async () => {
    const loop = { "    rate: { at: 20/s }\n": "    saturate: { connections: 4 }\n" };
    const { code, hazards, findings } = await planned(loop);
    expect(hazards[0]).toMatchObject({ resource: WORKER, kind: "destroyed", count: 2_000 });
    expect(hazards[0]?.text).toMatch(
      /^up to 2,000 \(how many jobs sends in a closed loop is not known: at most limits.requests 2,000/,
    );
    expect([code, findings.some(({ message }) => message.includes("DESTROYED"))]).toEqual([
      64,
      true,
    ]);
  });
});

const MAPPING = "arn:aws:lambda:eu-west-1:000000000000:event-source-mapping";

const onFault = (fault: string, changed: string): { [text: string]: string } => ({
  '  - reserved-concurrency: { function: "{{outputs.WorkerArn}}", to: 0 }': `  - ${fault}`,
  '  change: ["{{outputs.WorkerArn}}"]': `  change: ["${changed}"]`,
});

test("other kinds of faults are looked at, too", PATIENT, async () => {
  const off = { "gone: 8s": "gone: 90s", "duration: 30s": "duration: 120s" };
  const many = { ...off, "requests: 2000": "requests: 9000" };
  const ids = {
    "  OrdersUrl:": `  StreamMapping:
    Value: !Sub "${MAPPING}:\${WorkerClicks}"
  QueueMapping:
    Value: !Sub "${MAPPING}:\${WorkerOrders}"
  OrdersArn:
    Value: !GetAtt Orders.Arn
  OrdersUrl:`,
  };
  const source = (output: string) => {
    const arn = `{{outputs.${output}}}`;
    return onFault(`event-source: { mapping: "${arn}", enabled: false }`, arn);
  };
  const stream = await planned({ ...many, ...ids, ...source("StreamMapping") });
  expect(foreseen(stream)).toEqual([[CLICKS, "destroyed", 300]]); // 10/s older than 60 s
  const queue = await planned({ ...many, ...ids, ...source("QueueMapping") });
  expect(foreseen(queue)).toEqual([[ORDERS, "none", 0]]); // nothing is received, nothing moves
  const slow = 'force-retries: { function: "{{outputs.WorkerArn}}", timeout: 1s }';
  const failing = await planned(onFault(slow, "{{outputs.WorkerArn}}"));
  expect(foreseen(failing)).toEqual([
    [WORKER, "none", 0], // retried 60 s and 180 s later, the fault lasts 8 s
    [ORDERS, "unknown", 20],
    [CLICKS, "none", 0],
  ]);
  const short = 'force-retries: { queue: "{{outputs.OrdersArn}}", visibility: 1s }';
  const again = await planned({ ...ids, ...onFault(short, "{{outputs.OrdersArn}}") });
  expect(again.hazards.map(({ kind, text }) => [kind, text])).toEqual([
    [
      "unknown",
      "a message of orders whose handling takes longer than 2 receives × 1 s moves to orders-dead " +
        "although it is being handled",
    ],
  ]);
});

async function counted(control: ControlPlane): Promise<{ dropped: number; dead: number }> {
  const url = (await control.call("sqs", "GetQueueUrl", { QueueName: "orders-dead" })).QueueUrl;
  const asked = { QueueUrl: String(url), AttributeNames: ["All"] };
  const { Attributes: of } = await control.call("sqs", "GetQueueAttributes", asked);
  const Metric = {
    ...{ Namespace: "AWS/Lambda", MetricName: "AsyncEventsDropped" },
    Dimensions: [{ Name: "FunctionName", Value: "worker" }],
  };
  const nowS = Math.floor(Date.now() / 1_000);
  const { MetricDataResults: found } = await control.call("cloudwatch", "GetMetricData", {
    ...{ StartTime: nowS - 600, EndTime: nowS + 60 },
    MetricDataQueries: [{ Id: "q", MetricStat: { Metric, Period: 60, Stat: "Sum" } }],
  });
  const [result] = found as { readonly Values: readonly number[] }[];
  return {
    dropped: (result?.Values ?? []).reduce((sum, value) => sum + value, 0),
    dead: Number((of as { ApproximateNumberOfMessages: string }).ApproximateNumberOfMessages),
  };
}

test("a run is refused before anything is sent; accepted, it costs what was foreseen", async () => {
  const { endpoint } = await place.local(join(lossScenario(), "template.yaml"));
  const where = { endpoint, region: "eu-west-1", account: null, runId: "test" };
  const control = createControlPlane(where);
  const refused = await place.run("run", lossScenario(), "--endpoint", endpoint);
  expect([refused.code, refused.out]).toEqual([64, ""]);
  expect(refused.err).toMatch(/^error: .*scenario.yaml:\d+: fault gone: about 160 .* DESTROYED/m);
  const { writes } = (await (await fetch(`${endpoint}/_local/audit`)).json()) as {
    writes: unknown[];
  };
  expect([writes, await counted(control)]).toEqual([[], { dropped: 0, dead: 0 }]);

  const out = join(place.dir, "accepted");
  const args = ["run", lossScenario(ACCEPTED), "--endpoint", endpoint, "--out", out];
  const ended = await place.run(...args);
  expect([ended.code, ended.out]).toEqual([
    0,
    expect.stringContaining("1 of 1 undone and verified"),
  ]);
  expect(ended.err).toMatch(/^warning: fault gone: about 160 .* events of worker are DESTROYED/m);
  expect(ended.err).toMatch(/^warning: fault gone: up to about 20 .* move to .* orders-dead/m);
  const cost = await counted(control);
  // On a busy machine a fault may begin and end a little late: 20 events/s while it was in force.
  const [askedS, onsetS, backS, clearedS] = momentsOf(out);
  expect(cost.dropped).toBeGreaterThanOrEqual(20 * (backS - onsetS) - 3);
  expect(cost.dropped).toBeLessThanOrEqual(20 * (clearedS - askedS) + 3);
  expect(cost.dead).toBeLessThanOrEqual(5 * (clearedS - askedS - 4) + 3);
}, 120_000);

/** Of the fault: asked, onset, asked back, cleared; seconds of the run. */
function momentsOf(run: string): [number, number, number, number] {
  const lines = readFileSync(join(run, "events", "0.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  const events = lines.map((line) => JSON.parse(line) as { t: number; step?: string });
  const at = (step: string): number =>
    (events.find((event) => event.step === step)?.t ?? NaN) / 1e6;
  return [at("asked"), at("onset"), at("restore-asked"), at("cleared")];
}
