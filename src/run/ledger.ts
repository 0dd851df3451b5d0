// Both books of one load: facts (every attempt) and live counters (every arrival, once).
import type { Answer, Arrival } from "../core/arrival.ts";
import type { Outcome, Reason } from "../core/outcome.ts";
import { runUs } from "../core/time.ts";
import type { FireLoad, Flight } from "./fire-load.ts";
import type { LoadCounters } from "./live-counters.ts";
import type { Recorder } from "./recorder.ts";
import type { Waiting } from "./resend.ts";

/** Still open when the grace was over: sent as far as we know, done never. */
const UNFINISHED: Answer = {
  outcome: "unknown",
  refusedBy: "",
  reason: "unfinished",
  degraded: false,
  status: 0,
  sentUs: runUs(-1),
  firstByteUs: runUs(-1),
  doneUs: runUs(-1),
  connectUs: 0,
  tlsUs: 0,
  bytesOut: 0,
  bytesIn: 0,
  newConnection: false,
  requestId: "",
};

/**
 * Keeps sent = ok + throttled + errored + unknown (+ open) and planned = sent + dropped true:
 * each arrival is begun or dropped once, and settled once.
 */
export class Ledger {
  readonly #load: Pick<FireLoad, "code" | "arm">;
  readonly #recorder: Recorder;
  readonly #counters: LoadCounters;

  constructor(load: Pick<FireLoad, "code" | "arm">, recorder: Recorder, counters: LoadCounters) {
    this.#load = load;
    this.#recorder = recorder;
    this.#counters = counters;
  }

  began({ arrival, attempt, readyUs, askedUs }: Flight): void {
    this.#counters.began(arrival.route, attempt === 1, Math.max(0, askedUs - readyUs));
  }

  /** One attempt is over; its arrival may be sent again. */
  answered({ arrival, attempt, readyUs, askedUs }: Flight, answer: Answer): void {
    const { code: load, arm } = this.#load;
    const { route, index, dueUs } = arrival;
    this.#counters.ended(route, answer);
    const key = { load, arm, route, index, attempt, dueUs, readyUs, askedUs };
    this.#recorder.attempt(key, answer);
  }

  /** The arrival's last attempt is over. */
  settled(arrival: Arrival, outcome: Outcome, degraded: boolean, doneUs: number): void {
    this.#counters.settled(arrival.route, outcome, degraded, doneUs - arrival.dueUs);
  }

  /** A resend that is not made: the arrival keeps the outcome of its last attempt. */
  givenUp({ arrival, last }: Waiting): void {
    this.#counters.givenUp(arrival.route);
    this.settled(arrival, last.outcome, last.degraded, last.doneUs);
  }

  unfinished(flight: Flight): void {
    this.answered(flight, UNFINISHED);
    this.settled(flight.arrival, "unknown", false, -1);
  }

  dropped({ route, index, dueUs }: Arrival, reason: Reason): void {
    const { code: load, arm } = this.#load;
    this.#counters.dropped(route);
    this.#recorder.dropped({ load, arm, route, index, dueUs }, reason);
  }
}
