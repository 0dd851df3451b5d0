// Requests that went to an API, by minute, from attempts: how many its gateway must have counted.
import type { PlanFile } from "../core/facts.ts";
import type { PlannedFront } from "../core/front-facts.ts";
import { type Refuser, reasonCode, refuserCode } from "../core/outcome.ts";
import type { AttemptChunk } from "./attempt-chunk.ts";

/** So far may our clock be from AWS's: a request within it of a minute's end may be in either. */
const SKEW_MS = 2_000;
const MINUTE_MS = 60_000;
const US_PER_MS = 1_000;

/** Who may answer before the gateway counts, or whose refusals AWS does not say it counts. */
const BEFORE: readonly Refuser[] = [
  ...(["waf", "cdn", "edge", "gateway", "gateway.quota", "gateway.key", "authorizer"] as const),
];
const IS_BEFORE = new Set(BEFORE.map((by) => refuserCode(by)));
/** Nothing reached anybody. */
const UNSENT = new Set((["connect", "dns", "tls"] as const).map((why) => reasonCode(why)));

interface Minute {
  /** Surely in this minute; surely or possibly. */
  low: number;
  high: number;
}

/** What of one front's requests the attempts say. */
export class FrontCount {
  /** Attempts that left here, and those of them that were second or later ones. */
  sent = 0;
  resent = 0;
  /** Answered, and not by what stands before the gateway: it must have counted each. */
  sure = 0;
  /** Refused by what may stand before it; without an answer. It may have counted them. */
  refused = 0;
  unanswered = 0;
  /** Of the sure ones, by status. */
  clientErrors = 0;
  serverErrors = 0;
  readonly minutes = new Map<number, Minute>();

  add(status: number, isRefused: boolean, fromMs: number, toMs: number): void {
    const isSure = status > 0 && !isRefused;
    this.sent++;
    if (isSure) this.sure++;
    else if (status > 0) this.refused++;
    else this.unanswered++;
    if (isSure && status >= 500) this.serverErrors++;
    else if (isSure && status >= 400) this.clientErrors++;
    const first = minuteOf(fromMs - SKEW_MS);
    const last = minuteOf(toMs + SKEW_MS);
    if (first === last && isSure) this.#minute(first).low++;
    for (let minute = first; minute <= last; minute += MINUTE_MS) this.#minute(minute).high++;
  }

  #minute(at: number): Minute {
    let found = this.minutes.get(at);
    if (found === undefined) {
      found = { low: 0, high: 0 };
      this.minutes.set(at, found);
    }
    return found;
  }
}

export const minuteOf = (epochMs: number): number => Math.floor(epochMs / MINUTE_MS) * MINUTE_MS;

/** By position in the plan's fronts. */
export class FrontCounts {
  readonly counts: readonly FrontCount[];
  readonly #plan: PlanFile;
  /** By load code; −1 = it goes through none. */
  readonly #frontOf: readonly number[];

  constructor(plan: PlanFile) {
    const fronts: readonly PlannedFront[] = plan.fronts ?? [];
    this.#plan = plan;
    this.counts = fronts.map(() => new FrontCount());
    this.#frontOf = plan.loads.map(({ name }) =>
      fronts.findIndex(({ loads }) => loads.includes(name)),
    );
  }

  add(chunk: AttemptChunk, statuses: Int32Array): void {
    if (this.counts.length === 0) return;
    for (let row = 0; row < chunk.rows; row++) {
      const load = chunk.load[row]!;
      const count = this.counts[this.#frontOf[load] ?? -1];
      const sentUs = chunk.sentUs[row]!;
      if (count === undefined || sentUs < 0 || UNSENT.has(chunk.reason[row]!)) continue;
      const doneUs = chunk.doneUs[row]!;
      const endUs = doneUs < 0 ? sentUs + this.#plan.loads[load]!.timeout_us : doneUs;
      const [fromMs, toMs] = [sentUs, endUs].map((us) => this.#plan.epoch_ms + us / US_PER_MS);
      if (chunk.attempt[row]! > 1) count.resent++;
      count.add(statuses[row]!, IS_BEFORE.has(chunk.refusedBy[row]!), fromMs!, toMs!);
    }
  }
}
