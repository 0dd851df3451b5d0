// Faults in a function's configuration: changes as data, aliases, and the conformance of a fault.
import { describe, expect, test } from "vitest";
import { makeFault } from "../../src/cli/compose.ts";
import type { ControlPlane, Fault, Fields, Json } from "../../src/core/change.ts";
import { commandOf } from "../../src/core/command.ts";
import type { FaultSpec } from "../../src/core/scenario.ts";
import { replacesEnvironments } from "../../src/core/window.ts";
import { forceRetries } from "../../src/faults/force-retries.ts";
import { recycleEnvironments } from "../../src/faults/recycle-environments.ts";
import { paceOf } from "../../src/run/pace.ts";
import { stageFault } from "../../src/run/stage-fault.ts";
import { faultConformance } from "../conformance/fault.ts";
import { Cut, MemoryFile } from "../support/cut.ts";
import { type FaultSubject, Life } from "../support/fault-life.ts";
import { memorySubject } from "../support/memory-subject.ts";

const arnOf = (name: string): string => `arn:aws:lambda:eu-west-1:000000000000:function:${name}`;
const spec = (name: string, input: FaultSpec["input"]): FaultSpec => {
  const window = { during: null, startUs: 0, endUs: 30_000_000, line: 1 };
  return { kind: "recycle-environments", name, ...window, input };
};
/** The same description whatever its name, as the suite compares faults of two names. */
const recycle = (name: string, fn: string): Fault => ({
  ...recycleEnvironments(spec("cold", { function: arnOf(fn) }), 7),
  name,
});
const timeout = (name: string, fn: string): Fault =>
  forceRetries(spec(name, { function: arnOf(fn), timeout: 1_000_000 }), 7);
const quiet = (): AbortSignal => new AbortController().signal;

test("what replaces environments is known from the scenario as from the fault itself", () => {
  const checkout = arnOf("checkout");
  const rule = "arn:aws:ssm:eu-west-1:000000000000:parameter/gatecrash/dependency/orders";
  const specs: [FaultSpec["kind"], FaultSpec["input"]][] = [
    ["recycle-environments", { function: checkout }],
    ["recycle-environments", { function: `${checkout}:live` }],
    ["force-retries", { function: checkout, timeout: 1_000_000 }],
    ["force-retries", { queue: "arn:aws:sqs:eu-west-1:000000000000:jobs", visibility: 0 }],
    ["force-retries", { dependency: rule, crash: "after-commit" }],
    ["slow-dependency", { dependency: rule, delay: 400_000 }],
    ["reserved-concurrency", { function: checkout, to: 0 }],
  ];
  for (const [kind, input] of specs) {
    const one = { ...spec("one", input), kind };
    const wave = replacesEnvironments(one) ? checkout : undefined;
    expect(makeFault(one, 7).coldWave, kind).toBe(wave);
  }
});

/** Writes once nothing is in progress any more. */
async function settled(subject: () => Promise<FaultSubject>, input: { [key: string]: Json }) {
  const { control, pass } = await subject();
  for (;;) {
    const { FunctionName = "" } = input;
    const now = await control.call("lambda", "GetFunctionConfiguration", { FunctionName });
    if (now.LastUpdateStatus === "Successful") return now;
    await pass(1_000);
  }
}

async function update(subject: () => Promise<FaultSubject>, input: { [key: string]: Json }) {
  const { control } = await subject();
  await settled(subject, input);
  await control.call("lambda", "UpdateFunctionConfiguration", input);
  await settled(subject, input);
}

function latestSubject(make: typeof timeout, field: string, foreign: Fields) {
  return (): Promise<FaultSubject> => {
    const started: Promise<FaultSubject> = memorySubject({
      functions: ["checkout", "front"],
      pace: paceOf("aws"),
      fault: (name) => make(name, "checkout"),
      other: (name) => make(name, "front"),
      foreign,
      set: (_, fields, other) =>
        update(() => started, {
          FunctionName: other === undefined ? "checkout" : "front",
          [field]: fields[field] ?? null,
        }),
    });
    return started;
  };
}

