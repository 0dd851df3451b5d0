// What a newcomer types wrong: one clear error, exit 64, nothing sent, changed or left.
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Workplace } from "../support/command-line.ts";

const place = new Workplace();
const listening: Server = createServer((socket) => socket.end("HTTP/1.1 404 no\r\n\r\n"));
let port = 0;
beforeAll(async () => {
  listening.listen(0, "127.0.0.1");
  await once(listening, "listening");
  port = (listening.address() as { port: number }).port;
  file("posts.log", LINE.replace("GET", "POST"));
});
afterAll(async () => {
  listening.close();
  await place[Symbol.asyncDispose]();
});

const LINE = '10.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 20 "-" "-"\n';

/** Lines beside the error that a command may have said before it. */
const PROGRESS = /^(starting local AWS|asking the local AWS at .*|planning|warning: .*)$/;
const HINT = /^( {2}hint: .*|\(Did you mean .*\)|\(gatecrash --help lists the commands\))$/;

async function refuses(args: readonly string[], complaint: RegExp): Promise<void> {
  const { code, out, err } = await place.run(...args);
  const lines = err.split("\n").filter((line) => line !== "" && !PROGRESS.test(line));
  const [error = "", ...more] = lines;
  expect({ code, out, error }).toEqual({
    code: 64,
    out: "",
    error: expect.stringMatching(/^error: /),
  });
  expect(more.filter((line) => !HINT.test(line))).toEqual([]);
  expect(lines.join("\n")).toMatch(complaint);
  // Preflight may have found out that it can be written to.
  expect(existsSync(place.undoLog) ? readFileSync(place.undoLog, "utf8") : "").toBe("");
}

type Edits = { readonly [text: string]: string };
const NOWHERE = "arn:aws:lambda:eu-west-1:000000000000:function:other";

