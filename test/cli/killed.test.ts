// The command killed with SIGKILL all over its run, then `gatecrash heal`: all is as before.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { foldLines, isOpen } from "../../src/run/undo-record.ts";
import { type Ended, type Running, Workplace } from "../support/command-line.ts";
import { HoldingProxy } from "../support/holding-proxy.ts";

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

const FUNCTIONS = ["open", "shut", "kept"] as const;
/** What the template reserves for each of them. */
const PRIORS = [undefined, 0, 7];

/** All at once: each kill meets an unset prior, one equal to the fault's value, and a number. */
const THREE_FAULTS = ["Open", "Shut", "Kept"]
  .map((name) => `  - reserved-concurrency: { function: "{{outputs.${name}Arn}}", to: 0 }\n`)
  .map((fault, at) => `${fault}    during: gone\n    name: no-${FUNCTIONS[at]}\n`)
  .join("");
const EDITS = {
  '  - reserved-concurrency: { function: "{{outputs.OpenArn}}", to: 0 }\n    during: gone\n':
    THREE_FAULTS,
  'change: ["{{outputs.OpenArn}}"]':
    'change: ["{{outputs.OpenArn}}", "{{outputs.ShutArn}}", "{{outputs.KeptArn}}"]',
  "before: 1500ms": "before: 1s",
  "after: 1s": "after: 500ms",
};
/** The fault lasts until its run is killed, or ended by a signal; or it is over by itself. */
const LONG = { ...EDITS, "gone: 2500ms": "gone: 25s", "duration: 30s": "duration: 90s" };
const BRIEF = { ...EDITS, "gone: 2500ms": "gone: 3s" };

/** A local AWS that outlives the runs against it, and what is reserved there. */
interface Shop {
  readonly endpoint: string;
  reserved(): Promise<unknown[]>;
}

async function openShop(): Promise<Shop> {
  const { endpoint } = await place.local(join(place.scenario(), "template.yaml"));
  const where = { endpoint, region: "eu-west-1", account: null, runId: "test" };
  const control = createControlPlane(where);
  const one = async (FunctionName: string): Promise<unknown> => {
    const answer = await control.call("lambda", "GetFunctionConcurrency", { FunctionName });
    return answer.ReservedConcurrentExecutions;
  };
  return { endpoint, reserved: () => Promise.all(FUNCTIONS.map(one)) };
}

let runs = 0;

/** A run with an undo log of its own, or with that of an earlier one. */
class Run {
  readonly dir = join(place.dir, `run-${++runs}`);
  readonly undoLog: string;
  readonly running: Running;
  readonly #state: string;