faultConformance({
  name: "force-retries by timeout, in virtual time",
  priors: [
    ["a number", { Timeout: 3 }, 21],
    ["the fault's own", { Timeout: 1 }, 13],
  ],
  start: latestSubject(timeout, "Timeout", { Timeout: 33 }),
});

faultConformance({
  name: "recycle-environments of $LATEST, in virtual time",
  priors: [
    ["empty", { Description: "" }, 21],
    ["a text", { Description: "takes orders" }, 21],
    ["the fault's own", recycle("x", "checkout").faulted, 13],
  ],
  start: latestSubject(recycle, "Description", { Description: "somebody else's" }),
});

/** Two functions with a version 1 that their alias `live` is at. */
async function publishFirst(control: ControlPlane): Promise<void> {
  for (const FunctionName of ["checkout", "front"]) {
    await control.call("lambda", "PublishVersion", { FunctionName });
    const alias = { FunctionName, Name: "live", FunctionVersion: "1" };
    await control.call("lambda", "CreateAlias", alias);
  }
}

const aliased = (): Promise<FaultSubject> =>
  memorySubject({
    functions: ["checkout", "front"],
    pace: paceOf("aws"),
    fault: (name) => recycle(name, "checkout:live"),
    other: (name) => recycle(name, "front:live"),
    foreign: {},
    set: async () => {},
  }).then(async (subject) => {
    await publishFirst(subject.control);
    return subject;
  });

/** The faults that the stage made, for both functions. */
async function stagedSubject(): Promise<FaultSubject> {
  const subject = await aliased();
  const life = new Life(subject);
  const staged = [
    await stageFault(subject.fault("staged"), life.deps(), quiet()),
    await stageFault(subject.other("staged"), life.deps(), quiet()),
  ];
  await subject.control.call("lambda", "PublishVersion", {
    FunctionName: "checkout",
    Description: "somebody else's",
  });
  return {
    ...subject,
    fault: (name) => ({ ...staged[0]!, name }),
    other: (name) => ({ ...staged[1]!, name }),
    foreign: { FunctionVersion: "$LATEST" },
    async set(fields, other) {
      const FunctionName = other === undefined ? "checkout" : "front";
      const input = { FunctionName, Name: "live", ...fields };
      await subject.control.call("lambda", "UpdateAlias", input);
    },
  };
}

faultConformance({
  name: "recycle-environments of an alias, in virtual time",
  priors: [
    ["at a version", { FunctionVersion: "1" }, 24],
    ["at the fault's own", { FunctionVersion: "2" }, 16],
  ],
  start: stagedSubject,
});

