// What criteria call versions, and what of them is known by version at all.
import { expect, test } from "vitest";
import { parseCriterion } from "../../src/core/parse-criterion.ts";
import { nameOfVersion, versionOfName, versionOfNumber } from "../../src/core/version-name.ts";

test("a version's name and back", () => {
  expect(versionOfName("v42")).toBe("42");
  expect(versionOfName("vlatest")).toBe("$LATEST");
  for (const name of ["v", "v0", "v01", "42", "latest", "V4", "v4a"])
    expect(versionOfName(name)).toBeNull();
  expect(["42", "$LATEST"].map(nameOfVersion)).toEqual(["v42", "vlatest"]);
  expect([0, 7].map(versionOfNumber)).toEqual(["$LATEST", "7"]);
});

test.each([
  ["v42.throttles == 0", "throttles is not known by version"],
  ["v42.dropped == 0", "dropped is not known by version"],
  ["v42.lag.p99 <= 5ms", "lag.p99 is not known by version"],
  ["p99 <= 1.1 * v41.lag.p99", "lag.p99 is not known by version"],
  ["function(X).v42.errors.rate <= 1%", "errors.rate of function(X) is of all its versions"],
])("%s is refused", (text, why) => {
  expect(() => parseCriterion(text)).toThrow(why);
});

test("what a function logs, and what loads were answered, may name a version", () => {
  for (const text of [
    "function(X).v42.duration.p99 <= 1s",
    "shop.cart.v42.warm.p99 <= 1s",
    "v42.cost.per-million <= $4",
    "v42.errors.rate <= 1.1 * v41.errors.rate",
  ])
    expect(parseCriterion(text).text).toBe(text);
});
