// What a schedule's description holds: read back as it was, short enough, and never guessed at.
import { describe, expect, test } from "vitest";
import { slowDependency } from "../../src/faults/slow-dependency.ts";
import { decodeNote, encodeNote, type LeaseNote } from "../../src/run/lease-note.ts";

const FIELD = "ReservedConcurrentExecutions";

describe("a note", () => {
  const note = (name: string, count = 1): LeaseNote => ({
    v: 1,
    run: "2026-11-30T19-02Z-k4x9",
    fault: "zero",
    kind: "reserved-concurrency",
    on: `arn:aws:lambda:ap-southeast-2:222222222222:function:${name}`,
    by: "a-runner-with-a-rather-long-name-0123456789/8a6f3b20e1:1234567",
    read: "lambda:GetFunctionConcurrency",
    with: { FunctionName: name },
    prior: Object.fromEntries(Array.from({ length: count }, (_, at) => [`Field${at}`, at])),
    ours: { [FIELD]: 0 },
  });

  test("fits for the longest function name, and is read back as it was", () => {
    const long = note("f".repeat(64), 8);
    expect(encodeNote(long).length).toBeLessThanOrEqual(512);
    expect(decodeNote(encodeNote(long))).toEqual(long);
    expect(decodeNote(encodeNote(note("f")))).toEqual(note("f"));
  });

  test("has room for a dependency's rule with all its members, and for who asks to stop", () => {
    const dependency = "arn:aws:ssm:eu-west-1:222222222222:parameter/gatecrash/dependency/payments";
    const only = "POST /orders/confirmations, GET /stock/levels/by-warehouse, TransactWriteItems";
    const input = { dependency, delay: 300_000, "delay-p99": 2_000_000, share: 0.123, only };
    const window = { during: null, startUs: 0, endUs: 3_600_000_000, line: 1 };
    const spec = { kind: "slow-dependency", name: "payments-are-slow", ...window, input };
    const { read, faulted } = slowDependency(spec, 4_294_967_295);
    const asked = {
      ...{ ...note("x"), kind: spec.kind, fault: spec.name, on: dependency },
      ...{ read: "ssm:GetParameters", with: read.input, prior: {}, ours: faulted },
      abort: "somebody on a-runner-with-a-rather-long-name-0123456789",
    };
    expect(encodeNote(asked).length).toBeLessThan(400);
    expect(decodeNote(encodeNote(asked))).toEqual(asked);
  });

  test("that cannot fit is refused, and somebody else's text is no note", () => {
    expect(() => encodeNote(note("f", 400))).toThrow(/does not fit/);
    for (const text of ["", "{}", "deflate:!", '{"v":2}', "my own schedule"])
      expect(decodeNote(text)).toBe(null);
  });
});
