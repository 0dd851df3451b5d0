// A ready-made undo record for tests of the log and of heal.
import { reservedConcurrency } from "../../src/faults/reserved-concurrency.ts";
import { recordOf } from "../../src/run/undo-entry.ts";
import type { UndoRecord } from "../../src/run/undo-record.ts";

export const CHECKOUT = "arn:aws:lambda:eu-west-1:000000000000:function:checkout";
export const FRONT = "arn:aws:lambda:eu-west-1:000000000000:function:front";
const RESERVED = "ReservedConcurrentExecutions";

/** Reserved concurrency of `checkout` was `prior` (null = unset) and is set to 0. */
export function checkoutRecord(
  more: Partial<UndoRecord> = {},
  prior: number | null = null,
  arn = CHECKOUT,
): UndoRecord {
  const fault = reservedConcurrency({ name: "zero", function: arn, to: 0 });
  const place = {
    run: "r1",
    endpoint: "http://127.0.0.1:4599",
    account: "000000000000",
    region: "eu-west-1",
    owner: { pid: 1, began: null },
    local: null,
  };
  return { ...recordOf(fault, prior === null ? {} : { [RESERVED]: prior }, place, 7), ...more };
}
