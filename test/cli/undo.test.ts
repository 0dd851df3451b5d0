// What the command promises about undo when things go wrong around it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import type { ControlPlane } from "../../src/core/change.ts";
import { type Running, Workplace } from "../support/command-line.ts";
import { HoldingProxy } from "../support/holding-proxy.ts";

const places: Workplace[] = [];
afterAll(async () => {
  for (const place of places) await place[Symbol.asyncDispose]();
});

function newPlace(): Workplace {
  const place = new Workplace();
  places.push(place);
  return place;
}

const PATIENT = { timeout: 240_000 };
/** Long enough never to be over by itself. */
const LONG = {
  "gone: 2500ms": "gone: 120s",
  "duration: 30s": "duration: 240s",
  "requests: 2000": "requests: 20000",
};

/** Over by itself, but not before a busy machine has brought it into force. */
const ROOMY = { "gone: 2500ms": "gone: 8s" };

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
const eventsOf = (run: string): string => textOf(join(run, "events", "0.jsonl"));

async function openShop(place: Workplace): Promise<{ endpoint: string; control: ControlPlane }> {
  const { endpoint } = await place.local(join(place.scenario(), "template.yaml"));
  const where = { endpoint, region: "eu-west-1", account: null, runId: "test" };
  return { endpoint, control: createControlPlane(where) };
}

interface Started {
  readonly running: Running;
  readonly out: string;
}

type Texts = { readonly [name: string]: string };

/** By itself a run that is never over, against a local AWS of its own. */
function startRun(
  place: Workplace,
  endpoint: string | null = null,
  edits: Texts = LONG,
  env: Texts = {},
): Started {
  const out = join(place.dir, "run");
  const where = endpoint === null ? [] : ["--endpoint", endpoint];
  const running = place.start(["run", place.scenario(edits), ...where, "--out", out], env);
  return { running, out };
}

const inForce = ({ running, out }: Started): Promise<void> =>
  running.until(() => eventsOf(out).includes('"onset"'));

/** A shop, and a run that has its fault in force there. */
async function brokenShop(env: Texts = {}) {
  const place = newPlace();
  const shop = await openShop(place);
  const started = startRun(place, shop.endpoint, LONG, env);
  await inForce(started);
  return { place, ...shop, ...started };
}

/** A run with a local AWS of its own, killed while its fault was in force. */
async function killedRun(): Promise<Workplace> {
  const place = newPlace();
  const started = startRun(place);
  await inForce(started);
  started.running.kill("SIGKILL");
  await started.running.ended;
  return place;
}

/** What somebody else does meanwhile. */
async function reserveFive(control: ControlPlane): Promise<void> {
  const theirs = { FunctionName: "open", ReservedConcurrentExecutions: 5 };
  await control.call("lambda", "PutFunctionConcurrency", theirs);
}

async function reserved(control: ControlPlane): Promise<unknown> {
  const answer = await control.call("lambda", "GetFunctionConcurrency", { FunctionName: "open" });
  return answer.ReservedConcurrentExecutions;
}

test.concurrent(
  "a second Ctrl-C while undoing is answered, and undo goes on",
  PATIENT,
  async () => {
    const place = newPlace();
    const { endpoint, control } = await openShop(place);
    await using proxy = await HoldingProxy.start(endpoint);
    const started = startRun(place, proxy.endpoint);
    const { running } = started;
    await inForce(started);
    const { met, release } = proxy.hold("DELETE", "before"); // the undo's, not its proof
    running.kill("SIGINT");
    await met;
    running.kill("SIGINT");
    await running.until(() => running.err.includes("SIGINT again: still undoing"));
    running.kill("SIGTERM");
    await running.until(() => running.err.includes("SIGTERM again: still undoing"));
    expect(await reserved(control)).toBe(0);
    release();
    const ended = await running.ended;
    expect(ended).toMatchObject({
      code: 130,
      out: expect.stringMatching(/1 of 1 undone and verified/),
    });
    expect(await reserved(control)).toBe(undefined);
  },
);

test.concurrent(
  "what somebody else has changed is not touched: exit 4, said first, with the command",
  PATIENT,
  async () => {
    const { place, control, running, out } = await brokenShop();
    await reserveFive(control);
    running.kill("SIGINT");
    const ended = await running.ended;
    expect(ended.code).toBe(4);
    expect(ended.out.split("\n")[0]).toMatch(
      /^NOT UNDONE .*open.*Do now: aws lambda delete-function-concurrency --function-name \S*open/,
    );
    expect(JSON.parse(textOf(join(out, "result.json")))).toMatchObject({
      exit_code: 4,
      faults: [{ undone: false, not_undone: { command: expect.stringContaining("aws lambda") } }],
    });
    expect(await reserved(control)).toBe(5);
    expect((await place.run("heal")).out).toMatch(/^nothing to heal/);
  },
);

test.concurrent(
  "a killed run's own local AWS lives until heal has put back, and no longer",
  PATIENT,
  async () => {
    const place = await killedRun();
    expect(place.processes().length).toBeGreaterThan(0);
    const dry = await place.run("heal", "--dry-run");
    expect(dry).toMatchObject({
      code: 0,
      out: expect.stringMatching(/would be put back: Reserved/),
    });
    const healed = await place.run("heal");
    expect(healed).toMatchObject({ code: 0, err: "" });
    expect(healed.out).toMatch(/put back: ReservedConcurrentExecutions 0 → unset/);
    expect(healed.out).toMatch(/^local AWS at http:\/\/127\.0\.0\.1:\d+ was stopped$/m);
    await place.quiet();
  },
);

