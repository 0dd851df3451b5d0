// What happened, from the events of a run: its end, its faults step by step, the generator's
// health.
import type { FaultTimes, Fields } from "../core/change.ts";
import type {
  AlarmEvent,
  CleanUpEvent,
  CollectedEvent,
  CrossCheckEvent,
  FaultEvent,
  HealthEvent,
  MeteredEvent,
  NotifyEvent,
  PlanFile,
  PlannedFault,
  RunEvent,
} from "../core/facts.ts";
import { type RunUs, runUs } from "../core/time.ts";

/** One planned fault and what became of it. */
export interface FaultStory extends FaultTimes {
  readonly plan: PlannedFault;
  readonly injected: boolean;
  /** Read back and equal to what was captured; true as well when nothing was ever asked. */
  readonly verified: boolean;
  /** `ReservedConcurrentExecutions unset → 0`, as it was asked for. */
  readonly change: string;
  /** Fields as they were captured, and as they were last read. */
  readonly prior: Fields | null;
  readonly after: Fields | null;
  /** The command a person would type to put it back; null = not recorded. */
  readonly command: string | null;
  /** Somebody else had put it back before its time: how long it was in force, nobody knows. */
  readonly putBackByOthers: boolean;
  /** What drifted, when somebody else changed it meanwhile. */
  readonly trouble: string | null;
  /** Our own probes that were refused for capacity, by the moment of the event. */
  readonly refusedProbes: readonly { readonly t: number; readonly count: number }[];
}

export interface Story {
  /**
   * Attempt rows handed to the encoder, by worker, from every slice; null = the run did not end.
   */
  readonly rows: number | null;
  readonly slicesEnded: number;
  readonly faults: readonly FaultStory[];
  /** Furthest that the wall clock was from the monotonic one; null = never compared. */
  readonly clockStepMs: number | null;
  readonly health: readonly (HealthEvent & { readonly t: number })[];
  readonly stops: readonly { readonly t: number; readonly why: string; readonly detail: string }[];
  readonly invalids: readonly string[];
  /** The machines, in words; empty in older runs. */
  readonly machines: readonly string[];
  /** The last word on `steady:` at the end of `before`; null = never asked. */
  readonly steady: { readonly holds: boolean; readonly detail: string } | null;
  readonly crossChecks: readonly CrossCheckEvent[];
  /** How the reading of the platform's lines ended; null = an older run, or nothing was read. */
  readonly collected: CollectedEvent | null;
  /** How the reading of the metrics ended; null = an older run, or none were read. */
  readonly metered: MeteredEvent | null;
  readonly cleanUps: readonly CleanUpEvent[];
  readonly notices: readonly NotifyEvent[];
  readonly alarms: readonly (AlarmEvent & { readonly t: number })[];
  /**
   * Until when the run's time was observed: the stop, the last event of a killed run, or the plan.
   */
  readonly observedEndUs: RunUs;
  readonly plannedEndUs: RunUs;
}

export function storyOf(plan: PlanFile, events: readonly RunEvent[]): Story {
  const of = <K extends RunEvent["kind"]>(kind: K) =>
    events.filter((event) => event.kind === kind) as Extract<RunEvent, { kind: K }>[];
  const ends = of("end");
  const stops = of("stop");
  const last = events.reduce((latest, event) => Math.max(latest, event.t), 0);
  const spans = plan.phases.length > 0 ? plan.phases : plan.loads;
  const planned = spans.reduce((end, span) => Math.max(end, span.end_us), 0);
  const ended = ends.length >= Math.max(1, plan.slices);
  const stopped = stops.reduce((first, stop) => Math.min(first, stop.t), Number.POSITIVE_INFINITY);
  const steady = of("steady").at(-1);
  return {
    rows: ended ? ends.reduce((sum, end) => sum + end.rows.reduce((a, b) => a + b, 0), 0) : null,
    slicesEnded: ends.length,
    faults: [...plan.faults, ...(plan.around ?? [])].map((fault) => faultStory(fault, of("fault"))),
    clockStepMs: clockStepOf(plan, of("clock")),
    health: of("health"),
    stops,
    invalids: of("invalid").map((event) => event.detail),
    machines: [...new Set(of("start").flatMap(({ on }) => on ?? []))],
    crossChecks: of("cross-check"),
    collected: of("collected").at(-1) ?? null,
    metered: of("metered").at(-1) ?? null,
    cleanUps: [...new Map(of("clean-up").map((event) => [event.queue, event])).values()],
    notices: of("notify"),
    alarms: of("alarm"),
    steady: steady === undefined ? null : { holds: steady.holds, detail: steady.detail },
    observedEndUs: runUs(Math.min(stopped, ended ? planned : Math.min(last, planned))),
    plannedEndUs: runUs(planned),
  };
}

/** Both clocks are at 0 when the run is; a slice's first pair says how far its epoch was off. */
function clockStepOf(
  { epoch_ms }: PlanFile,
  pairs: readonly { readonly t: number; readonly wall_ms: number }[],
): number | null {
  if (pairs.length === 0) return null;
  return pairs.reduce(
    (most, { t, wall_ms }) => Math.max(most, Math.abs(wall_ms - epoch_ms - t / 1_000)),
    0,
  );
}

function faultStory(
  plan: PlannedFault,
  events: readonly (FaultEvent & { readonly t: number })[],
): FaultStory {
  const mine = events.filter((event) => event.fault === plan.name);
  const first = (step: FaultEvent["step"]) => mine.find((event) => event.step === step);
  const time = (step: FaultEvent["step"]) => {
    const event = first(step);
    return event === undefined ? null : runUs(event.t);
  };
  const asked = first("asked");
  const verified = mine.findLast((event) => event.step === "verified");
  const trouble = mine.findLast((event) => event.step === "drift" || event.step === "failed");
  return {
    name: plan.name,
    plan,
    askedUs: time("asked"),
    onsetUs: time("onset"),
    restoreAskedUs: time("restore-asked"),
    clearedUs: time("cleared"),
    injected: asked !== undefined,
    verified: asked === undefined || verified !== undefined,
    change: asked?.detail ?? "",
    prior: asked?.fields ?? null,
    command: (trouble?.step === "failed" ? trouble.detail : trouble?.command) || null,
    putBackByOthers: first("restore-answered")?.by_others === true,
    after: (verified ?? trouble)?.fields ?? null,
    trouble: verified === undefined && trouble?.step === "drift" ? (trouble.detail ?? "") : null,
    refusedProbes: mine
      .filter((event) => (event.probes_refused ?? 0) > 0)
      .map((event) => ({ t: event.t, count: event.probes_refused ?? 0 })),
  };
}
