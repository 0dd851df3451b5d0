// Everything that can be wrong with a scenario file, each with its line and its hint.
import { describe, expect, it } from "vitest";
import { FAULT_SHAPES } from "../../src/scenario/fault-shapes.ts";
import { complaints, complaintsOf, readText, scenarioText } from "./support.ts";

const HTTP = 'http: { url: "http://127.0.0.1:1/" }';
const LEDGER = `loads: { b: { rate: { at: 1/s }, ${HTTP}, ledger: { id: i, cell: c } } }`;
const load = (text: string): string => `loads:\n  shopper: { ${text} }`;

const KINDS = Object.keys(FAULT_SHAPES).join(", ");

describe("keys and units", () => {
  it.each([
    ["lods: {}", ["5: unknown key `lods` (did you mean `loads`?)"]],
    [
      load(`rate: { at: 40/s }, http: { url: "http://x/", timout: 3s }`),
      ["5: unknown key `timout` in `loads.shopper.http` (did you mean `timeout`?)"],
    ],
    [
      load("rate: { at: 40 }, http: { url: http://x/ }"),
      ["5: `loads.shopper.rate.at`: a rate needs a unit, as 40/s or 40/min"],
    ],
    [
      load("rate: { at: 40/s }, http: { url: http://x/, timeout: 5 }"),
      ["5: `loads.shopper.http.timeout`: a time needs a unit, as 300ms or 5s"],
    ],
    ["generator: { cpu: 0.9 }", ["5: `generator.cpu`: a share needs a unit, as 1% or 90%"]],
    [
      "limits: { duration: 5 parsecs }",
      ["5: `limits.duration`: `5 parsecs` is not a time; write a time as 300ms, 5s, 2m or 1h"],
    ],
    ["gatecrash: 2", ["4: `gatecrash`: this version reads `gatecrash: 1`"]],
    [load("rate: { at: 40/s }, http: {}"), ["5: missing key `url` in `loads.shopper.http`"]],
    [
      "variants: { v: { expect: maybe } }",
      [
        "5: `variants.v.expect`: expect is pass, fail, or { fail: <text of the deciding criterion> }",
      ],
    ],
    [
      "environments: { s: { account: 222222222222, aws-region: x } }",
      ['5: `environments.s.account`: an account id must stand in quotes: "123456789012"'],
    ],
    ["phases: [{ a: 5s, b: 5s }]", ["4: `phases.0`: a phase is one `name: time`"]],
    [
      load(`rate: { at: 1/s }, ${HTTP}, ok: { status: [299-200] }`),
      ["5: `loads.shopper.ok.status.0`: a status is 404, or a range as 200-299"],
    ],
    ["sinks: []", ["5: `sinks`: expected a mapping, found a list"]],
    [
      "generator: { dropped: -1 }",
      ["5: `generator.dropped`: a whole number from 0 on is needed here"],
    ],
    ["seed: -1", ["5: `seed`: Too small: expected number to be >=0"]],
    ["allow: 5", ["5: `allow`: expected a mapping, found number"]],
  ])("%j", (lines, expected) => expect(complaints(lines)).toEqual(expected));

  it("are all reported at once, in the order of their lines", () => {
    const text = scenarioText("lmits: {}\nfaults: [{ during: zero, frm: 1 }]\nscale: { local: x }");
    expect(complaintsOf(() => readText(text)).map((line) => line.slice(0, 20))).toEqual([
      "5: unknown key `lmit",
      "6: unknown key `frm`",
      "7: `scale.local`: ex",
    ]);
  });

  it("point at the YAML that cannot be read", () => {
    expect(complaints("---\na: 1")).toContain("5: the file holds more than one document");
    expect(complaints("allow: &a { hosts: *a }")).toEqual(["1: an anchor contains itself"]);
    expect(complaints("allow: [")[0]).toMatch(/^\d+: Flow sequence/);
    expect(complaints("title: a\ntitle: b")).toEqual(["5: key `title` is given a second time"]);
    expect(complaints("phases:\n\t- a: 5s\n\t- b: 5s")).toEqual([
      "5: Tabs are not allowed as indentation",
    ]);
    expect(complaintsOf(() => readText("g\0a\0"))).toEqual([
      "1: this is no text file (YAML, in UTF-8)",
    ]);
    expect(complaintsOf(() => readText(""))).toEqual([
      "1: the file is empty (docs/scenario.md has a whole example)",
    ]);
  });

  it("point into the anchor that a merge key brings in", () => {
    const text = `loads:
  a: &base
    rate: { at: 40/s }
    http: { url: "http://127.0.0.1:1/", timeout: soon }
  b:
    <<: *base
    rate: { at: 1/s }`;
    expect(complaints(text)).toEqual([
      "7: `loads.a.http.timeout`: `soon` is not a time; write a time as 300ms, 5s, 2m or 1h",
      "7: `loads.b.http.timeout`: `soon` is not a time; write a time as 300ms, 5s, 2m or 1h",
    ]);
  });
});

