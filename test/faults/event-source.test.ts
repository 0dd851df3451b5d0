// An event source mapping switched off or slowed: changes as data, and the conformance of a fault.
import { describe, expect, test } from "vitest";
import type { ControlPlane, Fields, Json } from "../../src/core/change.ts";
import { commandOf } from "../../src/core/command.ts";
import type { FaultSpec } from "../../src/core/scenario.ts";
import { eventSource } from "../../src/faults/event-source.ts";
import { DEFAULT_SETTINGS } from "../../src/local/sqs/settings.ts";
import type { World } from "../../src/local/world.ts";
import { paceOf } from "../../src/run/pace.ts";
import { faultConformance, type Prior } from "../conformance/fault.ts";
import { Life } from "../support/fault-life.ts";
import { memorySubject } from "../support/memory-subject.ts";

const UUIDS = ["11111111-0000-4000-8000-000000000000", "22222222-0000-4000-8000-000000000000"];
const arnOf = (uuid = ""): string =>
  `arn:aws:lambda:eu-west-1:000000000000:event-source-mapping:${uuid}`;

const made = (name: string, setting: FaultSpec["input"], uuid = UUIDS[0]) => {
  const window = { during: null, startUs: 0, endUs: 30_000_000, line: 1 };
  const input = { mapping: arnOf(uuid), ...setting };
  return eventSource({ kind: "event-source", name, ...window, input });
};

/** Two mappings in force, each from a queue of its own that nothing is sent to. */
function deploy({ queues, mappings }: World): void {
  for (const [at, uuid] of UUIDS.entries()) {
    queues.create(`queue-${at}`, DEFAULT_SETTINGS);
    const input = { EventSourceArn: `arn:aws:sqs:eu-west-1:000000000000:queue-${at}` };
    const source = mappings.kinds.get("sqs")!(uuid, input, "checkout");
    mappings.deployed(source, true);
  }
}

const settle = async (control: ControlPlane, UUID: string, wait: () => Promise<void>) => {
  for (;;) {
    const { State } = await control.call("lambda", "GetEventSourceMapping", { UUID });
    if (State === "Enabled" || State === "Disabled") return;
    await wait();
  }
};

function subject(
  setting: FaultSpec["input"],
  foreign: Fields,
  toInput: (fields: Fields) => object,
) {
  return () => {
    const started = memorySubject({
      functions: ["checkout"],
      before: deploy,
      pace: paceOf("aws"),
      fault: (name) => made(name, setting),
      other: (name) => made(name, setting, UUIDS[1]),
      foreign,
      async set(control, fields, other) {
        const UUID = UUIDS[other === undefined ? 0 : 1] ?? "";
        const { pass } = await started;
        await settle(control, UUID, () => pass(1_000));
        const input = { UUID, ...toInput(fields) } as { [key: string]: Json };
        await control.call("lambda", "UpdateEventSourceMapping", input);
        await settle(control, UUID, () => pass(1_000));
      },
    });
    return started;
  };
}

/** K with the pace of AWS: the polls of two transitions of three seconds are among its effects. */
const FORMS: readonly (readonly [
  name: string,
  setting: FaultSpec["input"],
  priors: readonly Prior[],
  foreign: Fields,
  toInput: (fields: Fields) => object,
])[] = [
  [
    "enabled: false",
    { enabled: false },
    [
      ["enabled", { State: "Enabled" }, 26],
      ["disabled already", { State: "Disabled" }, 13],
    ],
    { State: "Enabled" },
    ({ State }) => ({ Enabled: State === "Enabled" }),
  ],
  [
    "maximum-concurrency",
    { "maximum-concurrency": 5 },
    [
      ["unset", {}, 26],
      ["a number", { "ScalingConfig.MaximumConcurrency": 40 }, 26],
      ["the fault's own", { "ScalingConfig.MaximumConcurrency": 5 }, 13],
    ],
    { "ScalingConfig.MaximumConcurrency": 33 },
    ({ "ScalingConfig.MaximumConcurrency": of }) => ({
      ScalingConfig: of === undefined ? {} : { MaximumConcurrency: of },
    }),
  ],
  [
    "batch-size",
    { "batch-size": 1 },
    [
      ["a number", { BatchSize: 10 }, 26],
      ["the fault's own", { BatchSize: 1 }, 13],
    ],
    { BatchSize: 7 },
    ({ BatchSize }) => ({ BatchSize }),
  ],
];

for (const [name, setting, priors, foreign, toInput] of FORMS)
  faultConformance({
    name: `event-source ${name}, in virtual time`,
    priors,
    start: subject(setting, foreign, toInput),
  });

const started = () =>
  subject({ enabled: false }, {}, ({ State }) => ({ Enabled: State !== "Disabled" }))();
const quiet = (): AbortSignal => new AbortController().signal;

describe("an event source mapping that is switched off", () => {
  test("is in force when it is Disabled, not when the call was answered", async () => {
    const subject = await started();
    const life = new Life(subject);
    const runner = life.runner(subject.fault("off"));
    await runner.inject(quiet());
    const onset = life.events.find(({ step }) => step === "onset");
    expect(onset?.probes).toBeGreaterThan(2); // three seconds of Disabling
    await runner.restore();
    const UUID = UUIDS[0] ?? "";
    const { State } = await subject.control.call("lambda", "GetEventSourceMapping", { UUID });
    expect([State, runner.undo]).toEqual(["Enabled", "verified"]);
    await subject.close();
  });

  test("is refused while somebody else's change is under way", async () => {
    const subject = await started();
    const UUID = UUIDS[0] ?? "";
    await subject.control.call("lambda", "UpdateEventSourceMapping", { UUID, BatchSize: 3 });
    const life = new Life(subject);
    const runner = life.runner(subject.fault("off"));
    await expect(runner.inject(quiet())).rejects.toThrow(/is being changed: State is Updating/);
    await runner.restore();
    expect(life.calls.filter((call) => call.startsWith("Update"))).toEqual([]);
    expect((await life.undoLog.read()).entries).toEqual([]);
    await subject.close();
  });

  test("is never deleted, and may be typed", () => {
    const fault = made("off", { enabled: false });
    const commands = [...fault.inject({ State: "Enabled" }), ...fault.undo({ State: "Enabled" })];
    expect(commands.map((change) => commandOf(change, "eu-west-1", null))).toEqual([
      `aws lambda update-event-source-mapping --uuid ${UUIDS[0]} --no-enabled --region eu-west-1`,
      `aws lambda update-event-source-mapping --uuid ${UUIDS[0]} --enabled --region eu-west-1`,
    ]);
  });
});

describe("the changes of an event source mapping", () => {
  test("a limit that was unset is taken away by an empty object, which AWS does not ignore", () => {
    const [undo] = made("x", { "maximum-concurrency": 5 }).undo({});
    expect(undo?.input).toEqual({ UUID: UUIDS[0], ScalingConfig: {} });
  });

  test("a concurrency below Lambda's least becomes that, as scaling may make it", () => {
    const { faulted } = made("x", { "maximum-concurrency": 1 });
    expect(faulted).toEqual({ "ScalingConfig.MaximumConcurrency": 2 });
  });

  test.each([UUIDS[0] ?? "", "arn:aws:lambda:eu-west-1:000000000000:function:x"])(
    "%s is refused: it is no mapping's ARN",
    (mapping) => {
      expect(() => made("x", { enabled: false, mapping })).toThrow(/no event source mapping's ARN/);
    },
  );
});
