// The gate's promised error rates, on fewer rounds than the bench and the same seeds every time.
import { describe, expect, test } from "vitest";
import { GATE_CASES, simulateGate } from "../../bench/gate.ts";

describe("the gate on a p99", () => {
  test.each(GATE_CASES.map((one) => [`${one.name}, n = ${one.n}`, one] as const))(
    "%s keeps its promise",
    (_, one) => {
      const rates = simulateGate({ ...one, rounds: 600 });
      expect(one.keeps(rates), JSON.stringify(rates)).toBe(true);
    },
  );

  test("decides at once about what is far from the limit", () => {
    const base = { name: "far", n: 2_000, perSecond: 40, burst: 1, rounds: 200, seed: 5 };
    expect(simulateGate({ ...base, share: 0.03 }).fail).toBe(1);
    expect(simulateGate({ ...base, share: 0.001 }).pass).toBe(1);
  });
});