const SCENARIOS: readonly (readonly [string, Edits, RegExp])[] = [
  ["broken YAML", { "title: A": "title: [A" }, /scenario\.yaml:\d+:\d+: /],
  [
    "an unknown key",
    { "timeout: 5s": "timeot: 5s" },
    /scenario\.yaml:20:\d+: unknown key `timeot`.*\n.*`timeout`/,
  ],
  [
    "an unknown key at the top",
    { "seed: 3": "sead: 3" },
    /scenario\.yaml:3:1: unknown key `sead`.*\n.*`seed`/,
  ],
  [
    "an unknown metric",
    { "visitor.dropped == 0": "visitor.droped == 0" },
    /:\d+:\d+: criterion `visitor\.droped == 0.*\n.*dropped/,
  ],
  [
    "an unknown load in a criterion",
    { "- visitor.dropped": "- vistor.dropped" },
    /vistor.*\n.*visitor/,
  ],
  ["an unknown window", { "during gone\n": "during gon\n" }, /gon.*\n.*gone/],
  ["an assignment for a comparison", { "dropped == 0": "dropped = 0" }, /visitor\.dropped = 0/],
  ["a wrong unit", { "timeout: 5s": "timeout: 5x" }, /:20:\d+: .*5x/],
  ["no unit", { "timeout: 5s": "timeout: 5" }, /:20:\d+: .*needs a unit/],
  [
    "a limit without unit",
    { "errors.rate <= 50%": "errors.rate <= 50" },
    /errors\.rate needs a share/,
  ],
  ["a rate without unit", { "at: 60/s": "at: 60" }, /:19:\d+: .*(60\/s|a rate)/],
  ["no title", { "title: A shop whose only function is taken away for a moment\n": "" }, /title/],
  [
    "a missing template",
    { "template: template.yaml": "template: tempalte.yaml" },
    /:4:\d+: no such file: tempalte\.yaml/,
  ],
  [
    "a missing capture",
    { "rate: { at: 60/s, arrivals: poisson }": "replay: { file: none.log }" },
    /:19:\d+: no such file: none\.log/,
  ],
  [
    "an unknown fault",
    { "reserved-concurrency": "reserved-concurency" },
    /reserved-concurency.*\n.*reserved-concurrency/,
  ],
  [
    "a host that is not allowed",
    { '"{{outputs.ApiHost}}"': "other.example" },
    /:\d+: load `visitor` would be sent to 127\.0\.0\.1:\d+, .*allow\.hosts\n.*other\.example/,
  ],
  [
    "a function that may not be changed",
    { 'change: ["{{outputs.OpenArn}}"]': `change: ["${NOWHERE}"]` },
    /:\d+: fault `gone` would change .*function:open, .*allow\.change\n.*function:other/,
  ],
  ["an output that does not exist", { "outputs.ApiUrl": "outputs.ApiUri" }, /ApiUri.*\n.*ApiUrl/],
  [
    "a variable that is not set",
    { "timeout: 5s": 'timeout: 5s, headers: { x: "{{env.GATECRASH_NOT_SET}}" }' },
    /GATECRASH_NOT_SET/,
  ],
  ["more than its own limits", { "requests: 2000": "requests: 20" }, /limits\.requests is 20/],
  [
    "a rate that is nothing",
    { "at: 60/s": "at: 0/s" },
    /visitor plans no arrival.*\n.*its rate is too low/,
  ],
  [
    "a load that would send nothing",
    { "rate: { at: 60/s, arrivals: poisson }": "replay: { file: ../posts.log }" },
    /visitor plans no arrival/,
  ],
];

describe("a scenario with", () => {
  test.concurrent.each(SCENARIOS)("%s", async (_, edits, complaint) => {
    const scenario = place.scenario(edits);
    await refuses(["run", scenario, "--out", join(scenario, "run")], complaint);
    expect(existsSync(join(scenario, "run"))).toBe(false);
  });
});

const TEMPLATES: readonly (readonly [string, string, string, RegExp])[] = [
  [
    "an unknown resource",
    "AWS::Logs::LogGroup",
    "AWS::Logs::LogGrup",
    /template\.yaml:\d+: AWS::Logs::LogGrup/,
  ],
  ["an unknown property", "Timeout: 3", "Timeot: 3", /template\.yaml:\d+: .*Timeot/],
  [
    "a handler without a file",
    "Handler: shop.handler",
    "Handler: shap.handler",
    /template\.yaml:\d+: .*shap/,
  ],
  [
    "a handler that is no name",
    "Handler: shop.handler",
    "Handler: shop",
    /template\.yaml:\d+: .*index\.handler/,
  ],
  [
    "a folder that is not there",
    "CodeUri: functions/",
    "CodeUri: fns/",
    /template\.yaml:\d+: CodeUri fns\/ is no folder/,
  ],
  ["broken YAML", "Resources:", "Resources: [", /template\.yaml:\d+: /],
  ["no resources", "\nResources:", "\nResorces:", /template\.yaml:\d+: .*Resources/],
];

describe("a template with", () => {
  test.concurrent.each(TEMPLATES)("%s", async (_, text, other, complaint) => {
    const scenario = place.scenario();
    const file = join(scenario, "template.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace(text, other));
    await refuses(["run", scenario, "--out", join(scenario, "run")], complaint);
    expect(existsSync(join(scenario, "run"))).toBe(false);
  });
});

const scenarioArg = (): string => place.scenario();
const file = (name: string, text: string): string => {
  writeFileSync(join(place.dir, name), text);
  return name;
};

const COMMANDS: readonly (readonly [string, () => string[], RegExp])[] = [
  ["an unknown command", () => ["rn"], /unknown command 'rn'\n.*run/],
  ["an unknown option", () => ["run", scenarioArg(), "--sead", "3"], /--sead.*\n.*--seed/],
  ["no scenario", () => ["run"], /missing required argument/],
  ["a scenario that is not there", () => ["run", "nowhere"], /nowhere/],
  ["a folder without scenario", () => ["run", "home"], /home/],
  ["a seed that is no number", () => ["run", scenarioArg(), "--seed", "x"], /--seed/],
  ["no workers", () => ["run", scenarioArg(), "--workers", "0"], /--workers/],
  ["workers without end", () => ["run", scenarioArg(), "--workers", "9999"], /at most 256/],
  [
    "an unknown environment",
    () => ["run", scenarioArg(), "--env", "prod"],
    /no environment `prod`\n.*local/,
  ],
  ["a variant of none", () => ["run", scenarioArg(), "--variant", "x"], /x/],
  [
    "an endpoint with nobody there",
    () => ["run", scenarioArg(), "--endpoint", "http://127.0.0.1:1"],
    /127\.0\.0\.1:1.*\n.*gatecrash local/,
  ],
  [
    "an endpoint of somebody else",
    () => ["run", scenarioArg(), "--endpoint", `http://127.0.0.1:${port}`],
    /no local AWS answers.*404\n/,
  ],
  [
    "an endpoint elsewhere",
    () => ["run", scenarioArg(), "--endpoint", "http://example.com"],
    /not on this machine/,
  ],
  ["an endpoint that is no URL", () => ["run", scenarioArg(), "--endpoint", "there"], /no URL\n/],
  [
    "a port that is taken",
    () => ["local", "--template", join(scenarioArg(), "template.yaml"), "--port", String(port)],
    /port \d+.*\n.*--port/,
  ],
  [
    "no port",
    () => ["local", "--template", join(scenarioArg(), "template.yaml"), "--port", "abc"],
    /--port/,
  ],
  ["local without template", () => ["local"], /--template/],
  ["a report of nothing", () => ["report", "nowhere"], /nowhere is not a run directory.*\n/],
  ["a report of something else", () => ["report", "home"], /home is not a run directory/],
  ["a report in no format", () => ["report", "home", "--format", "pdf"], /--format.*text, json/],
  [
    "a capture that is not there",
    () => ["import", "none.log", "--out", "o.ndjson"],
    /none\.log: no such capture/,
  ],
  [
    "a capture of garbage",
    () => ["import", file("garbage.bin", "\u0001\u0002\u0003\n\u0004"), "--out", "o.ndjson"],
    /garbage\.bin: .*no format.*\n.*alb/,
  ],
  [
    "an empty capture",
    () => ["import", file("empty.log", ""), "--out", "o.ndjson"],
    /empty\.log: .*empty/,
  ],
  [
    "a capture read as what it is not",
    () => ["import", file("wrong.log", "abc\n"), "--format", "alb", "--out", "o.ndjson"],
    /wrong\.log: nothing .*\n.*first at 1/,
  ],
  ["an import without target", () => ["import", "none.log"], /--out/],
  [
    "an import into nowhere",
    () => ["import", file("one.log", LINE), "--out", "no/o.ndjson"],
    /no\/o\.ndjson: .*\n.*folder/,
  ],
  [
    "an import with a wrong seed",
    () => ["import", file("two.log", LINE), "--seed", "x", "--out", "o.ndjson"],
    /--seed/,
  ],
  [
    "an import with a wrong span",
    () => ["import", file("three.log", LINE), "--between", "x", "--out", "o.ndjson"],
    /--between x.*\n.*\.\./,
  ],
  [
    "an import with no key",
    () => [
      "import",
      file("four.log", LINE),
      "--redaction-key-env",
      "GATECRASH_NO_KEY",
      "--out",
      "o.ndjson",
    ],
    /GATECRASH_NO_KEY.*not set/,
  ],
  [
    "an undo log that is not there",
    () => ["heal", "--undo-log", "none.jsonl"],
    /none\.jsonl: no such file\n.*undo\.jsonl/,
  ],
  [
    "an undo log that is something else",
    () => ["heal", "--undo-log", file("five.log", LINE)],
    /five\.log: this is no undo log\n.*undo\.jsonl/,
  ],
  ["a folder for an undo log", () => ["heal", "--undo-log", "home"], /home: this is no undo log\n/],
];

