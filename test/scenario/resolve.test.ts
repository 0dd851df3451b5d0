// Outputs closed, secrets kept open, and nothing outside the allow-list.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { covers } from "../../src/scenario/allow.ts";
import { readScenario } from "../../src/scenario/read.ts";
import { resolveScenario } from "../../src/scenario/resolve.ts";
import { complaintsOf, readText, scenarioText } from "./support.ts";

const zero = join(import.meta.dirname, "fixtures", "zero");
const outputs = {
  ApiUrl: "http://127.0.0.1:4000",
  ApiHost: "127.0.0.1:4000",
  OrderArn: "arn:aws:lambda:eu-west-1:000000000000:function:order",
  FrontArn: "arn:aws:lambda:eu-west-1:000000000000:function:front",
  AccessLogGroup: "/orders/access",
};
const read = () => readScenario(zero, { variant: "hardened", environment: "local" });

describe("resolving", () => {
  it("closes outputs and leaves header references for the moment of sending", () => {
    const { allow, loads, faults, observe } = resolveScenario(read(), { outputs, env: {} });
    expect(allow).toEqual({ hosts: [outputs.ApiHost], change: [outputs.OrderArn], lose: [] });
    expect(loads[0]?.target).toEqual({
      kind: "http",
      url: outputs.ApiUrl,
      method: null,
      headers: [["x-api-key", "{{env.API_KEY}}"]],
      timeoutUs: 3_000_000,
    });
    expect(faults[0]?.input).toEqual({ function: outputs.OrderArn, to: 0 });
    expect(observe.reports).toEqual([outputs.OrderArn, outputs.FrontArn]);
    expect(observe.accessLog).toBe("/orders/access");
  });

  it("names every output that is not there, with the nearest", () => {
    const { ApiUrl: _, ...rest } = outputs;
    expect(complaintsOf(() => resolveScenario(read(), { outputs: rest, env: {} }))).toEqual([
      "25: there is no output `ApiUrl` (known here: ApiHost, OrderArn, FrontArn, AccessLogGroup)",
    ]);
  });

  it("names the line also of what stands under allow", () => {
    const { OrderArn: _, ...rest } = outputs;
    const complaints = complaintsOf(() => resolveScenario(read(), { outputs: rest, env: {} }));
    expect(complaints.map((text) => Number.parseInt(text, 10))).toEqual([16, 34]);
  });

  it("fills environment variables into addresses", () => {
    const text = scenarioText(
      "loads: { a: { rate: { at: 1/s }, http: { url: '{{ env.BASE }}/x' } } }",
    );
    const env = { BASE: "http://127.0.0.1:9" };
    const { loads } = resolveScenario(readText(text), { outputs: {}, env });
    expect(loads[0]?.target).toMatchObject({ url: "http://127.0.0.1:9/x" });
    expect(complaintsOf(() => resolveScenario(readText(text), { outputs: {}, env: {} }))).toContain(
      "4: the environment variable BASE is not set (set BASE)",
    );
  });
});

it("closes alarms of stop-when, and complains with their lines", () => {
  const text = scenarioText(
    "stop-when:\n  - shopper.errors.rate > 5%\n  - alarm: '{{outputs.HighArn}}'\n  - alarm: quota",
  );
  const arn = "arn:aws:cloudwatch:eu-west-1:000000000000:alarm:high";
  const scenario = readText(text);
  expect(scenario.stopWhen).toEqual([{ text: "shopper.errors.rate > 5%", line: 6 }]);
  const closed = resolveScenario(scenario, { outputs: { HighArn: arn }, env: {} });
  expect(closed.stopAlarms).toEqual([
    { alarm: arn, line: 7 },
    { alarm: "quota", line: 8 },
  ]);
  expect(complaintsOf(() => resolveScenario(scenario, { outputs: {}, env: {} }))).toEqual([
    "7: there is no output `HighArn` (the template has no Outputs)",
  ]);
});

