// Once a second: how the generator does, stop conditions, limits, and jumps of the clock.
import type { Criterion } from "../core/criterion.ts";
import type { HealthEvent, RunEvent } from "../core/facts.ts";
import { formatMs, formatNumber, formatPercent } from "../core/format.ts";
import type { BrakeSpec, Limits } from "../core/scenario.ts";
import { type Clock, US_PER_MS, US_PER_S } from "../core/time.ts";
import { evaluateLive, type LiveNames, type LiveResult, type LiveWindow } from "./live.ts";
import { type LiveCell, type LiveSample, sumSince, type WorkerSelf } from "./live-counters.ts";
import { quantileIn } from "./log-linear.ts";

export type Stop = Omit<Extract<RunEvent, { kind: "stop" }>, "t" | "kind">;
/** An event without its time: the one who writes it down adds that. */
export type Untimed = RunEvent extends infer E
  ? E extends RunEvent
    ? Omit<E, "t">
    : never
  : never;

export interface WatchDeps {
  readonly clock: Clock;
  readonly names: LiveNames;
  readonly sample: () => LiveSample;
  readonly selves: () => readonly WorkerSelf[];
  readonly emit: (event: Untimed) => void;
  /** Called at most once. */
  readonly stop: (stop: Stop) => void;
  readonly stopWhen: readonly Criterion[];
  readonly brake?: BrakeSpec | null;
  readonly limits: Pick<Limits, "durationUs" | "requests">;
  readonly generator: { readonly lag_p99_us: number };
}

/** What a terminal shows once a second: counts since the start, times over the last ten seconds. */
export interface LiveView {
  readonly atUs: number;
  readonly perSecond: number;
  readonly loads: HealthEvent["loads"];
  readonly p50Us: number | null;
  readonly p99Us: number | null;
  readonly lagP99Us: number | null;
}

const WINDOW_SAMPLES = 11; // ten seconds have eleven ends
const CLOCK_PAIR_US = 10 * US_PER_S;
const JUMP_MS = 1_000;
/** Fewer sends in ten seconds say too little about a 99th percentile. */
const LAG_SENDS_MIN = 1_000;
/** More than these segments (7 MB each) wait for the disk: recording does not keep up. */
const PENDING_MAX = 64;

