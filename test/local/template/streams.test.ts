// Streams in a template: names, defaults, events from them, and what is refused.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadTemplate } from "../../../src/local/template/load-template.ts";
import type { Template } from "../../../src/local/template/types.ts";

const PLACE = { account: "000000000000", region: "eu-west-1", endpoint: "http://x", scale: 0.1 };

function load(stream: string, event = ""): Template {
  const folder = mkdtempSync(join(tmpdir(), "gatecrash-streams-"));
  const file = join(folder, "template.yaml");
  writeFileSync(join(folder, "index.mjs"), "export const handler = async () => {};\n");
  writeFileSync(
    file,
    `Transform: AWS::Serverless-2016-10-31\nResources:\n  Clicks:\n    Type: AWS::Kinesis::Stream\n` +
      `    Properties: ${stream}\n  Count:\n    Type: AWS::Serverless::Function\n    Properties:\n` +
      `      Runtime: nodejs20.x\n      Handler: index.handler\n${event}` +
      "Outputs:\n  Name: { Value: !Ref Clicks }\n  Arn: { Value: !GetAtt Clicks.Arn }\n",
  );
  try {
    return loadTemplate({ ...PLACE, file });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const eventOf = (properties: string): string =>
  `      Events:\n        Stream: { Type: Kinesis, Properties: { ${properties} } }\n`;

it("a stream has AWS's defaults, and a name when it has none", () => {
  const template = load("{ ShardCount: 3 }");
  expect(template.streams).toEqual([
    {
      name: "local-Clicks",
      settings: { shardCount: 3, retentionHours: 24, maxRecordBytes: 1_048_576 },
    },
  ]);
  expect(template.outputs([])).toEqual({
    Name: "local-Clicks",
    Arn: "arn:aws:kinesis:eu-west-1:000000000000:stream/local-Clicks",
  });
});

it("an event from a stream has Lambda's defaults; nothing of it is scaled", () => {
  const event = eventOf("Stream: !GetAtt Clicks.Arn, StartingPosition: LATEST");
  const [mapping] = load("{ ShardCount: 1 }", event).streamMappings;
  expect(mapping).toEqual({
    enabled: true,
    spec: {
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      streamArn: "arn:aws:kinesis:eu-west-1:000000000000:stream/local-Clicks",
      functionName: "local-Count",
      batchMax: 100,
      windowS: 0,
      parallelization: 1,
      retriesMax: -1,
      recordAgeMaxS: -1,
      bisect: false,
      reportFailures: false,
      startingPosition: { type: "LATEST" },
      onFailure: null,
    },
  });
});

it.each([
  ["{ ShardCount: 0 }", ""],
  ["{ ShardCount: 1, StreamModeDetails: { StreamMode: ON_DEMAND } }", ""],
  ["{ RetentionPeriodHours: 24 }", ""],
  ["{ ShardCount: 1 }", eventOf("Stream: a")],
  ["{ ShardCount: 1 }", eventOf("Stream: a, StartingPosition: LATEST, TumblingWindowInSeconds: 9")],
  ["{ ShardCount: 1 }", eventOf("Stream: a, StartingPosition: LATEST, BatchSize: 10001")],
  [
    "{ ShardCount: 1 }",
    eventOf("Stream: a, StartingPosition: LATEST, MaximumRecordAgeInSeconds: 9"),
  ],
])("%s with event %s is refused with its line", (stream, event) => {
  expect(() => load(stream, event)).toThrow(/ShardCount|StreamMode|Events/);
});