describe("a fault in what an alias runs", () => {
  const view = async ({ control }: FaultSubject) => {
    const fn = { FunctionName: "checkout" };
    const { Description } = await control.call("lambda", "GetFunctionConfiguration", fn);
    const alias = await control.call("lambda", "GetAlias", { ...fn, Name: "live" });
    return { latest: Description, live: alias.FunctionVersion };
  };

  test("is staged while nobody notices, then moves the alias there and back", async () => {
    const subject = await aliased();
    const life = new Life(subject);
    const fault = await stageFault(subject.fault("cold"), life.deps(), quiet());
    expect(await view(subject)).toEqual({ latest: "", live: "1" });
    const runner = life.runner(fault);
    await runner.inject(quiet());
    expect(await view(subject)).toEqual({ latest: "", live: "2" });
    await runner.restore();
    expect(await view(subject)).toEqual({ latest: "", live: "1" });
    expect(await life.leases()).toEqual([]);
    expect(fault.residue).toContain("version 2 stays published");
    await subject.close();
  });

  test("leaves $LATEST as it was when its stage crashes behind any effect, once healed", async () => {
    const subject = await aliased();
    for (let k = 0, whole = false; !whole; k++) {
      const [file, cut] = [new MemoryFile(), new Cut(k)];
      const life = new Life(subject, file, cut);
      await stageFault(subject.fault("cold"), life.deps(), quiet()).catch(() => {});
      whole = !cut.dead;
      const again = new Life(subject, file);
      expect((await again.heal()).clean, `cut behind effect ${k}`).toBe(true);
      if ((await again.leases()).length > 0) await subject.pass(6 * 60_000);
      await again.healAccount();
      expect(await view(subject), `cut behind effect ${k}`).toEqual({ latest: "", live: "1" });
      expect(await again.leases()).toEqual([]);
    }
    await subject.close();
  });

  test("names both that it changes", () => {
    expect(recycle("cold", "checkout:live").resources).toEqual([
      arnOf("checkout:live"),
      arnOf("checkout"),
    ]);
  });

  const refusedAfter = async (calls: readonly [string, { [key: string]: Json }][], fn: string) => {
    const subject = await aliased();
    for (const [action, input] of calls) {
      await subject.control.call("lambda", action, { FunctionName: "checkout", ...input });
      await settled(async () => subject, { FunctionName: "checkout" });
    }
    const life = new Life(subject);
    const staged = stageFault(recycle("cold", fn), life.deps(), quiet());
    const error = await staged.then(
      () => "staged",
      (thrown: Error) => thrown.message,
    );
    expect(life.calls.filter((call) => /^(Update|Put|Delete|Publish|Create)/.test(call))).toEqual(
      [],
    );
    await subject.close();
    return error;
  };

  test("is refused while the alias shifts traffic between two versions", async () => {
    const weights = { AdditionalVersionWeights: { "2": 0.1 } };
    const calls: [string, { [key: string]: Json }][] = [
      ["UpdateFunctionConfiguration", { MemorySize: 256 }],
      ["PublishVersion", {}],
      ["UpdateAlias", { Name: "live", RoutingConfig: weights }],
    ];
    expect(await refusedAfter(calls, "checkout:live")).toMatch(
      /live sends traffic to two versions/,
    );
  });

  test("is refused where it has provisioned concurrency", async () => {
    const input = { Qualifier: "live", ProvisionedConcurrentExecutions: 2 };
    const calls: [string, { [key: string]: Json }][] = [["PutProvisionedConcurrencyConfig", input]];
    expect(await refusedAfter(calls, "checkout:live")).toMatch(/live has provisioned concurrency/);
  });

  test("is refused where $LATEST is another function by now, and says no value of it", async () => {
    const Environment = { Variables: { TOKEN: "s3cret-value" } };
    const error = await refusedAfter(
      [["UpdateFunctionConfiguration", { Environment, MemorySize: 256 }]],
      "checkout:live",
    );
    expect(error).toMatch(/not what live runs \(version 1\): Environment, MemorySize differ/);
    expect(error).not.toContain("s3cret");
  });

  test("is refused without a qualifier where there are aliases, and not with $LATEST", async () => {
    expect(await refusedAfter([], "checkout")).toMatch(/has aliases \(live\): which is invoked\?/);
    expect(await refusedAfter([], "checkout:$LATEST")).toBe("staged");
  });
});

describe("the changes of a function's configuration", () => {
  test("one field is read and written, never the map of variables", () => {
    const fault = timeout("short", "checkout");
    const commands = [...fault.inject({ Timeout: 30 }), ...fault.undo({ Timeout: 30 })];
    expect(fault.read.fields).toEqual(["Timeout"]);
    expect(commands.map((change) => commandOf(change, "eu-west-1", null))).toEqual([
      "aws lambda update-function-configuration --function-name checkout --timeout 1 --region eu-west-1",
      "aws lambda update-function-configuration --function-name checkout --timeout 30 --region eu-west-1",
    ]);
  });

  test.each([arnOf("checkout:3"), "checkout", "arn:aws:sqs:eu-west-1:000000000000:orders"])(
    "%s is refused: it cannot be changed",
    (fn) => {
      expect(() => recycleEnvironments(spec("cold", { function: fn }), 1)).toThrow(
        /cannot be chan/,
      );
    },
  );
});
