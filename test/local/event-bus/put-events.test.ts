// Events through the real client: from a bus of the template to a queue and to a function.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CloudWatchLogsClient, FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import {
  DescribeEventBusCommand,
  DescribeRuleCommand,
  EventBridgeClient,
  ListEventBusesCommand,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  PutEventsCommand,
} from "@aws-sdk/client-eventbridge";
import { ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type LocalAws, startLocalAws } from "../../../src/local/start.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

const TEMPLATE = `AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31
Resources:
  Bus:
    Type: AWS::Events::EventBus
    Properties: { Name: ops }
  Heard:
    Type: AWS::SQS::Queue
    Properties: { QueueName: heard }
  MayHear:
    Type: AWS::SQS::QueuePolicy
    Properties: { Queues: [!Ref Heard], PolicyDocument: {} }
  Pager:
    Type: AWS::Serverless::Function
    Properties: { FunctionName: pager, Runtime: nodejs20.x, Handler: index.handler, CodeUri: functions/ }
  MayCall:
    Type: AWS::Lambda::Permission
    Properties: { FunctionName: !Ref Pager, Action: "lambda:InvokeFunction", Principal: events.amazonaws.com }
  All:
    Type: AWS::Events::Rule
    Properties:
      Name: all
      EventBusName: !Ref Bus
      EventPattern: { source: [gatecrash] }
      Targets: [{ Id: queue, Arn: !GetAtt Heard.Arn }]
  Pages:
    Type: AWS::Events::Rule
    Properties:
      EventBusName: !GetAtt Bus.Arn
      EventPattern: { detail: { severity: [page] } }
      Targets: [{ Id: function, Arn: !GetAtt Pager.Arn, InputPath: $.detail }]
  Off:
    Type: AWS::Events::Rule
    Properties:
      State: DISABLED
      EventBusName: !Ref Bus
      EventPattern: { source: [{ prefix: "" }] }
      Targets: [{ Id: queue, Arn: !GetAtt Heard.Arn, Input: "never" }]
Outputs:
  BusArn: { Value: !GetAtt Bus.Arn }
  BusName: { Value: !Ref Bus }
  RuleArn: { Value: !GetAtt All.Arn }
`;

let folder: string;
let local: LocalAws;
let events: EventBridgeClient;
let queues: SQSClient;
const place = () => ({
  endpoint: local.endpoint,
  region: "eu-west-1",
  credentials: { accessKeyId: "LOCAL", secretAccessKey: "local" },
  maxAttempts: 1,
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gatecrash-events-"));
  mkdirSync(join(folder, "functions"));
  writeFileSync(
    join(folder, "functions", "index.mjs"),
    "export const handler = async (event) => { console.log('paged', JSON.stringify(event)); };\n",
  );
  writeFileSync(join(folder, "template.yaml"), TEMPLATE);
  local = await startLocalAws({ template: join(folder, "template.yaml") });
  events = new EventBridgeClient(place());
  queues = new SQSClient(place());
});
afterAll(async () => {
  events.destroy();
  queues.destroy();
  await local.stop();
  rmSync(folder, { recursive: true });
});

const put = (...Entries: object[]) => events.send(new PutEventsCommand({ Entries }));
const entry = (detail: object, more: object = {}) => ({
  ...{ EventBusName: "ops", Source: "gatecrash", DetailType: "Gatecrash Test" },
  ...{ Detail: JSON.stringify(detail), ...more },
});

async function received(): Promise<{ [member: string]: unknown }[]> {
  const QueueUrl = `${local.endpoint}/000000000000/heard`;
  const input = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 600 };
  const { Messages = [] } = await queues.send(new ReceiveMessageCommand(input));
  return Messages.map(({ Body = "" }) => JSON.parse(Body));
}

describe("an event that is put on a bus", () => {
  it("arrives whole in the queue of a rule that it matches, once", async () => {
    const answer = await put(entry({ run: "r1", n: 1 }, { Resources: ["arn:x"] }));
    expect(answer).toMatchObject({
      FailedEntryCount: 0,
      Entries: [{ EventId: expect.any(String) }],
    });
    expect(await received()).toEqual([
      {
        version: "0",
        id: answer.Entries?.[0]?.EventId,
        "detail-type": "Gatecrash Test",
        source: "gatecrash",
        account: "000000000000",
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        region: "eu-west-1",
        resources: ["arn:x"],
        detail: { run: "r1", n: 1 },
      },
    ]);
  });

  it("reaches a function with the part of it that its rule names", async () => {
    await put(entry({ severity: "page", run: "r2" }, { EventBusName: local.outputs.BusArn }));
    const logs = new CloudWatchLogsClient(place());
    const found = await vi.waitFor(async () => {
      const input = { logGroupName: "/aws/lambda/pager", filterPattern: "paged" };
      const { events: lines = [] } = await logs.send(new FilterLogEventsCommand(input));
      expect(lines).toHaveLength(1);
      return lines[0]?.message;
    });
    expect(found).toContain('paged {"severity":"page","run":"r2"}');
    logs.destroy();
    await received();
  });

  it("on another bus, also on one that is not there, reaches nobody and is taken all the same", async () => {
    const answer = await put(
      entry({}, { EventBusName: "default" }),
      entry({}, { EventBusName: "nobody-knows" }),
    );
    expect(answer.FailedEntryCount).toBe(0);
    expect(await received()).toEqual([]);
  });
});

