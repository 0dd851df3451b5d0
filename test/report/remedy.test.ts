// Whoever reads INVALID is told what to do about it.
import { expect, it } from "vitest";
import { remedyFor } from "../../src/report/remedy.ts";

it.each([
  ["the generator was late: lag p99 158 ms, at most 20.0 ms allowed", "--workers"],
  ["the generator was out of CPU: 97 % of a core, at most 90 % allowed", "lower rate"],
  ["12 arrivals were dropped at the in-flight limit, at most 0 allowed", "limits.in-flight"],
  ["not steady before the fault, so nothing was injected: errors.rate 4 %", "steady:"],
  ["the run did not end: its last moments are not recorded", "gatecrash heal"],
  ["fault zero: its onset was never observed", "phase more time"],
  ["fault zero was put back by somebody else before its end", "gatecrash status"],
  ["our own credentials had ended: 3 attempts were not made or refused", "Log in again"],
])("%s", (reason, wanted) => {
  expect(remedyFor(reason)).toContain(wanted);
  expect(remedyFor(reason)).toMatch(
    /Then run again: nothing is said about the system under test\.$/,
  );
});

it("of a reason that speaks for itself only what follows is said", () => {
  expect(remedyFor("unbalanced: 3 arrivals have no end")).toMatch(
    /^Put this right\. Then run again/,
  );
});
