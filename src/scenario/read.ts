// scenario.yaml → Scenario: units are numbers, defaults are filled in, everything wrong is said at
// once.

import { didYouMean } from "../core/nearest.ts";
import type { NotifySpec } from "../core/notice.ts";
import type {
  BrakeSpec,
  EnvironmentSpec,
  Limits,
  ObserveSpec,
  Phase,
  Scenario,
} from "../core/scenario.ts";
import { checkAssumptions } from "./assumed.ts";
import { type ChosenVariant, chooseVariant } from "./choose.ts";
import {
  checkCriteria,
  criterionTexts,
  type PlacedCriterion,
  parseCriteria,
  stopAlarmsOf,
} from "./criteria.ts";
import { chooseEnvironment } from "./environments.ts";
import { faultsOf, sinksOf } from "./faults.ts";
import { loadsOf } from "./loads.ts";
import { muteOf } from "./mute-alarms.ts";
import { checkNames, knownOf } from "./names.ts";
import { notifyOf } from "./notify.ts";
import { type Reading, scaledCount } from "./reading.ts";
import { checkReferences } from "./refs.ts";
import type { RawScenario } from "./schema.ts";
import { checkSchema } from "./schema-errors.ts";
import { readSource, type Source } from "./source.ts";

export interface ReadOptions {
  /** Null chooses the only one there is. */
  readonly variant: string | null;
  /** `local`, or a name from `environments:`. */
  readonly environment: string;
  /** In place of what the file holds. */
  readonly text?: string;
}

/**
 * Reads a scenario file, or the scenario.yaml of a folder. Throws an AggregateError of all
 * GatecrashErrors("scenario") with their places; GatecrashError("usage") for an open or unknown
 * variant or environment; GatecrashError("input") when the file cannot be read.
 */
export function readScenario(file: string, options: ReadOptions): Scenario {
  const source = readSource(file, options.text);
  const raw = checkSchema(source);
  checkReferences(source);
  const placed = parseCriteria(source);
  if (raw === undefined) throw allOf(source);
  const chosen = chooseVariant(source, raw, options.variant);
  const where = chooseEnvironment(source, raw, options.environment, chosen.variant);
  checkNames(source, raw);
  const scenario = { ...build(source, raw, chosen, placed, options.environment), ...where };
  if (source.errors.length > 0) throw allOf(source);
  return scenario;
}

/**
 * One environment of a scenario, whatever its variants; null for `local`. Throws as `readScenario`
 * does, but nothing is checked beyond the schema. `text`: in place of what the file holds.
 */
export function readEnvironment(file: string, name: string, text?: string): EnvironmentSpec | null {
  const source = readSource(file, text);
  const raw = checkSchema(source);
  if (raw === undefined) throw allOf(source);
  const { account } = chooseEnvironment(source, raw, name, null);
  if (source.errors.length > 0) throw allOf(source);
  return account;
}

/** Who is told by one environment of a scenario, whatever its variants; throws as above. */
export function readNotify(file: string, environment: string, text?: string): NotifySpec[] {
  const source = readSource(file, text);
  const raw = checkSchema(source);
  if (raw === undefined) throw allOf(source);
  const notify = notifyOf(source, raw, environment);
  if (source.errors.length > 0) throw allOf(source);
  return notify;
}

function allOf(source: Source): AggregateError {
  const errors = source.errors.toSorted((a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0));
  const what = errors.length === 1 ? "1 error" : `${errors.length} errors`;
  return new AggregateError(errors, `${what} in ${errors[0]?.place?.file ?? source.file}`);
}

function build(
  source: Source,
  raw: RawScenario,
  chosen: ChosenVariant,
  placed: readonly PlacedCriterion[],
  environment: string,
): Omit<Scenario, "account" | "others"> {
  const scale = scaleOf(source, raw, environment);
  const phases = phasesOf(raw);
  const limits = limitsOf(source, raw, phases, scale);
  const reading: Reading = { source, raw, scale, phases, limits, assumed: [] };
  const loads = loadsOf(reading, chosen.resends);
  const faults = faultsOf(reading);
  const observe = observeOf(raw);
  checkCriteria(source, placed, knownOf(raw, faults, observe));
  checkExpectations(source, raw, placed);
  return {
    file: source.file,
    dir: source.dir,
    title: raw.title,
    seed: raw.seed ?? 1,
    variants: Object.keys(raw.variants ?? {}),
    variant: chosen.variant,
    expect: chosen.expect,
    environment,
    template: chosen.template,
    allow: checkAssumptions(reading, environment, chosen, loads),
    limits,
    generator: generatorOf(raw),
    scale,
    phases,
    loads,
    faults,
    sinks: sinksOf(reading, loads),
    observe,
    steady: criterionTexts(source, "steady", raw.steady),
    stopWhen: criterionTexts(source, "stop-when", raw["stop-when"]),
    stopAlarms: stopAlarmsOf(source, raw["stop-when"]),
    accept: criterionTexts(source, "accept", raw.accept),
    local: localOf(raw),
    budgetUs: raw.budget ?? null,
    downstreams: raw.downstreams ?? {},
    brake: brakeOf(raw, environment),
    ...muteOf(source, raw["mute-alarms"], environment),
    notify: notifyOf(source, raw, environment),
    assumed: reading.assumed,
  };
}