describe("the keys of a sink", () => {
  const sinks = (input: string) => {
    const load =
      "rate: { at: 1/s }, http: { url: http://127.0.0.1:1/ }, ledger: { id: i, cell: c }";
    return readText(scenarioText(`loads: { a: { ${load} } }\nsinks: { s: { ${input}, of: [a] } }`));
  };
  const close = (input: string) =>
    resolveScenario(sinks(input), { outputs, env: { BASE: "http://127.0.0.1:1", TOKEN: "t" } });

  it("are closed wherever they are text; headers keep what may be secret", () => {
    const command = close("command: { argv: [ls, '{{outputs.ApiHost}}'], id: i }").sinks[0];
    expect(command?.input).toEqual({ argv: ["ls", outputs.ApiHost] });
    const headers = "{ a: '{{env.TOKEN}}', b: '{{outputs.ApiHost}}' }";
    const http = close(`http: { url: '{{env.BASE}}/', headers: ${headers}, id: i }`).sinks[0];
    expect(http?.input).toEqual({
      url: "http://127.0.0.1:1/",
      headers: { a: "{{env.TOKEN}}", b: outputs.ApiHost },
    });
  });

  it("name no host outside of allow.hosts", () => {
    expect(complaintsOf(() => close("http: { url: 'http://10.0.0.1/', id: i }"))).toEqual([
      "5: sink `s` would be read from 10.0.0.1, which is not in allow.hosts " +
        "(allow.hosts is: http://127.0.0.1:1/)",
    ]);
  });
});

describe("the allow-list", () => {
  it("refuses a host that it does not name", () => {
    const other = { ...outputs, ApiHost: "127.0.0.1:4001" };
    expect(complaintsOf(() => resolveScenario(read(), { outputs: other, env: {} }))).toEqual([
      "25: load `shopper` would be sent to 127.0.0.1:4000, which is not in allow.hosts " +
        "(allow.hosts is: 127.0.0.1:4001)",
    ]);
  });

  it("refuses a change that it does not name", () => {
    const text = scenarioText(`loads: { a: { rate: { at: 1/s }, http: { url: http://h/ } } }
faults: [{ reserved-concurrency: { function: "arn:f", to: 0 }, during: zero }]`);
    expect(complaintsOf(() => resolveScenario(readText(text), { outputs: {}, env: {} }))).toEqual([
      "5: fault `zero` would change arn:f, which is not in allow.change (allow.change is: empty)",
    ]);
  });

  it("is not assumed for an output of a real account", () => {
    const text = scenarioText(`environments:
  staging: { account: "222222222222", aws-region: eu-west-1 }
loads: { a: { rate: { at: 1/s }, http: { url: "{{outputs.ApiUrl}}" } } }`);
    const scenario = readText(text, { variant: null, environment: "staging" });
    expect(complaintsOf(() => resolveScenario(scenario, { outputs, env: {} }))).toEqual([
      "6: load `a` would be sent to 127.0.0.1:4000, which is not in allow.hosts " +
        "(allow.hosts is: empty)",
    ]);
  });

  it.each([
    ["shop.example", "https://shop.example/x", true],
    ["shop.example", "http://shop.example:8080/", true],
    ["shop.example:8080", "http://shop.example:8080/", true],
    ["shop.example:8080", "http://shop.example:8081/", false],
    ["https://shop.example", "https://shop.example/other", true],
    ["SHOP.example", "https://shop.example/", true],
    ["example", "https://shop.example/", false],
    ["shop.example", "https://shop.example.evil.example/", false],
    ["shop.example", "https://evil.example/?shop.example", false],
    ["shop.example", "https://shop.example@evil.example/", false],
    ["arn:aws:lambda:eu-west-1:1:function:f", "arn:aws:lambda:eu-west-1:1:function:f", true],
    ["arn:aws:lambda:eu-west-1:1:function:f", "arn:aws:lambda:eu-west-1:1:function:g", false],
  ])("%s for %s: %s", (allowed, destination, expected) => {
    expect(covers(allowed, destination)).toBe(expected);
  });
});
