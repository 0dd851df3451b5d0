// The grammar of criteria: what is read, and what is refused with which words.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Operand } from "../../src/core/criterion.ts";
import { GatecrashError } from "../../src/core/error.ts";
import { KNOWN_MEASURES, measureInfo, quantileOf, refuserOf } from "../../src/core/measures.ts";
import { parseCriterion } from "../../src/core/parse-criterion.ts";

const operand = (names: string[], measure: string, window: Operand["window"] = null): Operand => ({
  names,
  function: null,
  measure,
  argument: null,
  window,
});
const during = (name: string) => ({ kind: "during", name }) as const;

describe("a criterion", () => {
  it("has names, a measure, a limit, a window at the end and `primary`", () => {
    expect(parseCriterion("shopper.errors.rate <= 1% during zero primary")).toEqual({
      text: "shopper.errors.rate <= 1% during zero",
      operand: operand(["shopper"], "errors.rate", during("zero")),
      op: "<=",
      expr: { kind: "number", value: 0.01, unit: "ratio", text: "1%" },
      primary: true,
    });
  });

  it("may have its window behind the operand, and another one on the right", () => {
    const text = "checkout.p99 during replay <= max(1.2 * checkout.p99 during before, 900ms)";
    expect(parseCriterion(text)).toEqual({
      text,
      operand: operand(["checkout"], "p99", during("replay")),
      op: "<=",
      expr: {
        kind: "max",
        left: {
          kind: "scaled",
          factor: 1.2,
          operand: operand(["checkout"], "p99", during("before")),
        },
        right: { kind: "number", value: 900_000, unit: "us", text: "900ms" },
      },
      primary: false,
    });
  });

  it("may ask for a share of the quota", () => {
    const { expr, operand: left } = parseCriterion(
      "account.concurrency.max <= 70% of quota during replay",
    );
    expect(expr).toEqual({ kind: "quota", share: 0.7, text: "70% of quota" });
    expect(left).toEqual(operand(["account"], "concurrency.max", during("replay")));
  });

  it("may be of a function's output", () => {
    expect(parseCriterion("function(CheckoutArn).throttles > 0")).toEqual({
      text: "function(CheckoutArn).throttles > 0",
      operand: { ...operand([], "throttles"), function: "CheckoutArn" },
      op: ">",
      expr: { kind: "number", value: 0, unit: "number", text: "0" },
      primary: false,
    });
  });

  it("may be about recovery from a fault", () => {
    const { operand: left } = parseCriterion("recovery(zero) <= 10s");
    expect(left).toEqual({ ...operand([], "recovery"), argument: "zero" });
  });

  it("may look at a time after a window", () => {
    const { operand: left } = parseCriterion("p99 within 30s after zero <= 1s");
    expect(left.window).toEqual({ kind: "within", us: 30_000_000, after: "zero" });
  });

  it("gives the left window to the right operand that has none", () => {
    const { expr } = parseCriterion("warm.p95 <= 1.1 * recorded.p95 during peak");
    const right = operand(["recorded"], "p95", during("peak"));
    expect(expr).toEqual({ kind: "scaled", factor: 1.1, operand: right });
  });

  it("gives a window at the end to the right operand when the left has one", () => {
    const { expr } = parseCriterion("a.p95 during zero <= 1.1*a.p95 during before");
    expect(expr).toMatchObject({ operand: operand(["a"], "p95", during("before")) });
  });

  it.each([
    ["shopper.checkout.warm.p99 <= 300ms", ["shopper", "checkout", "warm"], "p99"],
    ["shopper.in-flight > 350", ["shopper"], "in-flight"],
    ["throttles.lambda.reserved.rate <= 1%", [], "throttles.lambda.reserved.rate"],
    ["throttles.kinesis == 0", [], "throttles.kinesis"],
    ["shopper.service.p999 < 1s", ["shopper"], "service.p999"],
    ["v8.cold.rate <= 1%", ["v8"], "cold.rate"],
    ["cold.p99 <= 2s", ["cold"], "p99"],
    ["max <= 5s", [], "max"],
    ["cost.per-million <= $4", [], "cost.per-million"],
    ["deliveries.lost == 0", ["deliveries"], "lost"],
    ["amplification <= 1.1", [], "amplification"],
  ])("splits %s into names and measure", (text, names, measure) => {
    expect(parseCriterion(text).operand).toEqual(operand(names as string[], measure as string));
  });
});

