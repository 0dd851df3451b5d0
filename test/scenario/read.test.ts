// Whole scenarios: two long ones and the shortest, every value as it comes out.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lintScenario } from "../../src/scenario/lint.ts";
import { readScenario } from "../../src/scenario/read.ts";
import { complaintsOf, LOCAL, readText, scenarioText } from "./support.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const zero = join(FIXTURES, "zero");
const backlog = join(FIXTURES, "backlog");

describe("a scenario with a fault", () => {
  const read = () => readScenario(zero, { variant: "naive", environment: "staging" });

  it("is read from its folder, with variant, account and phases on the run's clock", () => {
    const scenario = read();
    expect(scenario).toMatchObject({
      file: join(zero, "scenario.yaml"),
      dir: zero,
      title: "Orders go on while their function may not run",
      seed: 7,
      variants: ["naive", "hardened"],
      variant: "naive",
      expect: { verdict: "fail", criterion: "shopper.errors.rate <= 1% during zero" },
      environment: "staging",
      template: join(zero, "naive.template.yaml"),
      scale: 1,
      budgetUs: null,
      assumed: [],
    });
    expect(scenario.account).toEqual({
      name: "staging",
      account: "222222222222",
      awsRegion: "eu-west-1",
      outputs: { cloudformation: "orders-naive" },
      identities: {
        observe: {
          ...{ profile: null, externalId: null, webIdentityFile: null, sessionS: 3_600 },
          roles: ["arn:aws:iam::222222222222:role/gatecrash-observe"],
        },
      },
      logs: null,
      production: false,
      endpoint: null,
    });
    expect(scenario.phases).toEqual([
      { name: "warmup", startUs: 0, endUs: 5_000_000 },
      { name: "before", startUs: 5_000_000, endUs: 20_000_000 },
      { name: "zero", startUs: 20_000_000, endUs: 35_000_000 },
      { name: "after", startUs: 35_000_000, endUs: 50_000_000 },
    ]);
    const { limits, generator, local, observe } = scenario;
    expect({ limits, generator, local, observe }).toEqual({
      limits: { durationUs: 90e6, requests: 20_000, inFlight: 400, undoUs: 60e6 },
      generator: { lagP99Us: 20_000, dropped: 0, cpu: 0.9 },
      local: { concurrency: 1_000, unreservedMinimum: 100, scalingBucket: 1_000 },
      observe: {
        reports: ["{{outputs.OrderArn}}", "{{outputs.FrontArn}}"],
        accessLog: "{{outputs.AccessLogGroup}}",
        metricFunctions: ["{{outputs.OrderArn}}"],
        metricAccount: false,
        metricFronts: true,
        waitUs: 300e6,
      },
    });
  });

  it("has its load and fault with every unit as a number", () => {
    const { loads, faults } = read();
    expect(loads).toEqual([
      {
        name: "shopper",
        driver: {
          kind: "replay",
          file: join(zero, "traffic/shop.log"),
          speed: 12,
          amplify: 1,
          windowUs: null,
        },
        target: {
          kind: "http",
          url: "{{outputs.ApiUrl}}",
          method: null,
          headers: [["x-api-key", "{{env.API_KEY}}"]],
          timeoutUs: 3_000_000,
        },
        routes: [
          { name: "order", method: "POST", path: "/order" },
          { name: "browse", method: "GET", path: "/product/{id}" },
        ],
        writes: [
          {
            route: "order",
            body: join(zero, "traffic/orders.ndjson"),
            why: "orders of a test tenant",
          },
        ],
        body: null,
        ok: [
          { from: 200, to: 299 },
          { from: 404, to: 404 },
        ],
        degraded: { header: "x-degraded", value: null },
        resend: {
          attempts: 3,
          on: ["throttled", "errored"],
          backoffUs: 300_000,
          maxUs: 30_000_000,
          jitter: "full",
        },
        ledger: null,
        during: null,
        startUs: 0,
        endUs: 50_000_000,
        inFlightMax: 400,
        line: 25,
      },
    ]);
    expect(faults).toEqual([
      {
        kind: "reserved-concurrency",
        name: "zero",
        during: "zero",
        startUs: 20_000_000,
        endUs: 35_000_000,
        input: { function: "{{outputs.OrderArn}}", to: 0 },
        line: 34,
      },
    ]);
  });

  it("keeps the line of every criterion", () => {
    const { steady, stopWhen, accept } = read();
    expect(steady).toEqual([{ text: "shopper.errors.rate <= 1%", line: 42 }]);
    expect(stopWhen).toEqual([{ text: "shopper.in-flight > 350", line: 44 }]);
    expect(accept.map(({ line }) => line)).toEqual([46, 47, 48, 49, 50, 51, 52, 53]);
    expect(accept[4]?.text).toBe("recovery(zero) <= 10s primary");
  });

  it("has nothing to lint", () => expect(lintScenario(read())).toEqual([]));
});

