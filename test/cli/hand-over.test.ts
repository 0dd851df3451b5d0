// What is said when a signal ends a run whose undo takes long.
import { expect, test } from "vitest";
import { watchHandOver } from "../../src/cli/hand-over.ts";
import type { UndoableFault, UndoOutcome } from "../../src/run/fault-runner.ts";
import { TestClock } from "../support/test-clock.ts";

test.each<[UndoOutcome, string]>([
  ["verified", "everything is put back; only the report is still to come\n"],
  [
    "drift",
    "what others have changed stays, all else is put back; only the report is still to come\n",
  ],
  ["failed", "NOT PUT BACK YET: zero (aws lambda …); it is tried on. gatecrash heal\n"],
])("an undo that is %s 8 s later is told as it is", async (later, text) => {
  const clock = new TestClock();
  const stop = new AbortController();
  const said: string[] = [];
  let undo: UndoOutcome = "open";
  const fault = { name: "zero", command: "aws lambda …", dueMs: null };
  const faults = () => [{ ...fault, undo } as UndoableFault];
  const over = new AbortController().signal;
  const say = (line: string) => said.push(line);
  watchHandOver({ clock, signal: stop.signal, over, faults, heal: "gatecrash heal", say });
  stop.abort("SIGINT");
  undo = later;
  await clock.advance(9_000);
  expect(said.slice(2)).toEqual([text]);
});
