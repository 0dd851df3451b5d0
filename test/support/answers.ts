// Answers as a target would give them.
import type { Answer } from "../../src/core/arrival.ts";
import { runUs } from "../../src/core/time.ts";

/** An ok answer sent at 0 and done after 1 ms, with `more` on top. */
export function answer(more: { [key in keyof Answer]?: Answer[key] } = {}): Answer {
  return {
    outcome: "ok",
    refusedBy: "",
    reason: "",
    degraded: false,
    status: 200,
    sentUs: runUs(0),
    firstByteUs: runUs(900),
    doneUs: runUs(1_000),
    connectUs: 0,
    tlsUs: 0,
    bytesOut: 100,
    bytesIn: 200,
    newConnection: false,
    requestId: "",
    ...more,
  };
}