describe("loads", () => {
  it.each([
    [
      load(HTTP),
      ["5: `loads.shopper` has no driver (give exactly one of replay, rate, burst, saturate)"],
    ],
    [
      load(`rate: { at: 1/s }, burst: { count: 1 }, ${HTTP}`),
      [
        "5: `loads.shopper` has more than one driver: rate, burst (give exactly one of replay, rate, burst, saturate)",
      ],
    ],
    [
      load("rate: { at: 1/s }"),
      ["5: `loads.shopper` has no target (give exactly one of http, lambda, kinesis, sqs)"],
    ],
    ["loads: {}", ["4: there is no load"]],
    [
      load(`rate: { at: 1/s, from: 2/s }, ${HTTP}`),
      ["5: `loads.shopper.rate` needs one of: at; from and to; steps"],
    ],
    [
      load(`rate: { at: 1/s }, during: zro, ${HTTP}`),
      ["5: unknown phase `zro` (did you mean `zero`?)"],
    ],
    [load(`replay: { file: gone.log }, ${HTTP}`), ["5: no such file: gone.log"]],
    [load(`replay: { file: . }, ${HTTP}`), ["5: not a file: ."]],
    [
      load(`rate: { at: 1/s }, http: { url: "http://x/", method: POST }`),
      [
        "5: load `shopper` writes (POST) without saying what (give `body: { template: <file>, why: <reason> }`)",
      ],
    ],
    [
      load("rate: { at: 1/s }, sqs: { queue: q }"),
      [
        "5: load `shopper` writes (sqs) without saying what (give `body: { template: <file>, why: <reason> }`)",
      ],
    ],
    [
      load(`rate: { at: 1/s }, ${HTTP}, body: { template: body.json }`),
      ["5: missing key `why` in `loads.shopper.body`"],
    ],
    [
      load(`rate: { at: 1/s }, ${HTTP}, body: { template: no.json, why: x }`),
      ["5: no such file: no.json"],
    ],
    [
      load(
        `replay: { file: capture.ndjson }, ${HTTP}, writes: { pay: { body: body.json, why: x } }`,
      ),
      ["5: writes of an unknown route `pay` (give `routes:`)"],
    ],
    [
      load(
        `replay: { file: capture.ndjson }, ${HTTP}, routes: { pay: POST /pay }, writes: { pay: { body: body.json } }`,
      ),
      ["5: missing key `why` in `loads.shopper.writes.pay`"],
    ],
    [
      load(`rate: { at: 1/s, for: 30s }, ${HTTP}`),
      ["5: the steps last longer than the load's phase"],
    ],
    [load(`burst: { count: 5, times: 3 }, ${HTTP}`), ["5: `times` needs `every`"]],
  ])("%s", (lines, expected) => expect(complaints(lines)).toEqual(expected));

  it("without phases must say how long they last", () => {
    const text = `gatecrash: 1\ntitle: x\n${load(`rate: { at: 1/s }, ${HTTP}`)}`;
    expect(complaintsOf(() => readText(text))).toEqual([
      "4: how long this rate lasts is not known (give `phases:`, `for:` or `count:`)",
    ]);
    expect(readText(text.replace("at: 1/s", "at: 1/s, count: 30")).loads[0]?.endUs).toBe(30e6);
  });
});

