// Criteria that read well and still decide nothing, or the wrong thing.
import { describe, expect, it } from "vitest";
import { lintScenario } from "../../src/scenario/lint.ts";
import { complaintsOf, readText, scenarioText } from "./support.ts";

const OBSERVED = `observe:
  { reports: { functions: ["{{outputs.F}}"] }, access-log: { group: "{{outputs.G}}" },
  metrics: { functions: ["{{outputs.F}}"], account: true } }
`;
const lint = (lines: string) =>
  lintScenario(readText(scenarioText(OBSERVED + lines))).map(
    ({ line, severity, message }) => `${line} ${severity} ${message}`,
  );

describe("a bound on time without one on errors", () => {
  const complaint = (text: string, where: string) =>
    `8 error \`${text}\` without a bound on errors ${where}: refusals that come fast make a dead ` +
    `system look fast; add \`shopper.errors.rate <= 1%\` ${where}`;

  it("is an error", () => {
    expect(lint("accept: [shopper.p99 <= 1s during zero]")).toEqual([
      complaint("shopper.p99 <= 1s during zero", "during zero"),
    ]);
    expect(lint("accept: [max <= 1s]")).toEqual([complaint("max <= 1s", "over the whole run")]);
  });

  it("is one in another window too", () => {
    const both = "[shopper.p99 <= 1s during zero, shopper.errors.rate <= 1% during before]";
    expect(lint(`accept: ${both}`)).toHaveLength(1);
  });

  it.each([
    "accept: [shopper.p99 <= 1s during zero, shopper.errors.rate <= 1% during zero]",
    "accept: [shopper.warm.p99 <= 1s during zero, errors.rate <= 1% during zero]",
    "steady: [shopper.errors.rate <= 1%]\naccept: [shopper.p99 <= 1s during before]",
    "accept: [lag.p99 <= 20ms]",
    "accept: [shopper.p99 >= 1ms]",
  ])("is none in `%s`", (lines) => expect(lint(lines)).toEqual([]));
});

it("an agreement with recorded answers bounds errors too", () => {
  const text = scenarioText("accept: [shopper.p99 <= 1s, agreement >= 99%]");
  const replayed = text.replace(/rate: \{[^}]*\}/, "replay: { file: capture.ndjson }");
  expect(lintScenario(readText(replayed))).toEqual([]);
});

describe("names of what is observed and recorded", () => {
  const replay = (accept: string) =>
    scenarioText(`accept: ["${accept}"]`).replace(
      /rate: \{[^}]*\}/,
      "replay: { file: capture.ndjson }",
    );
  const queued = (accept: string) =>
    scenarioText(`observe: { metrics: { queues: { backlog: q } } }\naccept: ["${accept}"]`);
  it.each([
    ["agreement >= 99%", scenarioText, "agreement is with recorded answers"],
    ["recorded.p99 <= 1s", scenarioText, "only a replay has recorded answers"],
    ["recorded.cold.p99 <= 1s", replay, "not told apart by start or version"],
    ["recorded.throttles == 0", replay, "no capture says throttles"],
    ["backlok.depth <= 9", queued, "unknown name `backlok` (did you mean `backlog`?)"],
    ["backlog.lost == 0", queued, "lost is no measure of a queue"],
    ["depth <= 9", queued, "depth is no measure of all loads"],
    ["backlog.depth <= 9 during zero", queued, ""],
  ])("`%s`", (accept, text, problem) => {
    const read = () =>
      readText(text === scenarioText ? text(`accept: ["${accept}"]`) : text(accept));
    const found = complaintsOf(read);
    if (problem === "") expect(found).toEqual([]);
    else expect(found).toEqual([expect.stringContaining(problem)]);
  });

  it("a queue's depth is a one-minute metric", () => {
    expect(lintScenario(readText(queued("backlog.depth <= 9 during zero")))).toMatchObject([
      { severity: "error", message: expect.stringContaining("holds no whole minute") },
    ]);
  });
});

describe("limits on one operand", () => {
  it("that cannot both hold are an error at the later line", () => {
    expect(lint("accept:\n  - errors.rate <= 1%\n  - errors.rate >= 5%")).toEqual([
      "10 error `errors.rate <= 1%` (line 9) and `errors.rate >= 5%` cannot both hold",
    ]);
    expect(lint("accept: [dropped == 0, dropped > 0]")).toHaveLength(1);
  });

  it("that say the same twice are a warning", () => {
    expect(lint("accept: [dropped <= 1, dropped <= 2]")).toEqual([
      "8 warning `dropped <= 1` (line 8) and `dropped <= 2`: the looser one never decides",
    ]);
  });

  it.each([
    "accept: [errors.rate <= 5%, errors.rate >= 1%]",
    "accept: [errors.rate <= 1% during zero, errors.rate >= 5% during before]",
    "accept: [dropped <= 0, dropped >= 0]",
  ])("may stand beside each other: `%s`", (lines) => expect(lint(lines)).toEqual([]));
});

it("a window on a sink of sums is an error: they do not say when their events were due", () => {
  const sink = "{ dynamodb: { table: t, cell: c, count: n }, of: [events] }";
  const load =
    'rate: { at: 1/s }, http: { url: "http://127.0.0.1:1/" }, ledger: { id: i, cell: c }';
  const lines = (criterion: string) =>
    `loads:\n  events: { ${load} }\nsinks: { cells: ${sink} }\naccept: [${criterion}]`;
  expect(lint(lines("cells.lost == 0"))).toEqual([]);
  expect(lint(lines("cells.lost == 0 during zero"))).toEqual([
    "10 error `cells.lost == 0 during zero`: cells holds sums of cells, which have no window",
  ]);
});