function scaleOf(source: Source, raw: RawScenario, environment: string): number {
  const known = ["local", ...Object.keys(raw.environments ?? {})];
  for (const name of Object.keys(raw.scale ?? {}))
    if (!known.includes(name))
      source.fail(["scale", name], `unknown environment \`${name}\``, didYouMean(name, known));
  return raw.scale?.[environment] ?? 1;
}

function phasesOf(raw: RawScenario): Phase[] {
  let startUs = 0;
  return (raw.phases ?? []).flatMap((entry) =>
    Object.entries(entry).map(([name, lengthUs]) => {
      const phase = { name, startUs, endUs: startUs + lengthUs };
      startUs = phase.endUs;
      return phase;
    }),
  );
}

const MINUTE_US = 60_000_000;

function limitsOf(
  source: Source,
  raw: RawScenario,
  phases: readonly Phase[],
  scale: number,
): Limits {
  const end = phases.at(-1)?.endUs;
  const durationUs = raw.limits?.duration ?? (end === undefined ? 60 * MINUTE_US : end + MINUTE_US);
  if (end !== undefined && end > durationUs)
    source.fail(["limits", "duration"], "the phases last longer than limits.duration");
  if (end !== undefined && raw.budget !== undefined && end > raw.budget)
    source.fail(["budget"], "the phases last longer than the budget");
  return {
    durationUs,
    requests: scaledCount(raw.limits?.requests ?? 1_000_000, scale),
    inFlight: scaledCount(raw.limits?.["in-flight"] ?? 1_000, scale),
    undoUs: raw.limits?.undo ?? MINUTE_US,
  };
}

function generatorOf(raw: RawScenario): Scenario["generator"] {
  const { generator = {} } = raw;
  return {
    lagP99Us: generator["lag-p99"] ?? 20_000,
    dropped: generator.dropped ?? 0,
    cpu: generator.cpu ?? 0.9,
  };
}

/** On local AWS, where nothing is at stake, only when it is asked for. */
function brakeOf({ brake, environments }: RawScenario, environment: string): BrakeSpec | null {
  if (brake === undefined && !Object.hasOwn(environments ?? {}, environment)) return null;
  const { errors = 0.5, within = 10_000_000, of = 20 } = brake ?? {};
  return { share: errors, withinUs: within, least: of };
}

function observeOf(raw: RawScenario): ObserveSpec {
  const { observe = {} } = raw;
  return {
    reports: observe.reports?.functions ?? [],
    accessLog: observe["access-log"]?.group ?? null,
    metricFunctions: observe.metrics?.functions ?? [],
    metricAccount: observe.metrics?.account ?? false,
    ...(observe.metrics === undefined ? {} : { metricFronts: true as const }),
    ...(observe.metrics?.queues === undefined ? {} : { queues: observe.metrics.queues }),
    waitUs: observe.wait ?? 5 * MINUTE_US,
  };
}

function localOf(raw: RawScenario): Scenario["local"] {
  const { account = {} } = raw.local ?? {};
  return {
    concurrency: account.concurrency ?? 1_000,
    unreservedMinimum: account["unreserved-minimum"] ?? 100,
    scalingBucket: account["scaling-bucket"] ?? 1_000,
  };
}

/** `expect: { fail: text }` must be the text of a criterion, blanks and `primary` aside. */
function checkExpectations(
  source: Source,
  raw: RawScenario,
  placed: readonly PlacedCriterion[],
): void {
  const texts = placed.filter(({ key }) => key === "accept").map(({ criterion }) => criterion.text);
  for (const [name, { expect }] of Object.entries(raw.variants ?? {})) {
    if (typeof expect !== "object") continue;
    const wanted = plainText(expect.fail);
    if (texts.some((text) => plainText(text) === wanted)) continue;
    const path = ["variants", name, "expect", "fail"];
    source.fail(path, `no criterion reads \`${expect.fail}\``, didYouMean(expect.fail, texts));
  }
}

const plainText = (text: string): string =>
  text
    .trim()
    .replace(/\s+/g, " ")
    .replace(/ primary$/, "");

/** The names of a scenario's variants, [] when it has none; nothing else of it is checked. */
export function listVariants(file: string): readonly string[] {
  const { data } = readSource(file);
  const variants = typeof data === "object" && data !== null && "variants" in data && data.variants;
  return typeof variants === "object" && variants !== null ? Object.keys(variants) : [];
}
