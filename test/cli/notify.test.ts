// People are told: through the front door, to a webhook and a bus that really hear it.
import { createHmac } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import type { NotifyEvent } from "../../src/core/facts.ts";
import { type Ended, Workplace } from "../support/command-line.ts";
import { type WebhookServer, webhookServer } from "../support/webhook-server.ts";

const place = new Workplace("gatecrash-notify-");
let hook: WebhookServer;
beforeAll(async () => {
  hook = await webhookServer();
});
afterAll(async () => {
  await hook[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

const PATH = "/services/T0123/B0456/abcDEF0123456789abcDEF01";
const SIGNING = "whsec-never-to-be-seen-77";
const ENV = () => ({ HOOK_URL: `${hook.url}${PATH}`, HOOK_SECRET: SIGNING });
const PATIENT = { timeout: 180_000 };

const BUS = `
  Bus:
    Type: AWS::Events::EventBus
    Properties: { Name: ops }
  Heard:
    Type: AWS::SQS::Queue
    Properties: { QueueName: heard }
  All:
    Type: AWS::Events::Rule
    Properties:
      EventBusName: !Ref Bus
      EventPattern: { source: [gatecrash] }
      Targets: [{ Id: queue, Arn: !GetAtt Heard.Arn }]

Outputs:
  BusName:
    Value: !Ref Bus
`;

const HOOK = 'webhook: { url: "{{env.HOOK_URL}}", sign: "{{env.HOOK_SECRET}}" }';

function scenario(notify: string, edits: { readonly [text: string]: string } = {}): string {
  const folder = place.scenario({ "accept:\n": `notify: ${notify}\naccept:\n`, ...edits });
  const template = join(folder, "template.yaml");
  writeFileSync(template, readFileSync(template, "utf8").replace("\nOutputs:\n", BUS));
  return folder;
}

const notified = (out: string): NotifyEvent[] =>
  readFileSync(join(out, "events", "notify.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const filesBelow = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"))
    .join("\n");

async function queued(endpoint: string): Promise<{ [member: string]: unknown }[]> {
  const where = { endpoint, region: "eu-west-1", account: null, runId: "test" };
  const control = createControlPlane(where);
  const QueueUrl = `${endpoint}/000000000000/heard`;
  const input = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 600 };
  const { Messages = [] } = await control.call("sqs", "ReceiveMessage", input);
  return (Messages as { Body: string }[]).map(({ Body }) => JSON.parse(Body));
}

describe("a run with a webhook and an event bus", PATIENT, () => {
  let ended: Ended;
  let endpoint = "";
  const out = join(place.dir, "told");
  beforeAll(async () => {
    const both = `[{ ${HOOK} }, { eventbridge: { bus: "{{outputs.BusName}}" }, on: [fault, verdict] }]`;
    const folder = scenario(both);
    ({ endpoint } = await place.local(join(folder, "template.yaml")));
    ended = await place.start(["run", folder, "--endpoint", endpoint, "--out", out], ENV()).ended;
  }, 180_000);

  test("passes, tells each step in its order, and the report says so", () => {
    expect(ended.code, ended.out + ended.err).toBe(0);
    const told = hook.received.map(({ body }) => [body.on, body.step, body.severity]);
    expect(told).toEqual([
      ["start", undefined, "info"],
      ["fault", "injected", "warning"],
      ["fault", "undone", "info"],
      ["verdict", undefined, "info"],
    ]);
    expect(ended.out).toMatch(/told\s+webhook 1: 3 of 3; eventbridge 2: 2 of 2/);
    const steps = notified(out).map(({ sink, on, step }) => `${sink} ${on} ${step}`);
    expect(steps.filter((text) => text.startsWith("webhook 1 start"))).toEqual([
      "webhook 1 start asked",
      "webhook 1 start answered",
    ]);
  });

  test("says what is changed, from what to what, until when, and where the report is", () => {
    const [, fault, , verdict] = hook.received.map(({ body }) => body);
    expect(fault).toMatchObject({
      title: "A shop whose only function is taken away for a moment",
      environment: "local",
      change: {
        fault: "gone",
        kind: "reserved-concurrency",
        resource: "open",
        change: "ReservedConcurrentExecutions unset → 0",
        undo_due: expect.stringMatching(/^\d{4}-/),
      },
    });
    expect(String(fault?.text)).toMatch(
      /^Fault injected: open ReservedConcurrentExecutions unset → 0, until \d\d:\d\d UTC: A shop/,
    );
    expect(verdict).toMatchObject({ verdict: "pass", exit_code: 0, report: "told" });
    expect(String(verdict?.text)).toMatch(/^Gatecrash: PASS: A shop .* · Report: told · run /);
  });

  test("signs its bodies, so that a receiver knows them from others", () => {
    for (const { headers, text } of hook.received) {
      const timestamp = String(headers["gatecrash-timestamp"]);
      const hex = createHmac("sha256", SIGNING).update(`${timestamp}.${text}`).digest("hex");
      expect(headers["gatecrash-signature"]).toBe(`v1=${hex}`);
      expect(Math.abs(Date.now() / 1_000 - Number(timestamp))).toBeLessThan(300);
    }
    expect(new Set(hook.received.map(({ headers }) => headers["gatecrash-delivery"])).size).toBe(4);
  });

  test("tells a webhook no account, ARN or host; the bus, which is in the account, all", async () => {
    const webhooks = hook.received.map(({ text }) => text).join("\n");
    expect(webhooks).not.toMatch(/arn:|000000000000|127\.0\.0\.1/);
    const events = await queued(endpoint);
    expect(events.map((event) => event["detail-type"])).toEqual([
      "Gatecrash Fault",
      "Gatecrash Fault",
      "Gatecrash Verdict",
    ]);
    expect(events[0]).toMatchObject({
      source: "gatecrash",
      resources: ["arn:aws:lambda:eu-west-1:000000000000:function:open"],
      detail: { account: "000000000000", on: "fault", change: { fault: "gone" } },
    });
  });

  test("writes and prints neither the webhook's URL nor its secret", () => {
    const all = filesBelow(out) + filesBelow(join(place.dir, "state")) + ended.out + ended.err;
    expect(all).not.toContain("abcDEF0123456789");
    expect(all).not.toContain(SIGNING);
    expect(filesBelow(join(place.dir, "state"))).toContain("{{env.HOOK_URL}}");
  });

  test("has its sinks in the plan, by host alone", async () => {
    const folder = scenario(`[{ ${HOOK}, on: [not-undone] }]`);
    const args = ["plan", folder, "--endpoint", endpoint];
    const planned = await place.start(args, ENV()).ended;
    expect(planned.out).toMatch(/TELLS +webhook 1 → 127\.0\.0\.1:\d+: not-undone/);
    expect(planned.out).not.toContain("services");
  });
});

describe("a webhook that hangs or fails", PATIENT, () => {
  test.concurrent("delays neither fault nor undo nor verdict, and is a line in the report", async () => {
    await using other = await webhookServer();
    other.answer(null);
    const out = join(place.dir, "hangs");
    const args = ["run", scenario(`[{ webhook: { url: "${other.url}/hook" } }]`), "--out", out];
    const running = place.start(args);
    await running.until(() => running.out.includes("\nagain") || running.out.includes(" again"));
    expect(running.out).toMatch(/told\s+webhook 1: 0 of 3; NOT TOLD: start \(no answer yet\)/);
    const before = readFileSync(join(out, "report.txt"), "utf8");
    const ended = await running.ended;
    expect(ended.code, ended.err).toBe(0);
    expect(ended.err).toContain("warning: webhook 1 could not be told (start): no answer in time");
    const lines = readFileSync(join(out, "events", "0.jsonl"), "utf8")
      .trim()
      .split("\n");
    const phases = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === "fault");
    expect(phases.find(({ step }) => step === "asked").t).toBeLessThan(2_500_000);
    await place.run("report", out);
    expect(readFileSync(join(out, "report.txt"), "utf8")).toBe(before); // judged again, the same
  });

  test.concurrent("is tried again where that may help, and redirects are not followed", async () => {
    await using other = await webhookServer();
    other.answer(302);
    const notify = `[{ webhook: { url: "${other.url}/hook" }, on: [start] }]`;
    const ended = await place.run("run", scenario(notify), "--out", join(place.dir, "moved"));
    expect(ended.code, ended.err).toBe(0);
    expect(ended.err).toContain("(start): HTTP 302 (redirects are not followed)");
    expect(other.received.map(({ path }) => path)).toEqual(["/hook"]);
  });
});

describe("what is not undone", PATIENT, () => {
  test("pages with the exact command, again and again, and heal pages as well", async () => {
    await using other = await webhookServer();
    other.answer(500);
    const env = { HOOK_URL: `${other.url}/x`, XDG_STATE_HOME: join(place.dir, "left.state") };
    const notify = '[{ webhook: { url: "{{env.HOOK_URL}}" }, on: [not-undone] }]';
    const edits = {
      ...{ "gone: 2500ms": "gone: 60s", "duration: 30s": "duration: 90s", "60/s": "20/s" },
      ...{ OpenArn: "KeptArn", "undo: 20s": "undo: 4s" },
    };
    const folder = scenario(notify, edits);
    const { endpoint } = await place.local(join(folder, "template.yaml"));
    const out = join(place.dir, "left");
    const running = place.start(["run", folder, "--endpoint", endpoint, "--out", out], env);
    const events = (): string => {
      try {
        return readFileSync(join(out, "events", "0.jsonl"), "utf8");
      } catch {
        return "";
      }
    };
    await running.until(() => events().includes('"onset"'));
    const where = { endpoint, region: "eu-west-1", account: null, runId: "test" };
    const control = createControlPlane(where);
    // What is reserved elsewhere leaves too little to put the 7 back.
    const taken = { FunctionName: "open", ReservedConcurrentExecutions: 894 };
    await control.call("lambda", "PutFunctionConcurrency", taken);
    running.kill("SIGINT");
    await running.until(() => other.received.length >= 3);
    other.answer(200);
    const ended = await running.ended;
    expect(ended.code, ended.out + ended.err).toBe(4);
    const page = other.received.at(-1)?.body;
    expect(page).toMatchObject({
      ...{ on: "not-undone", step: "failed", severity: "page" },
      change: { resource: "kept", change: "ReservedConcurrentExecutions 7 → 0" },
      command:
        "aws lambda put-function-concurrency --function-name kept " +
        `--reserved-concurrent-executions 7 --region eu-west-1 --endpoint-url ${endpoint}`,
    });
    expect(String(page?.text)).toContain("Do now: aws lambda put-function-concurrency");
    const told = other.received.length;
    const healed = await place.start(["heal"], { ...env, GATECRASH_TEST: "1" }).ended;
    expect([healed.code, healed.out]).toEqual([4, expect.stringContaining("NOT UNDONE")]);
    expect(other.received.slice(told).map(({ body }) => [body.on, body.severity])).toEqual([
      ["not-undone", "page"],
    ]);
  });
});

describe("a sink that cannot work", PATIENT, () => {
  test.concurrent.each([
    [
      `[{ webhook: { url: "https://hooks.slack.com/services/T0/B0/x" } }]`,
      "the URL looks like a secret and is written out",
    ],
    [`[{ webhook: { url: "{{env.NO_HOOK}}" } }]`, "the environment variable NO_HOOK is not set"],
    [`[{ webhook: { url: "{{env.HOOK_TEXT}}" } }]`, "webhook 1: what {{env.HOOK_TEXT}} stands for"],
    [`[{ webhook: { url: "https://x.example", sign: abc } }]`, "the secret is written out"],
    [`[{ webhook: { url: "ftp://x.example" } }]`, "this is no http:// or https:// URL"],
    [`[{ on: [start] }]`, "one of `webhook`, `eventbridge` is needed"],
    [`[{ eventbridge: { bus: b }, on: [started] }]`, "notify.0.on.0"],
    [`[{ eventbridge: { bus: nobody } }]`, "the event bus nobody cannot be read"],
  ])("is said before anything is sent: %s", async (notify, complaint) => {
    const env = { HOOK_TEXT: "no-url-at-all" };
    const ended = await place.start(["run", scenario(notify)], env).ended;
    expect([ended.code, ended.err]).toEqual([64, expect.stringContaining(complaint)]);
    expect(ended.err).not.toContain("no-url-at-all");
  });

  test.concurrent("that is not on this machine hears nothing of local AWS", async () => {
    const notify = `[{ webhook: { url: "https://ops.example.com/gatecrash" } }]`;
    const folder = scenario(notify);
    const planned = await place.run("plan", folder);
    expect(planned.out).toMatch(/TELLS +webhook 1 → ops\.example\.com: .*not from local AWS/);
    const ended = await place.run("run", folder, "--out", join(place.dir, "silent"));
    expect([ended.code, ended.out.includes("told ")]).toEqual([0, false]);
  });
});
