// Records that somebody has put back from elsewhere: closed only where everything says so.
import { beforeEach, expect, test } from "vitest";
import { AwsFailure, type ControlPlane } from "../../src/core/change.ts";
import { GatecrashError } from "../../src/core/error.ts";
import { runUs } from "../../src/core/time.ts";
import { reservedConcurrency } from "../../src/faults/reserved-concurrency.ts";
import { closeFound, type FoundPorts } from "../../src/run/close-found.ts";
import { AutoClock } from "../support/auto-clock.ts";
import { Cut, MemoryFile } from "../support/cut.ts";
import { Life } from "../support/fault-life.ts";
import { type MemoryAws, memoryAws } from "../support/memory-aws.ts";

const ARN = "arn:aws:lambda:eu-west-1:000000000000:function:checkout";
const fault = () => reservedConcurrency({ name: "zero", function: ARN, to: 0 });

let clock: AutoClock;
let aws: MemoryAws;
let life: Life;
/** A run of this machine has died with its fault in force. */
beforeEach(async () => {
  clock = new AutoClock();
  aws = memoryAws(clock, "checkout");
  const file = new MemoryFile();
  const cut = new Cut(Infinity);
  await lifeOf(file, cut).runner(fault()).inject(new AbortController().signal);
  cut.kill();
  life = lifeOf(file);
});

function lifeOf(file = new MemoryFile(), cut = new Cut(Infinity)): Life {
  const pass = (ms: number) => clock.sleepUntil(runUs(clock.nowUs() + ms * 1_000));
  return new Life(
    {
      ...{ control: aws.control, clock, endpoint: "http://127.0.0.1:1", leased: true, pass },
      ...{ fault, other: fault, foreign: {}, set: async () => {}, close: async () => {} },
    },
    file,
    cut,
  );
}

const reserve = (reserved: number | null): void =>
  aws.world.admission.declare("checkout", { reserved, provisioned: 0 });

async function found(more: Partial<FoundPorts> = {}) {
  const { undoLog, control } = life;
  const ports = { undoLog, clock, connect: async () => control, ownerAlive: () => false };
  const { closed, open } = await closeFound({ ...ports, ...more });
  return [closed.map(({ line }) => line), open.map((record) => record.fault)];
}

const FOUND = `${ARN}: found put back (ReservedConcurrentExecutions is unset)  (fault zero of run r1)`;

test("what another machine has healed is closed, once, with a line; it wrote nothing to AWS", async () => {
  await lifeOf().subject.pass(5 * 60_000); // the dead-man is over
  expect((await lifeOf().healAccount()).clean).toBe(true);
  const writes = aws.world.audit.length;
  expect(await found()).toEqual([[FOUND], []]);
  expect(await found()).toEqual([[], []]);
  expect(aws.world.audit).toHaveLength(writes);
  expect((await life.heal()).healed).toEqual([]);
});

test("what is still changed stays open, and so does what has its lease still", async () => {
  expect(await found()).toEqual([[], ["zero"]]);
  reserve(null); // by hand: the dead-man is still there, and would write again
  expect(await found()).toEqual([[], ["zero"]]);
  await life.heal();
  expect(await found()).toEqual([[], []]);
});

test("what is somebody else's by now stays open: heal calls it drift", async () => {
  await lifeOf().subject.pass(5 * 60_000);
  await lifeOf().healAccount();
  reserve(33);
  expect(await found()).toEqual([[], ["zero"]]);
  expect((await life.heal()).healed.map(({ outcome }) => outcome)).toEqual(["drift"]);
});

test("one reading is not believed", async () => {
  await lifeOf().subject.pass(5 * 60_000);
  await lifeOf().healAccount();
  let reads = 0;
  const control: ControlPlane = {
    call(service, action, input) {
      if (action === "GetFunctionConcurrency" && ++reads === 2) reserve(0); // it acts late
      return aws.control.call(service, action, input);
    },
  };
  expect(await found({ connect: async () => control })).toEqual([[], ["zero"]]);
});

test("of a run that is alive nothing is looked at", async () => {
  expect(await found({ ownerAlive: () => true })).toEqual([[], []]);
});

test("what cannot be read, or be written down, stays open", async () => {
  await lifeOf().subject.pass(5 * 60_000);
  await lifeOf().healAccount();
  const failing: ControlPlane = {
    call: () => Promise.reject(new AwsFailure("AccessDeniedException", "no", "", 403)),
  };
  expect(await found({ connect: async () => failing })).toEqual([[], ["zero"]]);
  expect(await found({ connect: async () => null })).toEqual([[], ["zero"]]);
  const full = { ...life.undoLog, mark: () => Promise.reject(new GatecrashError("undo", "full")) };
  expect(await found({ undoLog: full })).toEqual([[], ["zero"]]);
  expect(await found()).toEqual([[FOUND], []]);
});
