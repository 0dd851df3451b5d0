// A process that injects and undoes one fault and says each effect aloud: made to be killed.
import { createControlPlane } from "../../src/aws/control-plane.ts";
import type { ControlPlane } from "../../src/core/change.ts";
import { US_PER_S } from "../../src/core/time.ts";
import { reservedConcurrency } from "../../src/faults/reserved-concurrency.ts";
import { systemClock } from "../../src/run/clock.ts";
import { holderName, lifeOf, markProcess } from "../../src/run/process-mark.ts";
import { createFaultRunner } from "../../src/run/undo.ts";
import { type UndoFile, undoFile } from "../../src/run/undo-file.ts";
import { createUndoLog } from "../../src/run/undo-log.ts";

const [endpoint = "", arn = "", path = "", standAt = "0", localPid = "0"] = process.argv.slice(2);
let lines = 0;

/** At line `standAt` the whole process stands still until it is killed. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
  if (++lines === Number(standAt)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** One line to stdout just before and just after every effect. */
async function aloud<T>(what: string, act: () => Promise<T>): Promise<T> {
  say(`before ${what}`);
  try {
    return await act();
  } finally {
    say(`after ${what}`);
  }
}

const clock = systemClock();
const where = { endpoint, region: "eu-west-1", account: null, runId: "killed" };
const real = createControlPlane(where);
const control: ControlPlane = { call: (...call) => aloud(call[1], () => real.call(...call)) };
const disk = undoFile(path);
const file: UndoFile = { ...disk, append: (text) => aloud("append", () => disk.append(text)) };
const runner = createFaultRunner(reservedConcurrency({ name: "zero", function: arn, to: 0 }), {
  control,
  undoLog: createUndoLog({ file, clock, alive: (record) => lifeOf(record.owner) === "runs" }),
  clock,
  emit: () => {},
  place: {
    run: "killed",
    endpoint,
    account: "000000000000",
    region: "eu-west-1",
    owner: markProcess(process.pid),
    local: localPid === "0" ? null : markProcess(Number(localPid)),
  },
  limits: { undoUs: 10 * US_PER_S },
  lease: {
    roleArn: "arn:aws:iam::000000000000:role/gatecrash-dead-man",
    by: holderName(process.pid),
    ended: () => {},
  },
});
await runner.inject(new AbortController().signal);
await runner.restore();
say("end");