export class Watch {
  readonly invalid: string[] = [];
  readonly #deps: WatchDeps;
  readonly #first: LiveSample;
  readonly #window: LiveSample[];
  readonly #marks = new Map<string, LiveSample>();
  readonly #kinds = new Set<string>();
  readonly #wall0Ms: number;
  readonly #clock0Us: number;
  #nextPairUs = 0;
  #stopped = false;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
    this.#first = deps.sample();
    this.#window = [this.#first];
    this.#wall0Ms = deps.clock.wallMs();
    this.#clock0Us = deps.clock.nowUs();
  }

  /** Remembers this moment as the start of a window that `since` judges. */
  mark(name: string): void {
    this.#marks.set(name, this.#deps.sample());
  }

  /** Each criterion over the time from that mark until now. */
  since(mark: string, criteria: readonly Criterion[]): LiveResult[] {
    const window = [this.#marks.get(mark) ?? this.#window[0]!, this.#deps.sample()];
    return criteria.map((criterion) => evaluateLive(criterion, this.#deps.names, window));
  }

  /** Reasons of one kind are written down once. */
  markInvalid(kind: string, detail: string): void {
    if (this.#kinds.has(kind)) return;
    this.#kinds.add(kind);
    this.invalid.push(detail);
    this.#deps.emit({ kind: "invalid", detail });
  }

  /** One second's look; returns what to show. */
  tick(): LiveView {
    const sample = this.#deps.sample();
    const before = this.#window.at(-1)!;
    this.#window.push(sample);
    if (this.#window.length > WINDOW_SAMPLES) this.#window.shift();
    const selves = this.#deps.selves();
    const second = totalSince(sample, before);
    this.#deps.emit(healthOf(this.#deps.names, sample, second, selves));
    this.#checkTime(sample.atUs);
    this.#checkGenerator(selves);
    this.#checkLimits(sample);
    this.#checkConditions(this.#window);
    this.#checkArrival();
    this.#checkBrake(sample);
    return viewOf(this.#deps.names, this.#window, second);
  }

  /** When the load is over: what this machine could not do says nothing about the system. */
  checkOwnFailures(): void {
    const count = this.#deps.selves().reduce((sum, self) => sum + self.ownFailures, 0);
    if (count === 0) return;
    const wanted = "for want of this machine's own ports, file handles or memory";
    this.markInvalid("own", `${formatNumber(count)} attempts were not sent ${wanted}`);
  }

  #stop(stop: Stop): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#deps.stop(stop);
  }

  /** The wall clock dates log lines and metrics: a run across a jump cannot be joined with them. */
  #checkTime(atUs: number): void {
    const { clock } = this.#deps;
    if (atUs >= this.#nextPairUs) {
      this.#deps.emit({ kind: "clock", wall_ms: clock.wallMs() });
      this.#nextPairUs = atUs + CLOCK_PAIR_US;
    }
    const passedMs = (clock.nowUs() - this.#clock0Us) / US_PER_MS;
    const jumpMs = clock.wallMs() - this.#wall0Ms - passedMs;
    if (Math.abs(jumpMs) <= JUMP_MS) return;
    const detail = `the wall clock jumped by ${formatNumber(jumpMs / 1_000, 1)} s during the run`;
    this.markInvalid("clock", detail);
    this.#stop({ why: "error", detail });
  }

  #checkGenerator(selves: readonly WorkerSelf[]): void {
    const { generator } = this.#deps;
    const sum = totalSince(this.#window.at(-1)!, this.#window[0]!);
    const lagUs = quantileIn(sum.lag, 0.99) ?? 0;
    const isFull = this.#window.length === WINDOW_SAMPLES; // the start alone says too little
    if (isFull && sum.attempts >= LAG_SENDS_MIN && lagUs > generator.lag_p99_us) {
      const allowed = `at most ${formatMs(generator.lag_p99_us)} ms allowed`;
      this.markInvalid("lag", `late sends: lag p99 ${formatMs(lagUs)} ms over 10 s, ${allowed}`);
    }
    const pending = Math.max(0, ...selves.map((self) => self.encoderPending));
    if (pending <= PENDING_MAX) return;
    const detail = `recording does not keep up: ${pending} segments wait for the disk`;
    this.markInvalid("recording", detail);
    this.#stop({ why: "error", detail });
  }

  #checkLimits(sample: LiveSample): void {
    const { limits } = this.#deps;
    const attempts = sample.loads.flat().reduce((sum, cell) => sum + cell.attempts, 0);
    if (attempts >= limits.requests) {
      const [sent, limit] = [attempts, limits.requests].map((n) => formatNumber(n));
      this.#stop({ why: "limit", detail: `${sent} requests sent, limit ${limit}` });
    }
    if (sample.atUs < limits.durationUs) return;
    this.#stop({ why: "limit", detail: `the limit of ${limits.durationUs / US_PER_S} s is over` });
  }

  /** Until the end: a firewall may need minutes to find that there is too much from here. */
  #checkArrival(): void {
    const { brake } = this.#deps;
    if (!brake || brake.edges === false) return;
    const { ended, turned_away } = totalSince(this.#window.at(-1)!, this.#window[0]!);
    if (ended < brake.least || turned_away / ended <= brake.share) return;
    const share = `${formatPercent(turned_away / ended, 0)} of the last ${formatNumber(ended)}`;
    const which = "before they reached the system: firewall, authorizer, API key or quota";
    const detail = `brake: ${share} answers were refused ${which}`;
    this.#stop({ why: "condition", detail });
  }

  /** Only of the first seconds; a load that has come well under way has `stop-when` for it. */
  #checkBrake(sample: LiveSample): void {
    const { brake } = this.#deps;
    if (!brake || sample.atUs > brake.withinUs) return;
    const { ok, throttled, errored, unknown } = totalSince(sample, this.#first);
    const bad = throttled + errored + unknown;
    const all = ok + bad;
    if (all < brake.least || bad / all <= brake.share) return;
    const share = formatPercent(bad / all, 0);
    const detail = `early brake: ${share} of the first ${formatNumber(all)} answers were not ok`;
    this.#stop({ why: "condition", detail });
  }

  #checkConditions(window: LiveWindow): void {
    for (const criterion of this.#deps.stopWhen) {
      const result = evaluateLive(criterion, this.#deps.names, window);
      if (result.holds === true) this.#stop({ why: "condition", detail: result.text });
    }
  }
}

function totalSince(now: LiveSample, before: LiveSample): LiveCell {
  return sumSince(now.loads.flat(), before.loads.flat());
}

function healthOf(
  names: LiveNames,
  sample: LiveSample,
  second: LiveCell,
  selves: readonly WorkerSelf[],
): HealthEvent {
  return {
    kind: "health",
    lag_p99_us: quantileIn(second.lag, 0.99) ?? 0,
    loop_us: Math.max(0, ...selves.map((self) => self.loopUs)),
    cpu: Math.max(0, ...selves.map((self) => self.cpu)),
    connect_failures: second.connect_failures,
    loads: loadsOf(names, sample),
  };
}

function loadsOf(names: LiveNames, sample: LiveSample): HealthEvent["loads"] {
  return names.map(({ name }, load) => {
    const { sent, in_flight, dropped, ...rest } = sumSince(sample.loads[load] ?? [], []);
    const { ok, throttled, errored, unknown } = rest;
    return { name, sent, in_flight, dropped, ok, throttled, errored, unknown };
  });
}

function viewOf(names: LiveNames, window: LiveWindow, second: LiveCell): LiveView {
  const now = window.at(-1)!;
  const recent = totalSince(now, window[0]!);
  // A look may be late; what was sent before the run's 0 is nothing.
  const seconds = (now.atUs - Math.max(0, window.at(-2)?.atUs ?? 0)) / US_PER_S;
  return {
    atUs: now.atUs,
    perSecond: seconds > 0 ? Math.round(second.sent / seconds) : second.sent,
    loads: loadsOf(names, now),
    p50Us: quantileIn(recent.response, 0.5),
    p99Us: quantileIn(recent.response, 0.99),
    lagP99Us: quantileIn(recent.lag, 0.99),
  };
}