describe("a scenario with anchors, sinks and a scale", () => {
  const read = () => readScenario(backlog, { variant: "hardened", environment: "local" });

  it("scales what counts and leaves times and the account's own numbers", () => {
    const { scale, limits, loads, local } = read();
    expect(scale).toBe(0.1);
    expect(limits).toEqual({ durationUs: 600e6, requests: 20_000, inFlight: 300, undoUs: 60e6 });
    expect(local.concurrency).toBe(1_000);
    const rates = loads.map(({ driver }) => driver);
    expect(rates).toEqual([
      {
        kind: "rate",
        steps: [{ fromPerSecond: 4, toPerSecond: 4, overUs: 300e6 }],
        arrivals: "poisson",
        count: null,
      },
      {
        kind: "rate",
        steps: [{ fromPerSecond: 4 / 60, toPerSecond: 4 / 60, overUs: 300e6 }],
        arrivals: "poisson",
        count: null,
      },
      {
        kind: "rate",
        steps: [{ fromPerSecond: 30.6, toPerSecond: 30.6, overUs: 170e6 }],
        arrivals: "uniform",
        count: 5_200,
      },
    ]);
  });

  it("repeats what an anchor says", () => {
    const [, carrier, flood] = read().loads;
    const { target, body, ledger, resend } = carrier!;
    expect(flood).toMatchObject({ target, body, ledger, resend });
    expect(flood).toMatchObject({ during: "flood", startUs: 60e6, endUs: 230e6 });
  });

  it("lets a variant override the resend of a load, and says so", () => {
    const { loads, assumed } = read();
    expect(loads[0]?.resend?.attempts).toBe(2);
    expect(assumed[0]).toBe("Variant hardened has its own resend of checkout.");
  });

  it("knows its sink", () => {
    expect(read().sinks).toEqual([
      {
        name: "deliveries",
        kind: "dynamodb",
        of: ["carrier", "backlog"],
        id: "eventId",
        cell: ["depot"],
        input: { table: "{{outputs.DeliveriesTable}}" },
        quietUs: 10e6,
        atMostUs: 600e6,
        line: 43,
      },
    ]);
  });

  it("has nothing to lint", () => expect(lintScenario(read())).toEqual([]));
});

describe("a short scenario", () => {
  it("is complete by defaults, and says what was assumed", () => {
    const scenario = readScenario(join(FIXTURES, "short", "scenario.yaml"), LOCAL);
    expect(scenario.allow).toEqual({
      hosts: ["https://checkout.stg.shop.example"],
      change: [],
      lose: [],
    });
    expect(scenario.loads[0]).toMatchObject({
      driver: { file: "s3://logs/2026/11/29/", speed: 1, amplify: 2, windowUs: 1_800e6 },
      startUs: 0,
      endUs: 1_800e6,
    });
    expect(scenario.assumed).toEqual([
      "Seed 1.",
      "No phases: the run ends when its loads have ended, or at the duration limit.",
      "At most 3,600 s of load.",
      "At most 1,000,000 requests.",
      "At most 1,000 requests of a load in flight.",
      "Load all waits 30 s for an answer.",
      "Allowed to be sent to, because the loads name it: https://checkout.stg.shop.example.",
    ]);
  });
});

describe("drivers", () => {
  const driver = (text: string, lines = "") => {
    const load = `loads: { shopper: { ${text}, http: { url: "http://127.0.0.1:1/" } } }`;
    const { driver: made, endUs } = readText(scenarioText(`${load}\n${lines}`)).loads[0]!;
    return { ...made, endUs };
  };

  it("may ramp over the whole phase", () => {
    expect(driver("rate: { from: 10/s, to: 50/s }, during: zero")).toEqual({
      kind: "rate",
      steps: [{ fromPerSecond: 10, toPerSecond: 50, overUs: 10e6 }],
      arrivals: "uniform",
      count: null,
      endUs: 20e6,
    });
  });

  it("may have steps", () => {
    const steps = "[{ at: 10/s, for: 5s }, { from: 10/s, to: 20/s, for: 5s }]";
    expect(driver(`rate: { steps: ${steps} }`)).toMatchObject({
      steps: [
        { fromPerSecond: 10, toPerSecond: 10, overUs: 5e6 },
        { fromPerSecond: 10, toPerSecond: 20, overUs: 5e6 },
      ],
    });
  });

  it("may burst, once or until its phase ends", () => {
    expect(driver("burst: { count: 600 }")).toEqual({
      kind: "burst",
      count: 600,
      everyUs: null,
      times: 1,
      endUs: 20e6,
    });
    expect(driver("burst: { count: 5, every: 3s }, during: zero")).toMatchObject({ times: 4 });
  });

  it("may saturate a number of connections", () => {
    expect(driver("saturate: { connections: 64 }")).toMatchObject({
      connections: 64,
      with: "gatecrash",
    });
  });
});

describe("the choice of variant and environment", () => {
  const variants = scenarioText(
    "variants: { naive: { template: a.yaml }, hardened: { template: b.yaml } }",
  );
  const read = (variant: string | null, environment = "local") =>
    complaintsOf(() => readText(variants, { variant, environment }));

  it("must be made when there are several", () => {
    expect(read(null)).toEqual([
      "5: this scenario has several variants: naive, hardened (add --variant naive, or run --all)",
    ]);
  });

  it("must name a variant that there is", () => {
    expect(read("hardend")).toEqual([
      "5: there is no variant `hardend` (did you mean `hardened`?)",
    ]);
  });

  it("must name an environment that there is", () => {
    expect(read("naive", "stg")).toEqual(["1: there is no environment `stg` (known here: local)"]);
  });

  it("is made by itself when there is one", () => {
    const text = scenarioText("variants: { only: { template: a.yaml } }");
    expect(readText(text)).toMatchObject({ variant: "only", expect: null });
  });
});
