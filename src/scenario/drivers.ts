// Raw driver keys → DriverSpec on the run's clock, with `scale` applied.
import type { DriverSpec } from "../core/scenario.ts";
import type { RawLoad, RawRate } from "./load-schema.ts";
import { existingFile, type Reading, scaledCount } from "./reading.ts";
import type { Path } from "./source.ts";

type Step = Extract<DriverSpec, { kind: "rate" }>["steps"][number];

/** From when to when a load runs; `endUs` null = it must be known from the driver itself. */
export interface LoadSpan {
  readonly startUs: number;
  readonly endUs: number | null;
}

export interface TimedDriver {
  readonly driver: DriverSpec;
  readonly endUs: number;
}

/** The driver of a load and the load's end; null when its keys make no sense (said already). */
export function driverOf(
  reading: Reading,
  at: Path,
  raw: RawLoad,
  kind: DriverSpec["kind"],
  span: LoadSpan,
): TimedDriver | null {
  if (kind === "replay") return replayOf(reading, [...at, kind], raw.replay!, span);
  if (kind === "rate") return rateOf(reading, [...at, kind], raw.rate!, span);
  if (kind === "burst") return burstOf(reading, [...at, kind], raw.burst!, span);
  const { connections, with: sender = "gatecrash" } = raw.saturate!;
  const endUs = span.endUs ?? span.startUs + reading.limits.durationUs;
  return {
    driver: { kind, connections: scaledCount(connections, reading.scale), with: sender },
    endUs,
  };
}

function replayOf(
  { source, scale, limits }: Reading,
  at: Path,
  raw: NonNullable<RawLoad["replay"]>,
  span: LoadSpan,
): TimedDriver {
  const remote = raw.file.startsWith("s3://");
  const { speed = 1, amplify = 1, window } = raw;
  const lengthUs = window === undefined ? limits.durationUs : Math.ceil(window / speed);
  return {
    driver: {
      kind: "replay",
      file: remote ? raw.file : existingFile(source, [...at, "file"], raw.file),
      speed,
      amplify: amplify * scale,
      windowUs: window ?? null,
    },
    endUs: span.endUs ?? span.startUs + lengthUs,
  };
}

function rateOf(reading: Reading, at: Path, raw: RawRate, span: LoadSpan): TimedDriver | null {
  const { source, scale, limits } = reading;
  const shapes = [raw.at !== undefined, raw.from !== undefined, raw.steps !== undefined];
  if (shapes.filter(Boolean).length !== 1 || (raw.from === undefined) !== (raw.to === undefined)) {
    source.fail(at, `\`${at.join(".")}\` needs one of: at; from and to; steps`);
    return null;
  }
  const known = lengthOf(raw, span);
  if (known === null) {
    source.fail(at, "how long this rate lasts is not known", "give `phases:`, `for:` or `count:`");
    return null;
  }
  const lengthUs = Math.min(known, limits.durationUs);
  const steps = (raw.steps ?? [{ at: raw.at, from: raw.from, to: raw.to, for: lengthUs }]).map(
    (step, i) => stepOf(reading, [...at, "steps", i], step),
  );
  const total = steps.reduce((sum, { overUs }) => sum + overUs, 0);
  const available = span.endUs === null ? total : span.endUs - span.startUs;
  if (total > available) source.fail(at, "the steps last longer than the load's phase");
  return {
    driver: {
      kind: "rate",
      steps,
      arrivals: raw.arrivals ?? "uniform",
      count: raw.count === undefined ? null : scaledCount(raw.count, scale),
    },
    endUs: span.endUs ?? span.startUs + total,
  };
}

function lengthOf(raw: RawRate, span: LoadSpan): number | null {
  if (raw.steps !== undefined) return raw.steps.reduce((sum, step) => sum + step.for, 0);
  if (raw.for !== undefined) return raw.for;
  if (span.endUs !== null) return span.endUs - span.startUs;
  const mean = raw.at ?? (raw.from! + raw.to!) / 2;
  return raw.count === undefined || mean === 0 ? null : Math.ceil((raw.count / mean) * 1e6);
}

function stepOf(
  { source, scale }: Reading,
  at: Path,
  raw: { at?: number | undefined; from?: number | undefined; to?: number | undefined; for: number },
): Step {
  const ramp = raw.from !== undefined && raw.to !== undefined;
  if ((raw.at !== undefined) === ramp) source.fail(at, "a step has `at`, or `from` and `to`");
  const from = raw.at ?? raw.from ?? 0;
  const to = raw.at ?? raw.to ?? 0;
  return { fromPerSecond: from * scale, toPerSecond: to * scale, overUs: raw.for };
}

function burstOf(
  { source, scale }: Reading,
  at: Path,
  raw: NonNullable<RawLoad["burst"]>,
  span: LoadSpan,
): TimedDriver | null {
  const { every, times } = raw;
  if (times !== undefined && times > 1 && every === undefined) {
    source.fail(at, "`times` needs `every`");
    return null;
  }
  if (every !== undefined && times === undefined && span.endUs === null) {
    source.fail(at, "how often this burst repeats is not known", "give `times:` or `phases:`");
    return null;
  }
  const fitting = every === undefined ? 1 : Math.ceil((span.endUs! - span.startUs) / every);
  const repeated = times ?? fitting;
  const count = scaledCount(raw.count, scale);
  return {
    driver: { kind: "burst", count, everyUs: every ?? null, times: repeated },
    endUs: span.endUs ?? span.startUs + Math.max(1, (repeated - 1) * (every ?? 0) + 1),
  };
}
