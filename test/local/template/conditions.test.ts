// What conditions and mappings decide, what is left out of local AWS, and what is said otherwise.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { GatecrashError } from "../../../src/core/error.ts";
import { loadTemplate } from "../../../src/local/template/load-template.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "gatecrash-conditions-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

function load(text: string) {
  const file = join(dir, "t.yaml");
  writeFileSync(file, text);
  const place = { account: "000000000000", region: "eu-west-1", endpoint: "http://127.0.0.1:1" };
  return loadTemplate({ ...place, file, scale: 1 });
}

function complaintAbout(text: string): string {
  try {
    load(text);
  } catch (thrown) {
    if (thrown instanceof GatecrashError) return thrown.render().replace(`${dir}/`, "");
    throw thrown;
  }
  return "no complaint";
}

const shop = (stage: string): string => `
Parameters: { Stage: { Type: String, Default: ${stage} } }
Mappings:
  Waits: { dev: { s: 10 }, prod: { s: 90 } }
Conditions:
  IsProd: !Equals [!Ref Stage, prod]
  IsDev: !Not [!Condition IsProd]
  Both: !And [!Condition IsProd, !Condition IsDev]
  Either: !Or [!Condition IsProd, !Equals [!Ref "AWS::Region", eu-west-1]]
Resources:
  Always:
    Type: AWS::SQS::Queue
    Condition: Either
    Properties:
      QueueName: !If [IsProd, orders, !Sub "orders-\${Stage}"]
      VisibilityTimeout: !FindInMap [Waits, !Ref Stage, s]
      DelaySeconds: !If [IsProd, 5, !Ref "AWS::NoValue"]
  Audit: { Type: AWS::SQS::Queue, Condition: IsProd }
  Never: { Type: AWS::Unheard::Of, Condition: Both }
Outputs:
  Queue: { Value: !Ref Always }
  Audit: { Condition: IsProd, Value: !Ref Audit }
`;

it.each([
  ["dev", ["orders-dev"], 10, 0, ["Queue"]],
  ["prod", ["orders", "local-Audit"], 90, 5, ["Queue", "Audit"]],
])("conditions decide by the parameters' defaults: %s", (stage, names, visible, delay, outputs) => {
  const template = load(shop(stage));
  expect(template.queues.map(({ name }) => name)).toEqual(names);
  const [{ settings }] = template.queues as [(typeof template.queues)[number]];
  expect([settings.visibilityTimeoutS, settings.delayS]).toEqual([visible, delay]);
  expect(Object.keys(template.outputs([]))).toEqual(outputs);
});

it.each([
  ["no condition of that name", "Resources:\n  Q: { Type: AWS::SQS::Queue, Condition: No }", "2: "],
  [
    "one that names itself",
    "Conditions:\n  A: !Condition A\nResources:\n  Q: { Type: T, Condition: A }",
    "2: ",
  ],
  [
    "one made of something else",
    "Conditions:\n  A: true\nResources:\n  Q: { Type: T, Condition: A }",
    "2: ",
  ],
  [
    "no such entry of a mapping",
    "Mappings: { M: { a: { b: 1 } } }\nResources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties:\n      DelaySeconds: !FindInMap [M, a, c]",
    "6: ",
  ],
  [
    "too few arguments",
    "Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties:\n      DelaySeconds: !If [A]",
    "5: ",
  ],
])("%s is an error with its line", (_, text, line) => {
  expect(complaintAbout(text)).toContain(`t.yaml:${line}`);
});

it("resources without a part in a load have a name and an ARN, and are not run", () => {
  const template = load(`
Resources:
  Pager: { Type: AWS::SNS::Topic }
  Key: { Type: AWS::KMS::Key, Properties: { KeyPolicy: {} } }
Outputs:
  Topic: { Value: !Ref Pager }
  Key: { Value: !GetAtt Key.Arn }
`);
  expect(template.outputs([])).toEqual({
    Topic: "arn:aws:sns:eu-west-1:000000000000:local-Pager",
    Key: "arn:aws:kms:eu-west-1:000000000000:local-Key",
  });
});

it("a type that is not modelled says how to leave it out, and then it is left out", () => {
  const resource = (more: string) => `
Resources:
  Search:
    Type: AWS::OpenSearchService::Domain
${more}
Outputs: { Name: { Value: !Ref Search } }
`;
  expect(complaintAbout(resource(""))).toContain("t.yaml:4: AWS::OpenSearchService::Domain");
  expect(complaintAbout(resource(""))).toContain("Metadata: { Gatecrash: { Local: false } }");
  const left = load(resource("    Metadata: { Gatecrash: { Local: false } }"));
  expect(left.outputs([])).toEqual({ Name: "local-Search" });
});

it("an event that is not modelled says how to leave it out, and then it is left out", () => {
  writeFileSync(join(dir, "a.mjs"), "");
  const nightly = (metadata: string) => `
Resources:
  F:
    Type: AWS::Serverless::Function
    ${metadata}
    Properties:
      Handler: a.handler
      Runtime: nodejs22.x
      Events:
        Nightly: { Type: Schedule, Properties: { Schedule: rate(1 day) } }
        Get: { Type: HttpApi, Properties: { Path: /, Method: GET } }
`;
  expect(complaintAbout(nightly(""))).toContain("t.yaml:10: Resources.F.Properties.Events.Nightly");
  expect(complaintAbout(nightly(""))).toContain("IgnoreEvents: [Nightly]");
  const template = load(nightly("Metadata: { Gatecrash: { IgnoreEvents: [Nightly] } }"));
  expect(template.apis[0]?.routes).toHaveLength(1);
});

it("a handler in TypeScript says that it has to be built", () => {
  writeFileSync(join(dir, "app.ts"), "");
  const text = `
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties: { Handler: app.handler, Runtime: nodejs22.x }
`;
  expect(complaintAbout(text)).toContain("t.yaml:5: Handler app.handler: there is no app.mjs");
  expect(complaintAbout(text)).toContain("build first");
});