describe("a criterion is refused", () => {
  it.each([
    ["p95=200", "`=` has no meaning here"],
    ["p95 << 200", "expected a limit, found `<`"],
    ["foo<1", "unknown measure in `foo`"],
    ["p95<", "expected a limit, found nothing"],
    ["p95 <= 200", "`200` does not fit p95"],
    ["p95 <= 2%", "`2%` does not fit p95"],
    ["errors.rate <= 0.01", "`0.01` does not fit errors.rate"],
    ["dropped <= 1%", "`1%` does not fit dropped"],
    ["dropped <= 0.5", "`0.5` does not fit dropped"],
    ["amplification <= 2s", "`2s` does not fit amplification"],
    ["cost.per-million <= 4", "`4` does not fit cost.per-million"],
    ["", "expected a measure such as checkout.p99, found nothing"],
    ["p95", "expected <=, <, >=, > or ==, found the end"],
    ["p95 <= 5s during", "expected the name of a phase or fault"],
    ["p95 <= 5s within 3s", "expected `after`, found the end"],
    ["p95 during a <= 5s during b", "two windows"],
    ["p95 <= 5s primary primary", "`primary` is one word too many"],
    ["p95 <= 5s or so", "`or` is one word too many"],
    ["p95 <= 5parsecs", "`5parsecs` is not a quantity"],
    ["p95 <= 2s * p99", "a factor has no unit"],
    ["p99 <= errors.rate", "p99 cannot be compared with errors.rate"],
    ["p99 <= 70% of quota", "p99 has no quota"],
    ["p99.9 <= 1s", "unknown measure in `p99.9`"],
    ["p100 <= 1s", "p100 is not a percentile"],
    ["recovery <= 10s", "recovery of what?"],
    ["recovery(zero).p99 <= 10s", "`.p99`"],
    ["function(X) > 0", "what of function(X)?"],
    ["function(X).agreement >= 1%", "agreement is no measure of function(X)"],
    ["account.p99 <= 1s", "p99 is no measure of account"],
    ["lost == 0", "lost is no measure of all loads"],
    ["throttles.moon == 0", "unknown measure in `throttles.moon`"],
    ["x.p99 <= 1.2 * x.p99 during before", "an operand is compared with itself"],
    ["p95 <= max(1s, 2s", "expected `)`, found the end"],
  ])("%j: %s", (text, message) => {
    expect(() => parseCriterion(text)).toThrow(message);
  });

  it("with its text, its place and the nearest measure", () => {
    const place = { file: "scenario.yaml", line: 12 };
    let error: unknown;
    try {
      parseCriterion("shopper.error.rate <= 1%", place);
    } catch (thrown) {
      error = thrown;
    }
    expect((error as GatecrashError).render()).toBe(
      "scenario.yaml:12: criterion `shopper.error.rate <= 1%`: unknown measure in " +
        "`shopper.error.rate`\n  hint: did you mean `errors.rate`?",
    );
  });

  it("never with anything but a GatecrashError", () => {
    const words = ["p99", "a.max", "<=", "<", "max(", ")", ",", "1s", "2", "*", "during", "x"];
    words.push("function(F)", ".throttles", "recovery(", "of", "quota", "within", "after", "$");
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 9 }), (parts) => {
        try {
          parseCriterion(parts.join(" "));
        } catch (error) {
          expect(error).toBeInstanceOf(GatecrashError);
        }
      }),
    );
  });
});

describe("measures", () => {
  it.each(KNOWN_MEASURES)("%s is found under its own spelling", (measure) => {
    expect(measureInfo(measure)).toBeDefined();
  });

  it.each([
    ["p50", 0.5],
    ["p99", 0.99],
    ["service.p999", 0.999],
    ["lag.p995", 0.995],
    ["max", null],
  ])("%s has quantile %s", (measure, quantile) => expect(quantileOf(measure)).toBe(quantile));

  it("say who refused", () => {
    expect(refuserOf("throttles.lambda.reserved.rate")).toBe("lambda.reserved");
    expect(refuserOf("throttles.rate")).toBeNull();
    expect(refuserOf("throttles")).toBeNull();
  });
});