describe("a one-minute metric", () => {
  it("in a window without a whole minute is an error", () => {
    expect(lint("accept: [function(F).throttles > 0 during zero]")).toEqual([
      "8 error `function(F).throttles > 0 during zero`: the window holds no whole minute: " +
        "throttles is a one-minute metric; leave the window away",
    ]);
  });

  it("in a window that may hold one is a warning", () => {
    const lines = "phases: [{ before: 90s }]\naccept: [account.concurrency.max <= 5 during before]";
    expect(lint(lines)).toEqual([
      "8 warning `account.concurrency.max <= 5 during before`: the window may hold no whole " +
        "minute: from 2m on it surely holds one",
    ]);
  });

  it("over the whole run is fine", () => {
    expect(lint("accept: [function(F).throttles > 0]")).toEqual([]);
  });
});

describe("the rest", () => {
  it("a sample never equals a limit", () => {
    expect(lint("accept: [errors.rate == 0%]")).toEqual([
      "8 error `errors.rate == 0%`: a sample cannot be shown to equal a limit; use <= or >=",
    ]);
  });

  it("cold and warm need reports", () => {
    const text = scenarioText("accept: [cold.rate <= 1%]");
    expect(lintScenario(readText(text))).toEqual([
      {
        line: 5,
        severity: "warning",
        message: "`cold.rate <= 1%`: cold and warm need REPORT lines; give observe.reports",
      },
    ]);
  });

  it("recovery needs something to recover to", () => {
    const fault = "faults: [{ reserved-concurrency: { function: f, to: 0 }, during: zero }]";
    expect(lint(`${fault}\naccept: [recovery(zero) <= 1s]`)).toEqual([
      "8 warning faults without `steady:`: a system that was already broken is not noticed",
      "9 error `recovery(zero) <= 1s`: recovery is when `steady:` holds again; there is none",
    ]);
  });

  it("steady is checked in a phase called before", () => {
    const lines = `phases: [{ calm: 5s }, { zero: 5s }]
faults: [{ reserved-concurrency: { function: f, to: 0 }, during: zero }]
steady: [errors.rate <= 1%]
accept: [dropped == 0]`;
    expect(lint(lines)).toEqual([
      "9 warning no phase `before` ends where the first fault starts: steady is not checked",
    ]);
  });

  it("nothing to judge is a warning", () => {
    expect(lint("")).toEqual(["1 warning `accept:` is empty: nothing is judged"]);
  });
});

describe("times", () => {
  const fault = (at: string) =>
    `faults: [{ reserved-concurrency: { function: f, to: 0 }, name: cut, at: 11s, for: ${at} }]
steady: [errors.rate <= 1%]
accept: [dropped == 0]`;

  it("of a fault that is over before it can act are a warning", () => {
    expect(lint(fault("200ms"))).toEqual([
      "8 warning fault `cut` lasts 0.2 s and is assumed to take 0.1 s to act; give it at least 0.3 s",
      "9 warning no phase `before` ends where the first fault starts: steady is not checked",
    ]);
    expect(lint(fault("300ms"))).toHaveLength(1);
  });

  it("that exceed the budget in the worst case are a warning", () => {
    expect(lint("budget: 2m\naccept: [dropped == 0]")).toEqual([
      "1 warning the run may take 350 s (load 20 s + drain 30 s + observe 300 s), `budget:` is 120 s: waiting is cut short then",
    ]);
    expect(lint("budget: 6m\naccept: [dropped == 0]")).toEqual([]);
    expect(lint("budget: 6m\nmute-alarms: [high]\naccept: [dropped == 0]").join()).toContain(
      "the run may take 950 s (load 20 s + drain 30 s + unmute 600 s + observe 300 s)",
    );
  });
});

it("a response time of a closed loop is a warning: it asks less when answers are slow", () => {
  const text = scenarioText("accept: [shopper.p99 <= 1s, shopper.errors.rate <= 1%]").replace(
    /rate: \{[^}]*\}/,
    "saturate: { connections: 4 }",
  );
  const found = lintScenario(readText(text)).map(({ severity, message }) => [severity, message]);
  const waits = expect.stringContaining("shopper waits for each answer");
  expect(found).toEqual([["warning", waits]]);
});

describe("cold and warm of an HTTP load whose REPORT lines nothing leads to", () => {
  const reports = 'reports: { functions: ["{{outputs.F}}"] }';
  const log = 'access-log: { group: "{{outputs.G}}" }';
  const of = (observe: string, more = "", accept = "shopper.cold.rate <= 1%") => {
    const load = `rate: { at: 40/s }, http: { url: 'http://127.0.0.1:1/' }${more}`;
    const lines = `loads: { shopper: { ${load} } }\nobserve: { ${observe} }\naccept: [${accept}]`;
    return lintScenario(readText(scenarioText(lines)));
  };

  it("is a warning at the criterion that says what to give", () => {
    expect(of(reports)).toEqual([
      {
        line: 6,
        severity: "warning",
        message:
          "`shopper.cold.rate <= 1%`: nothing surely leads from an answer of shopper to its " +
          "REPORT line; give observe.access-log, or request-id of the load (a function URL " +
          "needs neither)",
      },
    ]);
  });

  it.each([
    ["with an access log", `${reports}, ${log}`, "", "shopper.cold.rate <= 1%"],
    ["with an echoed id", reports, ", request-id: { header: x-id }", "shopper.cold.rate <= 1%"],
    ["for what needs no start", reports, "", "shopper.errors.rate <= 1%"],
  ])("is none %s", (_, observe, more, accept) => expect(of(observe, more, accept)).toEqual([]));
});