describe("faults and sinks", () => {
  const fault = (when: string) =>
    `faults:\n  - { reserved-concurrency: { function: f, to: 0 }, ${when} }`;
  const WHEN = "6: a fault has `during: <phase>`, or `name:` with `at:` and `for:`";

  it.each([
    [fault("name: cut, at: 5s"), [WHEN]],
    [fault("at: 5s, for: 2s"), [WHEN]],
    [fault("during: zero, at: 5s"), [WHEN]],
    [fault("during: zeero"), ["6: unknown phase `zeero` (did you mean `zero`?)"]],
    [fault("name: cut, at: 5s, for: 60s"), ["6: fault `cut` outlasts the last phase"]],
    [
      fault("name: zero, at: 5s, for: 6s"),
      [
        "6: `zero` is already a phase (line 3) (loads, routes, sinks, queues, phases and faults share one namespace, for criteria)",
      ],
    ],
    [
      "faults:\n  - { slow-dependency: { dependency: d, delay: 1s, reset: true }, during: zero }",
      ["6: `faults.0.slow-dependency`: one of `delay`, `error`, `reset`, `hang` is needed"],
    ],
    [
      "faults:\n  - { slow-dependency: { dependency: d, delay: 1s, delay-p99: 9ms }, during: zero }",
      ["6: `faults.0.slow-dependency`: `delay-p99` is below `delay`, which is the median"],
    ],
    [
      "faults:\n  - { slow-dependency: { dependency: d, error: 200 }, during: zero }",
      ["6: `faults.0.slow-dependency.error`: an HTTP status from 400 to 599 is needed here"],
    ],
    [
      "faults:\n  - { slow-dependency: { dependency: d, hang: true, share: 0% }, during: zero }",
      ["6: `faults.0.slow-dependency.share`: a share is above 0% and at most 100%"],
    ],
    [
      "faults:\n  - { force-retries: { queue: q, timeout: 1s }, during: zero }",
      [
        "6: `faults.0.force-retries`: one of `dependency` and `crash` (with `share`, `only`), `function` and `timeout`, `queue` and `visibility` is needed",
      ],
    ],
    [
      "faults:\n  - { force-retries: { function: f, timeout: 1500ms }, during: zero }",
      ["6: `faults.0.force-retries.timeout`: whole seconds up to 15m"],
    ],
    [
      "faults:\n  - { event-source: { mapping: m, enabled: true }, during: zero }",
      ["6: `faults.0.event-source.enabled`: only `false`: a fault switches nothing on"],
    ],
    [
      "faults:\n  - { force-retries: { dependency: d, crash: before-commit }, during: zero }\n  - { slow-dependency: { dependency: d, hang: true }, name: b, at: 12s, for: 1s }",
      ["7: `b` and `zero` change one resource at once"],
    ],
    [
      "faults:\n  - during: zero",
      [`6: \`faults.0\` has no kind of fault (give exactly one of ${KINDS})`],
    ],
    [
      "faults:\n  - { slowness: {}, during: zero }",
      [
        "6: unknown key `slowness` in `faults.0` (known here: " +
          `${KINDS}, during, name, at, for)`,
      ],
    ],
    [
      `${fault("during: zero")}\n  - { reserved-concurrency: { function: f, to: 1 }, name: cut, at: 12s, for: 2s }`,
      ["7: `cut` and `zero` change one resource at once"],
    ],
    [
      `${fault("during: zero")}\n  - { reserved-concurrency: { function: g, to: 1 }, during: zero }`,
      ["7: two faults are called `zero` (give this one a `name:`)"],
    ],
    [
      "sinks: { done: { dynamodb: { table: t, id: i }, of: [shoper] } }",
      ["5: unknown load `shoper` (did you mean `shopper`?)"],
    ],
    [
      "sinks: { done: { dynamodb: { table: t, id: i }, of: [shopper] } }",
      [
        "5: load `shopper` has no ledger (give it `ledger: { id }`, the field of its body that identifies an event)",
      ],
    ],
    [
      `${LEDGER.replace(/, cell: [^ }]+/, "")}\nsinks: { a: { file: { path: x, id: i, cell: c }, of: [b] } }`,
      ["5: the ledger of load `b` has no cell (name the field of its body: ledger: { id, cell })"],
    ],
    [
      `${LEDGER}\nsinks: { a: { file: { path: x, id: i }, of: [b], settle: { at-most: 5s } } }`,
      ["5: `at-most` is shorter than `quiet`: it could never settle"],
    ],
    [
      `${LEDGER}\nsinks: { a: { dynamodb: { table: t, cell: c }, of: [b] } }`,
      ["5: a sink has `id:`, by which each event is found, or `cell:` and `count:`, its sums"],
    ],
    [
      `${LEDGER}\nsinks: { a: { dynamodb: { table: t, id: i, shard: s }, of: [b] } }`,
      ["5: load `b` is not sent to a stream"],
    ],
    [
      `${LEDGER}\nsinks: { a: { command: { argv: [], id: i }, of: [b] } }`,
      ["5: `sinks.a.command.argv`: a command line needs a program"],
    ],
  ])("%s", (lines, expected) => expect(complaints(lines)).toEqual(expected));
});