  constructor(endpoint: string, edits: typeof EDITS, earlier?: Run) {
    this.#state = earlier === undefined ? `${this.dir}.state` : earlier.#state;
    this.undoLog = join(this.#state, "gatecrash", "undo.jsonl");
    const args = ["run", place.scenario(edits), "--endpoint", endpoint, "--out", this.dir];
    this.running = this.#start(...args);
  }

  #start(...args: string[]): Running {
    return place.start(args, { XDG_STATE_HOME: this.#state });
  }

  events(): string {
    return textOf(join(this.dir, "events", "0.jsonl"));
  }

  record(): string {
    return textOf(this.undoLog);
  }

  async kill(): Promise<boolean> {
    this.running.kill("SIGKILL");
    return (await this.running.ended).signal === "SIGKILL";
  }

  /** Every fault was seen to be in force. */
  inFault(): Promise<void> {
    return this.running.until(() => this.events().split('"onset"').length > FUNCTIONS.length);
  }

  /** From there, everything is put back. */
  async interrupt(): Promise<void> {
    await this.inFault();
    this.running.kill("SIGINT");
  }

  heal(): Promise<Ended> {
    return this.#start("heal").ended;
  }

  /** Exit 0, nothing said on stderr, and no record open. */
  async healsFully(): Promise<void> {
    expect(await this.heal()).toMatchObject({ code: 0, err: "" });
    const { entries } = foldLines(this.record());
    expect(entries.filter(({ state }) => isOpen(state))).toEqual([]);
  }
}

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

/** Looked for in what the run has said, written and recorded so far. */
const EARLY: { readonly [name: string]: (run: Run) => boolean } = {
  "looking for local AWS": ({ running }) => running.err.includes("asking the local AWS"),
  planning: ({ running }) => running.err.includes("planning"),
  "with a directory": (run) => existsSync(join(run.dir, "events", "0.jsonl")),
  started: (run) => run.events().includes('"start"'),
  "before the fault": (run) => run.events().includes('"health"'),
  recorded: (run) => run.record().includes('"open"'),
  injecting: (run) => run.record().includes('"injecting"'),
  injected: (run) => run.record().includes('"injected"'),
  "in the fault": (run) => run.events().includes('"onset"'),
  "late in the fault": (run) => run.events().split('"health"').length > 3,
};
const LATE: { readonly [name: string]: (run: Run) => boolean } = {
  restoring: (run) => run.record().includes('"restoring"'),
  verified: (run) => run.record().includes('"verified"'),
  settled: (run) => run.record().includes('"settled"'),
  cleared: (run) => run.events().includes('"cleared"'),
  "at the end": (run) => run.events().includes('"end"'),
};

interface Moment {
  readonly label: string;
  readonly edits: typeof EDITS;
  reach(run: Run): Promise<void>;
}
const MOMENTS: readonly Moment[] = [
  ...Object.entries(EARLY).map(([label, seen]) => {
    return { label, edits: LONG, reach: (run: Run) => run.running.until(() => seen(run)) };
  }),
  ...Object.entries(LATE).map(([label, seen]) => {
    const reach = async (run: Run): Promise<void> => {
      await run.interrupt();
      await run.running.until(() => seen(run));
    };
    return { label, edits: LONG, reach };
  }),
  {
    label: "after the fault",
    edits: BRIEF,
    reach: (run) => run.running.until(() => run.events().includes('"after"')),
  },
];
const PATIENT = { timeout: 240_000 };

describe("a run that is killed", () => {
  // Two at a time, each with a local AWS of its own.
  test.concurrent.each([0, 1])("at any moment is healed (lane %i)", PATIENT, async (lane) => {
    const shop = await openShop();
    for (const { label, edits, reach } of MOMENTS.filter((_, at) => at % 2 === lane)) {
      const run = new Run(shop.endpoint, edits);
      await reach(run);
      expect(await run.kill(), label).toBe(true);
      await run.healsFully();
      expect(await shop.reserved(), label).toEqual(PRIORS);
    }
  });

  test.concurrent.each([
    ["PUT", "before"],
    ["PUT", "after"],
    ["DELETE", "before"],
    ["DELETE", "after"],
  ] as const)(
    "while its %s is on the way, %s local AWS has acted, is healed",
    PATIENT,
    async (method, side) => {
      const shop = await openShop();
      await using proxy = await HoldingProxy.start(shop.endpoint);
      const run = new Run(proxy.endpoint, LONG);
      // Not the calls that prove the undo: the PUT of the fault's 0, and the DELETE of the undo.
      if (method === "DELETE") await run.inFault();
      const { met, release } = proxy.hold(method, side, method === "PUT" ? ":0}" : "");
      if (method === "DELETE") run.running.kill("SIGINT");
      await Promise.race([met, run.running.until(() => false)]);
      expect(await run.kill()).toBe(true);
      release();
      await run.healsFully();
      expect(await shop.reserved()).toEqual(PRIORS);
      expect((await run.heal()).out).toMatch(/^nothing to heal/m);
    },
  );

  test.concurrent("keeps the next run from starting, until it is healed", PATIENT, async () => {
    const shop = await openShop();
    const run = new Run(shop.endpoint, LONG);
    await run.inFault();
    await run.kill();
    expect(await shop.reserved()).toEqual([0, 0, 0]);
    const refused = await new Run(shop.endpoint, BRIEF, run).running.ended;
    expect(refused).toMatchObject({ code: 64, out: "" });
    expect(refused.err).toMatch(/^error: .*has not been put back\n {2}hint: .*gatecrash heal$/m);
    expect(await shop.reserved()).toEqual([0, 0, 0]);
    await run.healsFully();
    expect(await shop.reserved()).toEqual(PRIORS);
  });
});

test.concurrent(
  "a run that is alive is left alone by heal, and by a second run",
  PATIENT,
  async () => {
    const shop = await openShop();
    const run = new Run(shop.endpoint, LONG);
    await run.inFault();
    const second = new Run(shop.endpoint, BRIEF, run);
    expect(await run.heal()).toMatchObject({
      code: 4,
      out: expect.stringMatching(/its run is alive/),
    });
    const refused = await second.running.ended;
    expect(refused).toMatchObject({ code: 64, out: "" });
    expect(refused.err).toMatch(/^error: .* is changing .*function:\w+ right now$/m);
    run.running.kill("SIGINT");
    expect((await run.running.ended).out).toMatch(/3 of 3 undone and verified/);
    expect(await shop.reserved()).toEqual(PRIORS);
  },
);
