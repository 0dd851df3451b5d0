// Event patterns against events: each comparison that is modelled, and complaints about the others.
import { describe, expect, it } from "vitest";
import { compilePattern } from "../../../src/local/event-bus/pattern.ts";

const EVENT = {
  source: "gatecrash",
  "detail-type": "Gatecrash Run Stopped",
  resources: ["arn:a", "arn:b"],
  detail: { severity: "page", count: 12, flag: true, none: null, deep: { er: "Yes" } },
};

describe("a pattern matches", () => {
  it.each([
    [{}, true],
    [{ source: ["gatecrash"] }, true],
    [{ source: ["other"] }, false],
    [{ source: ["other", "gatecrash"] }, true],
    [{ source: ["gatecrash"], detail: { severity: ["info"] } }, false],
    [{ resources: ["arn:b"] }, true],
    [{ resources: ["arn:c"] }, false],
    [{ detail: { count: [12] } }, true],
    [{ detail: { count: ["12"] } }, false],
    [{ detail: { flag: [true], none: [null] } }, true],
    [{ detail: { deep: { er: ["Yes"] } } }, true],
    [{ detail: { deep: { er: { x: ["Yes"] } } } }, false],
    [{ source: [{ prefix: "gate" }] }, true],
    [{ source: [{ suffix: "gate" }] }, false],
    [{ "detail-type": [{ suffix: "Stopped" }] }, true],
    [{ detail: { deep: { er: [{ "equals-ignore-case": "yES" }] } } }, true],
    [{ detail: { severity: [{ "anything-but": "page" }] } }, false],
    [{ detail: { severity: [{ "anything-but": ["info", "warning"] }] } }, true],
    [{ detail: { severity: [{ "anything-but": { prefix: "p" } }] } }, false],
    [{ detail: { absent: [{ "anything-but": "x" }] } }, false],
    [{ detail: { absent: [{ exists: false }], count: [{ exists: true }] } }, true],
    [{ detail: { absent: [{ exists: true }] } }, false],
    [{ detail: { count: [{ numeric: [">=", 10, "<", 13] }] } }, true],
    [{ detail: { count: [{ numeric: [">", 12] }] } }, false],
    [{ detail: { count: [{ numeric: ["=", 12] }] } }, true],
  ])("%j: %s", (pattern, expected) => {
    expect(compilePattern(pattern)(EVENT)).toBe(expected);
  });
});

it.each([
  [{ source: "gatecrash" }, "source is an object"],
  [{ source: [] }, "source is an empty list"],
  [{ $or: [{ source: ["a"] }] }, "$or in an event pattern is not modelled"],
  [{ source: [{ wildcard: "*" }] }, 'source: {"wildcard":"*"} in an event pattern'],
  [{ detail: { count: [{ numeric: ["~", 1] }] } }, "detail.count: numeric takes signs"],
  [{ source: [{ prefix: 1 }] }, "source: this comparison takes a text"],
])("%j is refused: %s", (pattern, complaint) => {
  expect(() => compilePattern(pattern)).toThrow(complaint);
});
