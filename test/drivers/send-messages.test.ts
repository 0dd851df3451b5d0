// Forming calls from messages: ten or lingered; what no queue takes is said before the start.
import { describe, expect, it } from "vitest";
import type { Arrival } from "../../src/core/arrival.ts";
import { runUs } from "../../src/core/time.ts";
import { sendMessages } from "../../src/drivers/send-messages.ts";

const message = (index: number, dueUs: number, sizeBytes = 10): Arrival => ({
  index,
  dueUs: runUs(dueUs),
  route: 0,
  call: { kind: "item", key: "a key is not sent", data: new Uint8Array(sizeBytes) },
});

/** `readyUs: number of messages` of every call. */
const calls = (arrivals: readonly Arrival[]): string[] =>
  [...sendMessages(100)(arrivals)].map(({ readyUs, arrivals: of }) => `${readyUs}: ${of.length}`);

describe("a call", () => {
  it("carries ten messages at most, and waits for them as long as its first one may linger", () => {
    const burst = Array.from({ length: 23 }, (_, i) => message(i, i));
    expect(calls(burst)).toEqual(["9: 10", "19: 10", "120: 3"]);
  });

  it("carries 1 MiB at most", () => {
    const half = 524_288;
    expect(calls([message(0, 0, half), message(1, 5, half), message(2, 9, 1)])).toEqual([
      "9: 2",
      "109: 1",
    ]);
  });
});

it.each([
  [0, "message 0 is empty"],
  [1_048_577, "message 0 has 1048577 bytes; a queue takes 1048576"],
])("a message of %i bytes is said before anything is sent", (sizeBytes, complaint) => {
  expect(() => calls([message(0, 0, sizeBytes)])).toThrow(complaint);
});