describe("the command line refuses", () => {
  test.concurrent("a template with a wrong resource, by `local` too", async () => {
    const template = join(place.scenario(), "template.yaml");
    const text = readFileSync(template, "utf8").replace("Logs::LogGroup", "Logs::LogGrup");
    writeFileSync(template, text);
    await refuses(["local", "--template", template], /template\.yaml:\d+: AWS::Logs::LogGrup/);
  });

  test.concurrent.each(COMMANDS)("%s", async (_, args, complaint) => {
    await refuses(args(), complaint);
    expect(existsSync(join(place.dir, "o.ndjson"))).toBe(false);
  });

  test.concurrent("several variants and none chosen", async () => {
    const other = "template: template.yaml\nvariants: { one: {}, two: {} }";
    const scenario = place.scenario({ "template: template.yaml": other });
    await refuses(["run", scenario], /scenario\.yaml:\d+:\d+: .*one, two\n.*--variant one/);
  });

  test.concurrent("the directory of an older run, which stays as it was", async () => {
    const old = join(place.dir, "old-run");
    for (const folder of ["attempts", "events"]) mkdirSync(join(old, folder), { recursive: true });
    writeFileSync(join(old, "scenario.yaml"), "old");
    writeFileSync(join(old, "events", "0.jsonl"), "{}\n");
    await refuses(["run", place.scenario(), "--out", old], /old-run.*\n.*--out/);
    expect(readFileSync(join(old, "scenario.yaml"), "utf8")).toBe("old");
    expect(readdirSync(old).sort()).toEqual(["attempts", "events", "scenario.yaml"]);
  });

  test.concurrent("a run directory where none can be made", async () => {
    file("occupied", "a file");
    await refuses(["run", place.scenario(), "--out", "occupied/run"], /occupied\/run.*\n.*--out/);
    // There every new name is said to be missing, which a recursive mkdir of Node takes as a task.
    if (!existsSync("/proc/self")) return;
    await refuses(["run", place.scenario(), "--out", "/proc/run"], /\/proc\/run.*\n.*--out/);
  });
});

test("no process is left behind by any of them, and no run", async () => {
  await place.quiet();
  expect(existsSync(join(place.dir, "runs"))).toBe(false);
  rmSync(join(place.dir, "occupied"), { force: true });
});
