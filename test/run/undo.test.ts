// The undo contract where it is hardest: errors, races, full disks, and bugs that others have had.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AwsFailure, type ControlPlane } from "../../src/core/change.ts";
import { US_PER_S } from "../../src/core/time.ts";
import { reservedConcurrency } from "../../src/faults/reserved-concurrency.ts";
import { AutoClock } from "../support/auto-clock.ts";
import { MemoryFile } from "../support/cut.ts";
import { Life } from "../support/fault-life.ts";
import { MemoryControl } from "../support/memory-control.ts";
import { CHECKOUT, FRONT } from "../support/undo-records.ts";

const zero = (name = "zero", arn = CHECKOUT) => reservedConcurrency({ name, function: arn, to: 0 });
const quiet = (): AbortSignal => new AbortController().signal;

function world(prior: number | null, file = new MemoryFile()) {
  const aws = new MemoryControl("checkout", "front");
  if (prior !== null) aws.reserved.set("checkout", prior);
  const clock = new AutoClock();
  const life = new Life(
    {
      control: aws,
      clock,
      leased: false,
      pass: async () => {},
      endpoint: "http://127.0.0.1:1",
      fault: zero,
      other: (name) => zero(name, FRONT),
      foreign: { ReservedConcurrentExecutions: 33 },
      set: async () => {},
      close: async () => {},
    },
    file,
  );
  return { aws, clock, life, file };
}

const denied = (): never => {
  throw new AwsFailure("AccessDeniedException", "not authorized", "", 403);
};

