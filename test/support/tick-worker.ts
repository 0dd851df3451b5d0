// A worker's entry for tests: a rate load on a target that answers after a while; no network.
import type { Arrival, Call, Target } from "../../src/core/arrival.ts";
import { GatecrashError } from "../../src/core/error.ts";
import { runUs } from "../../src/core/time.ts";
import type { RunClock } from "../../src/run/clock.ts";
import { runWorker } from "../../src/run/worker-loop.ts";
import { answer } from "./answers.ts";

export interface TickData {
  readonly perSecond: number;
  readonly count: number;
  readonly serviceMs: number;
  readonly fail: "never" | "compose" | "send" | "dispose";
  /** Sends that fail for want of a port of this machine: the first so many. */
  readonly portless?: number;
}

const CALL: Call = { kind: "http", method: "GET", path: "/", headers: [], body: null };

function* arrivals({ perSecond, count }: TickData): Generator<Arrival> {
  for (let index = 0; index < count; index++) {
    const dueUs = runUs(Math.round((index * 1e6) / perSecond));
    yield { index, dueUs, route: 0, call: CALL };
  }
}

function target(data: TickData, clock: RunClock): Target {
  let ownFailures = 0;
  return {
    inFlight: 0,
    get ownFailures() {
      return ownFailures;
    },
    send(_call, done) {
      if (ownFailures < (data.portless ?? 0)) ownFailures++;
      if (data.fail === "send") throw new Error("a bug in the target");
      const sentUs = clock.nowUs();
      const answered = (): void => {
        const doneUs = clock.nowUs();
        done(answer({ sentUs, firstByteUs: doneUs, doneUs, requestId: "JKJaXmPLvHcESHA=" }));
      };
      void clock.sleepUntil(runUs(sentUs + data.serviceMs * 1_000)).then(answered);
    },
    async [Symbol.asyncDispose]() {
      if (data.fail === "dispose") throw new Error("a socket that does not close");
    },
  };
}

await runWorker<TickData>(async (data, { clock }) => {
  if (data.fail === "compose")
    throw new GatecrashError("scenario", "no such file", { hint: "look again" });
  const load = { name: "tick", code: 0, arm: 0, resend: null, inFlightMax: 1_000, closed: null };
  const timeoutUs = 1_000_000;
  return [{ ...load, timeoutUs, arrivals: arrivals(data), target: target(data, clock) }];
});