describe("names", () => {
  it.each([
    [`loads: { zero: { rate: { at: 1/s }, ${HTTP} } }`, "4: `zero` is already a phase (line 3)"],
    [`loads: { p99: { rate: { at: 1/s }, ${HTTP} } }`, "4: `p99` has a meaning in criteria"],
    [`loads: { warm: { rate: { at: 1/s }, ${HTTP} } }`, "4: `warm` has a meaning in criteria"],
    [`loads: { a.b: { rate: { at: 1/s }, ${HTTP} } }`, "4: `a.b` is no name"],
    [
      load(`rate: { at: 1/s }, ${HTTP}, routes: { before: GET / }`),
      "5: `before` is already a phase",
    ],
  ])("%s", (lines, expected) => expect(complaints(lines)[0]).toContain(expected));
});

describe("references", () => {
  it.each([
    ["allow: { hosts: ['{{output.X}}'] }", "5: `{{output.X}}` is no reference"],
    [
      "allow: { hosts: ['{{secret.ssm:/a}}'] }",
      "5: a secret may stand in headers, auth and webhooks only",
    ],
    ["title: '{{variant}}'", "4: {{variant}} may stand in environments' outputs only"],
  ])("%s", (lines, expected) => expect(complaints(lines)[0]).toContain(expected));

  const sent = (http: string) => load(`rate: { at: 1/s }, http: { ${http} }`);
  it.each([
    [
      sent('url: "http://x/", headers: { Authorization: Bearer abc }'),
      [
        "5: the value of the header Authorization is written out (write {{env.NAME}}: runs keep this file)",
      ],
    ],
    [
      sent('url: "http://x/", headers: { cookie: ["{{env.A}}", "b=c"] }'),
      [
        "5: the value of the header cookie is written out (write {{env.NAME}}: runs keep this file)",
      ],
    ],
    [
      sent('url: "http://me:pw@x/"'),
      ["5: a password is written out (write {{env.NAME}}: runs keep this file)"],
    ],
    [
      sent('url: "http://x/?a=b&api_token=c"'),
      ["5: the value of api_token is written out (write {{env.NAME}}: runs keep this file)"],
    ],
    [
      sent('url: "http://x/?a=b&token={{env.T}}", headers: { accept: text, x-auth: "{{env.A}}" }'),
      [],
    ],
  ])("a secret that is written out: %s", (lines, expected) =>
    expect(complaints(lines)).toEqual(expected),
  );
});

