// Preflight: nothing outside the declared blast radius, nothing on top of an open record.
import { expect, test } from "vitest";
import { reservedConcurrency } from "../../src/faults/reserved-concurrency.ts";
import { preflight } from "../../src/run/undo-all.ts";
import { createUndoLog } from "../../src/run/undo-log.ts";
import { AutoClock } from "../support/auto-clock.ts";
import { MemoryFile } from "../support/cut.ts";
import { CHECKOUT, checkoutRecord, FRONT } from "../support/undo-records.ts";

const alive = (): boolean => false;
const faults = [reservedConcurrency({ name: "zero", function: CHECKOUT, to: 0 })];
const undoLog = createUndoLog({ file: new MemoryFile(), clock: new AutoClock(), alive });
const endpoint = "http://127.0.0.1:1";

test("an ARN that is not under allow.change is refused", async () => {
  const check = preflight(faults, { allowChange: [FRONT], endpoint, undoLog, alive });
  await expect(check).rejects.toMatchObject({
    code: "refused",
    message: `fault zero changes ${CHECKOUT}`,
    hint: expect.stringContaining("allow.change"),
  });
});

test("an open record is refused and names `gatecrash heal`; once settled it is no obstacle", async () => {
  const options = { allowChange: [CHECKOUT], endpoint, undoLog, alive };
  await preflight(faults, options);
  await undoLog.open(checkoutRecord({ id: "1" }));
  await expect(preflight(faults, options)).rejects.toMatchObject({
    code: "refused",
    hint: expect.stringContaining("gatecrash heal"),
  });
  await preflight([], options);
  await undoLog.mark("1", "void");
  await preflight(faults, options);
});