describe("PutEvents", () => {
  it("refuses each wrong entry by itself and takes the others", async () => {
    const { FailedEntryCount, Entries } = await put(
      entry({ ok: 1 }),
      entry({}, { Source: undefined }),
      entry({}, { Detail: "{" }),
      entry({}, { Detail: "[]" }),
      entry({}, { Source: "aws.ec2" }),
    );
    expect(FailedEntryCount).toBe(4);
    expect(Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([
      undefined,
      "InvalidArgument",
      "MalformedDetail",
      "MalformedDetail",
      "NotAuthorizedForSourceException",
    ]);
    expect((await received()).map(({ detail }) => detail)).toEqual([{ ok: 1 }]);
  });

  it("takes one to ten entries and 256 KB in all", async () => {
    const many = Array.from({ length: 11 }, () => entry({}));
    await expect(put(...many)).rejects.toThrow(/less than or equal to 10/);
    await expect(put()).rejects.toThrow(/greater than or equal to 1/);
    const half = entry({ text: "x".repeat(131_100) });
    await expect(put(half, half)).rejects.toMatchObject({
      name: "ValidationException",
      message: "Total size of the entries in the request is over the limit.",
    });
    expect((await put(half)).FailedEntryCount).toBe(0);
    await received();
  });
});

describe("buses, rules and targets", () => {
  it("are shown as the template has them", async () => {
    expect(local.outputs).toEqual({
      BusArn: "arn:aws:events:eu-west-1:000000000000:event-bus/ops",
      BusName: "ops",
      RuleArn: "arn:aws:events:eu-west-1:000000000000:rule/ops/all",
    });
    const buses = await events.send(new ListEventBusesCommand({}));
    expect(buses.EventBuses?.map(({ Name }) => Name)).toEqual(["default", "ops"]);
    const rules = await events.send(new ListRulesCommand({ EventBusName: "ops" }));
    expect(rules.Rules?.map(({ Name, State }) => [Name, State])).toEqual([
      ["all", "ENABLED"],
      ["local-Off", "DISABLED"],
      ["local-Pages", "ENABLED"],
    ]);
    const one = await events.send(new DescribeRuleCommand({ Name: "all", EventBusName: "ops" }));
    expect(one).toMatchObject({ EventPattern: '{"source":["gatecrash"]}', EventBusName: "ops" });
    const targets = { Rule: "local-Pages", EventBusName: "ops" };
    const { Targets } = await events.send(new ListTargetsByRuleCommand(targets));
    expect(Targets).toEqual([
      { Id: "function", Arn: expect.stringMatching(/:pager$/), InputPath: "$.detail" },
    ]);
  });

  it("that do not exist are ResourceNotFoundException", async () => {
    for (const command of [
      new DescribeEventBusCommand({ Name: "none" }),
      new DescribeRuleCommand({ Name: "none" }),
    ])
      await expect(events.send(command as DescribeEventBusCommand)).rejects.toMatchObject({
        name: "ResourceNotFoundException",
      });
  });

  it("that the template has wrong are named with their line", async () => {
    for (const [text, other, complaint] of [
      ["source: [gatecrash]", "$or: []", "All: $or in an event pattern is not modelled"],
      ["EventBusName: !Ref Bus", "EventBusName: nobody", "All: there is no event bus nobody"],
      ["Arn: !GetAtt Heard.Arn", "Arn: arn:aws:sns:x:y:z", "local AWS sends events to queues"],
    ] as const) {
      const file = join(folder, "wrong.yaml");
      writeFileSync(file, TEMPLATE.replace(text, other));
      await expect(startLocalAws({ template: file })).rejects.toMatchObject({
        message: expect.stringContaining(complaint),
        place: { line: expect.any(Number) },
      });
    }
  });
});