describe("bugs that restore code elsewhere has had", () => {
  test("a second inject does not take the faulted value for the original", async () => {
    const { aws, life } = world(7);
    await life.runner(zero("first")).inject(quiet());
    const second = life.runner(zero("second"));
    await expect(second.inject(quiet())).rejects.toMatchObject({ code: "refused" });
    await second.restore();
    expect(aws.reserved.get("checkout")).toBe(0);
    await life.heal();
    expect(aws.reserved.get("checkout")).toBe(7);
  });

  test("who may not read the original is not allowed to change it", async () => {
    const { aws, life } = world(7);
    aws.before = (action) => (action === "GetFunctionConcurrency" ? denied() : undefined);
    const runner = life.runner(zero());
    await expect(runner.inject(quiet())).rejects.toMatchObject({ code: "aws" });
    await runner.restore();
    expect([aws.writes, runner.undo, life.events]).toEqual([[], "none", []]);
  });

  test("a change that an operator has already put back is not written again", async () => {
    const { aws, life } = world(7);
    const runner = life.runner(zero());
    await runner.inject(quiet());
    aws.reserved.set("checkout", 7);
    await runner.restore();
    expect(aws.writes).toEqual(["PutFunctionConcurrency checkout 0"]);
    expect(runner.undo).toBe("verified");
  });

  test("a run that is stopped before its fault writes nothing", async () => {
    const { aws, life } = world(null);
    const runner = life.runner(zero());
    await expect(runner.inject(AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
    await runner.restore();
    expect([aws.calls, life.file.path, runner.state]).toEqual([[], "undo.jsonl", "idle"]);
  });

  test("a stop in the middle of the fault puts back at once", async () => {
    const { aws, life } = world(7);
    const abort = new AbortController();
    const runner = life.runner(zero());
    await runner.inject(abort.signal);
    abort.abort(new Error("Ctrl-C"));
    await runner.restore();
    expect(aws.reserved.get("checkout")).toBe(7);
  });

  test("a function that was deleted meanwhile is not created or written to", async () => {
    const { aws, life } = world(null);
    const runner = life.runner(zero());
    await runner.inject(quiet());
    aws.functions.delete("checkout");
    await expect(runner.restore()).rejects.toThrow(/resource is gone/);
    expect(aws.writes).toEqual(["PutFunctionConcurrency checkout 0"]);
  });
});

describe("an undo log that cannot be written", () => {
  const full = (file: MemoryFile, from: number): void => {
    let appends = 0;
    const append = file.append.bind(file);
    file.append = async (text) => {
      if (++appends >= from) throw new Error("ENOSPC");
      await append(text);
    };
  };

  test.each([1, 2])("at its line %i keeps the fault from being injected", async (line) => {
    const file = new MemoryFile();
    full(file, line);
    const { aws, life } = world(7, file);
    const runner = life.runner(zero());
    await expect(runner.inject(quiet())).rejects.toThrow("ENOSPC");
    await runner.restore();
    expect(aws.writes).toEqual([]);
  });

  test.each([3, 4, 5, 6])(
    "from its line %i on does not keep it from being undone",
    async (line) => {
      const file = new MemoryFile();
      full(file, line);
      const { aws, life } = world(7, file);
      const runner = life.runner(zero());
      await runner.inject(quiet());
      await runner.restore();
      expect([aws.reserved.get("checkout"), runner.undo]).toEqual([7, "verified"]);
    },
  );
});

describe("undo goes on", () => {
  test("through errors that pass", async () => {
    const { aws, life } = world(null);
    const runner = life.runner(zero());
    await runner.inject(quiet());
    let left = 9;
    aws.before = () => {
      if (left-- > 0)
        throw new AwsFailure("ServiceException", "later", "", [0, 429, 500][left % 3]!);
    };
    await runner.restore();
    expect([aws.reserved.has("checkout"), runner.undo]).toEqual([false, "verified"]);
  });

  test("when the recorder throws", async () => {
    const { aws, life } = world(7);
    life.events.push = () => {
      throw new Error("recorder");
    };
    const runner = life.runner(zero());
    await runner.inject(quiet());
    await runner.restore();
    expect(aws.reserved.get("checkout")).toBe(7);
  });

  test("until its limit, and then names the command", async () => {
    const { aws, life } = world(null);
    const runner = life.runner(zero());
    await runner.inject(quiet());
    aws.before = (action) => (action === "DeleteFunctionConcurrency" ? denied() : undefined);
    await expect(runner.restore()).rejects.toMatchObject({
      code: "undo",
      message: expect.stringContaining("NOT UNDONE arn:aws:lambda"),
      hint: expect.stringContaining(
        "aws lambda delete-function-concurrency --function-name checkout",
      ),
    });
    const [entry] = (await life.undoLog.read()).entries;
    expect([runner.undo, entry?.state]).toEqual(["failed", "failed"]);
  });

  test("but says that it is not verified while the inject call has no answer", async () => {
    const { aws, life } = world(7);
    const hanging: ControlPlane = {
      call: (service, action, input) =>
        action === "PutFunctionConcurrency"
          ? new Promise(() => {})
          : aws.call(service, action, input),
    };
    const runner = life.runner(zero(), hanging);
    runner.inject(quiet()).catch(() => {});
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    await expect(runner.restore()).rejects.toThrow(/may still act/);
    expect((await life.undoLog.read()).entries[0]?.state).toBe("failed");
  });
});

describe("what is observed", () => {
  test("no answer shows neither onset nor clearing", async () => {
    const { aws, life } = world(null);
    let invokes = 0;
    aws.before = (action) => {
      if (action === "Invoke" && invokes++ < 3) throw new AwsFailure("ECONNRESET", "reset", "", 0);
    };
    const runner = life.runner(zero());
    await runner.inject(quiet());
    invokes = 0;
    await runner.restore();
    const seen = life.events.filter(({ step }) => step === "onset" || step === "cleared");
    expect(seen.map(({ step, probes, probes_refused }) => [step, probes, probes_refused])).toEqual([
      ["onset", 4, 1],
      ["cleared", 4, 0],
    ]);
  });

  test("an onset that never comes leaves no onset, and the fault is undone", async () => {
    const { aws, life } = world(null);
    aws.before = (action) => {
      if (action === "Invoke") throw new AwsFailure("ECONNRESET", "reset", "", 0);
    };
    const runner = life.runner(zero(), life.control, US_PER_S);
    const injecting = runner.inject(quiet());
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    await runner.restore();
    await injecting;
    expect(life.steps("zero")).toEqual([
      "asked",
      "answered",
      "restore-asked",
      "restore-answered",
      "verified",
    ]);
    expect(aws.reserved.has("checkout")).toBe(false);
  });

  test("what somebody else has put back is verified, and said to be theirs", async () => {
    const { aws, life } = world(7);
    const runner = life.runner(zero());
    await runner.inject(quiet());
    aws.reserved.set("checkout", 7);
    const writes = aws.writes.length;
    await runner.restore();
    expect([aws.reserved.get("checkout"), aws.writes.length]).toEqual([7, writes]);
    expect(life.events.find(({ step }) => step === "restore-answered")).toEqual({
      ...{ kind: "fault", fault: "zero", step: "restore-answered" },
      ...{ detail: "nothing to write", by_others: true },
    });
  });

  test("a fault that changes nothing has its onset and is clear at once", async () => {
    const { aws, life } = world(0);
    const runner = life.runner(zero());
    await runner.inject(quiet());
    await runner.restore();
    expect(life.events.at(-1)).toEqual({
      kind: "fault",
      fault: "zero",
      step: "cleared",
      detail: "nothing was changed",
    });
    expect(aws.writes).toEqual([]);
  });
});

test("whatever the order of abort, inject and restore, the prior is back", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.constantFrom(null, 0, 7),
      fc.nat(8),
      fc.nat(8),
      async (scheduler, prior, abortAt, restoreAt) => {
        const { aws, life } = world(prior);
        const abort = new AbortController();
        let calls = 0;
        const slow: ControlPlane = {
          call: async (...call) => {
            if (++calls === abortAt) abort.abort(new Error("Ctrl-C"));
            if (calls === restoreAt) restoring = runner.restore();
            await scheduler.schedule(Promise.resolve());
            return life.control.call(...call);
          },
        };
        const runner = life.runner(zero(), slow, 1e12);
        let restoring: Promise<void> | null = null;
        const injecting = runner.inject(abort.signal).catch(() => {});
        await scheduler.waitFor(injecting);
        await scheduler.waitFor(restoring ?? runner.restore());
        expect(aws.reserved.get("checkout") ?? null).toBe(prior);
        expect(["verified", "none"]).toContain(runner.undo);
      },
    ),
    { numRuns: 150 },
  );
});
