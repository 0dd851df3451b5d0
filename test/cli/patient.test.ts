// Reads that are made again, and what is not.
import { expect, test } from "vitest";
import { patient } from "../../src/cli/patient.ts";
import { AwsFailure, type ControlPlane } from "../../src/core/change.ts";

function failing(times: number, failure: AwsFailure): ControlPlane & { calls: number } {
  return {
    calls: 0,
    async call() {
      this.calls++;
      if (this.calls <= times) throw failure;
      return { seen: this.calls };
    },
  };
}

const THROTTLED = new AwsFailure("TooManyRequestsException", "Rate exceeded", "", 429);
const DENIED = new AwsFailure("AccessDeniedException", "not authorized", "", 403);
const NOBODY = new AwsFailure("ECONNREFUSED", "connect", "", 0);
const going = (): AbortSignal => new AbortController().signal;

test("a throttled read is made again until it is answered", async () => {
  const control = failing(2, THROTTLED);
  const found = await patient(control, going()).call("lambda", "ListFunctions", {});
  expect(found).toEqual({ seen: 3 });
});

test.each([
  ["a write", "PutFunctionConcurrency", THROTTLED],
  ["what is not allowed", "ListFunctions", DENIED],
  ["where nobody listens", "ListFunctions", NOBODY],
])("%s is made once", async (_what, action, failure) => {
  const control = failing(9, failure);
  await expect(patient(control, going()).call("lambda", action, {})).rejects.toBe(failure);
  expect(control.calls).toBe(1);
});

test("nothing is made again once the run is stopped", async () => {
  const control = failing(9, THROTTLED);
  const stop = new AbortController();
  const read = patient(control, stop.signal).call("lambda", "ListFunctions", {});
  stop.abort();
  await expect(read).rejects.toBe(THROTTLED);
  expect(control.calls).toBeLessThanOrEqual(2);
});