test.concurrent(
  "records of a local AWS that is gone are settled as void, with a line",
  PATIENT,
  async () => {
    const place = await killedRun();
    for (const pid of place.processes()) process.kill(pid, "SIGKILL");
    await place.quiet();
    const healed = await place.run("heal", "--json");
    expect(healed).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(healed.out)).toMatchObject({
      clean: true,
      records: [
        {
          outcome: "void",
          line: expect.stringMatching(/:function:open: void: its local AWS at .* is gone/),
        },
      ],
    });
    expect((await place.run("heal")).out).toMatch(/^nothing to heal/);
  },
);

test.concurrent(
  "a local AWS whose run was killed before it changed anything ends by itself",
  PATIENT,
  async () => {
    const place = newPlace();
    const slow = place.scenario({ "before: 1500ms": "before: 14s" }); // a fault is made ready 10 s ahead
    const running = place.start(["run", slow]);
    await running.until(() => running.err.includes("planning"));
    running.kill("SIGKILL");
    await running.ended;
    expect(existsSync(place.undoLog)).toBe(false);
    await place.quiet();
  },
);

test.concurrent(
  "without a place for the undo log nothing is injected, and the run says why",
  PATIENT,
  async () => {
    const place = newPlace();
    const { endpoint, control } = await openShop(place);
    const out = join(place.dir, "run");
    const args = ["run", place.scenario(), "--endpoint", endpoint, "--out", out];
    const ended = await place.start(args, { XDG_STATE_HOME: "/dev/null" }).ended;
    expect(ended).toMatchObject({ code: 64, out: "" });
    expect(ended.err).toMatch(/^error: .*undo log: .*\n {2}hint: .*XDG_STATE_HOME/m);
    expect(existsSync(out)).toBe(false);
    const { writes } = (await (await fetch(`${endpoint}/_local/audit`)).json()) as {
      writes: unknown[];
    };
    expect([writes, await reserved(control)]).toEqual([[], undefined]);
  },
);

test.concurrent("nobody reads what the run says: it goes on, and puts back", PATIENT, async () => {
  const place = newPlace();
  const { endpoint, control } = await openShop(place);
  const { running, out } = startRun(place, endpoint, ROOMY);
  await running.until(() => running.err.includes("planning"));
  running.child.stdout?.destroy();
  running.child.stderr?.destroy();
  expect((await running.ended).code).toBe(0);
  expect(textOf(join(out, "report.txt"))).toMatch(/1 of 1 undone and verified/);
  expect(await reserved(control)).toBe(undefined);
});

test.concurrent("the terminal goes away: the fault is put back first", PATIENT, async () => {
  const { running, control } = await brokenShop();
  running.child.stdout?.destroy();
  running.child.stderr?.destroy();
  running.kill("SIGHUP");
  expect((await running.ended).code).toBe(143);
  expect(await reserved(control)).toBe(undefined);
});

/** Makes the command throw where nobody catches, when it is told to. */
const BROKEN = `import { isMainThread } from "node:worker_threads";
if (isMainThread && process.argv[1]?.endsWith("gatecrash.js"))
  process.on("SIGUSR2", () => { throw new Error("broken on purpose"); });`;

test.concurrent(
  "an exception that nobody catches: the fault is put back, exit 70",
  PATIENT,
  async () => {
    const options = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(BROKEN)}` };
    const { running, control } = await brokenShop(options);
    running.kill("SIGUSR2");
    const ended = await running.ended;
    expect(ended).toMatchObject({
      code: 70,
      out: expect.stringMatching(/1 of 1 undone and verified/),
    });
    expect(ended.err).toMatch(/^internal error, please report it: Error: broken on purpose$/m);
    expect(await reserved(control)).toBe(undefined);
  },
);

test.concurrent(
  "facts that cannot be judged do not hide what was left changed",
  PATIENT,
  async () => {
    const { control, running, out } = await brokenShop();
    await reserveFive(control);
    writeFileSync(join(out, "plan.json"), "{");
    running.kill("SIGINT");
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 4, out: "" });
    expect(ended.err).toMatch(
      /^error: DRIFT .*:function:open: .*\n {2}hint: .*aws lambda delete-function/m,
    );
    expect(ended.err).toMatch(/^error: .*plan\.json/m);
  },
);

test.concurrent("reports that cannot be written are printed all the same", PATIENT, async () => {
  const place = newPlace();
  const started = startRun(place, null, ROOMY);
  const { running, out } = started;
  await inForce(started);
  mkdirSync(join(out, "report.txt")); // stands in the way
  const ended = await running.ended;
  expect(ended).toMatchObject({
    code: 0,
    out: expect.stringMatching(/1 of 1 undone and verified/),
  });
  expect(ended.err).toMatch(/^warning: the reports could not all be written: .*report\.txt/m);
  const again = await place.run("report", out);
  expect(again).toMatchObject({ code: 0, out: ended.out });
});