describe("criteria", () => {
  const observed = "observe: { metrics: { functions: ['{{outputs.CheckoutArn}}'] } }";
  const accept = (text: string): string => `${observed}\naccept:\n  - ${text}`;

  it.each([
    ["shoper.p99 <= 1s", "unknown name `shoper` (did you mean `shopper`?)"],
    ["shopper.p99 <= 1s during zeor", "unknown window `zeor` (did you mean `zero`?)"],
    ["shopper.p99 <= 1.2 * shoper.p99 during before", "unknown name `shoper`"],
    ["shopper.shopper.p99 <= 1s", "`shopper.shopper` names two things of one kind"],
    ["reference.p99 <= 1s", "no load has a reference"],
    ["recorded.p99 <= 1s", "only a replay has recorded answers"],
    ["recovery(zero) <= 1s", "no fault is in force in `zero`"],
    [
      "function(ChekoutArn).throttles > 0",
      "function `ChekoutArn` is not observed (did you mean `CheckoutArn`?)",
    ],
    [
      "function(CheckoutArn).init.p99 <= 1s",
      "function `CheckoutArn` is not observed (add {{outputs.CheckoutArn}} to observe.reports.functions)",
    ],
    [
      "account.concurrency.max <= 5",
      "the account is not observed (add `account: true` to observe.metrics)",
    ],
    ["shopper.lost == 0", "lost is no measure of a load"],
    ["p95=200", "`=` has no meaning here"],
  ])("%s", (text, expected) => {
    const found = complaints(accept(text));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`7: criterion \`${text}\`: ${expected}`);
  });

  it.each([
    ["stop-when: [shopper.p99 > 1s]", "only whole loads' live counters can stop a run"],
    ["stop-when: [shopper.in-flight > 5 during zero]", "it is looked at over the last 10 s"],
    ["steady: [shopper.errors.rate <= 1% primary]", "only criteria of `accept` can be primary"],
    [
      "steady: [service.p99 <= 1s]",
      "service.p99 is not known while the run goes on (these are: p50",
    ],
    ["steady: [p99 <= 2 * max]", "max is not known while the run goes on"],
    ["steady: [shopper.warm.p99 <= 1s]", "warm.p99 is not known while the run goes on"],
    ["stop-when: [{ alrm: high }]", "unknown key `alrm` in `stop-when.0` (did you mean `alarm`?)"],
    ["stop-when: [{ alarm: 7 }]", "`stop-when.0`: a stop condition is a criterion, or `alarm:`"],
    ["stop-when: [7]", "`stop-when.0`: a stop condition is a criterion, or `alarm:`"],
    [
      "variants: { a: { expect: { fail: dropped == 1 } } }\naccept: [dropped == 0]",
      "no criterion reads `dropped == 1` (did you mean `dropped == 0`?)",
    ],
  ])("%s", (lines, expected) => expect(complaints(lines).join()).toContain(expected));

  it("are looked at even when the rest of the file is out of shape", () => {
    expect(complaints("lods: 1\naccept: [p95 < 5]")).toEqual([
      "5: unknown key `lods` (did you mean `loads`?)",
      "6: criterion `p95 < 5`: `5` does not fit p95 (p95 needs a time, as 300ms or 5s)",
    ]);
  });
});

describe("limits", () => {
  it.each([
    ["limits: { duration: 15s }", ["5: the phases last longer than limits.duration"]],
    ["budget: 15s", ["5: the phases last longer than the budget"]],
    ["scale: { lcal: 0.1 }", ["5: unknown environment `lcal` (did you mean `local`?)"]],
  ])("%s", (lines, expected) => expect(complaints(lines)).toEqual(expected));
});
