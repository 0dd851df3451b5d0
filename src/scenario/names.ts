// The one namespace of a scenario: loads, routes, sinks, phases, faults, functions; no name twice.
import { isReservedWord } from "../core/measures.ts";
import type { FaultSpec, ObserveSpec } from "../core/scenario.ts";
import { coldWaveName, replacesEnvironments } from "../core/window.ts";
import { outputsIn } from "./refs.ts";
import { NAME } from "./scalars.ts";
import type { RawScenario } from "./schema.ts";
import type { Path, Source } from "./source.ts";

/** Complains about names that are taken, reserved, or cannot be written in a criterion. */
export function checkNames(source: Source, raw: RawScenario): void {
  const seen = new Map<string, { what: string; line: number }>();
  for (const { name, what, path } of namesOf(raw)) {
    const place = source.keyPlace(path);
    const taken = seen.get(name);
    if (taken !== undefined)
      source.failAt(
        place,
        `\`${name}\` is already a ${taken.what} (line ${taken.line})`,
        ONE_SPACE,
      );
    else seen.set(name, { what, line: place.line ?? 1 });
    if (!NAME.test(name))
      source.failAt(place, `\`${name}\` is no name`, "letters, digits, - and _, from a letter on");
    else if (!IN_WINDOWS.includes(what) && isReservedWord(name))
      source.failAt(
        place,
        `\`${name}\` has a meaning in criteria`,
        `give the ${what} another name`,
      );
    else if (name.endsWith(coldWaveName("")))
      source.failAt(place, `\`${name}\` is named like the cold wave of a fault`, ANOTHER);
  }
}

/** These stand behind `during` and `after` only, where no other word can. */
const IN_WINDOWS = ["phase", "fault"];
const ANOTHER = `what ends in ${coldWaveName("")} is a window that a fault brings with it`;
const ONE_SPACE =
  "loads, routes, sinks, queues, phases and faults share one namespace, for criteria";

function namesOf(raw: RawScenario): { name: string; what: string; path: Path }[] {
  const phases = (raw.phases ?? []).flatMap((phase, i) =>
    Object.keys(phase).map((name) => ({ name, what: "phase", path: ["phases", i, name] })),
  );
  const loads = Object.entries(raw.loads).flatMap(([name, { routes }]) => [
    { name, what: "load", path: ["loads", name] },
    ...Object.keys(routes ?? {}).map((route) => {
      return { name: route, what: "route", path: ["loads", name, "routes", route] };
    }),
  ]);
  const faults = (raw.faults ?? []).flatMap(({ name }, i) =>
    name === undefined ? [] : [{ name, what: "fault", path: ["faults", i, "name"] }],
  );
  const sinks = Object.keys(raw.sinks ?? {}).map((name) => {
    return { name, what: "sink", path: ["sinks", name] };
  });
  const queues = Object.keys(raw.observe?.metrics?.queues ?? {}).map((name) => {
    return { name, what: "queue", path: ["observe", "metrics", "queues", name] };
  });
  const reports = raw.observe?.reports?.functions ?? [];
  const metrics = raw.observe?.metrics?.functions ?? [];
  const functions = [
    ...reports.map((text, i) => ({ text, path: ["observe", "reports", "functions", i] })),
    ...metrics.map((text, i) => ({ text, path: ["observe", "metrics", "functions", i] })),
  ].flatMap(({ text, path }) =>
    outputsIn(text).map((name) => ({ name, what: "function's output", path })),
  );
  const once = new Map(functions.map((entry) => [entry.name, entry]));
  return [...phases, ...loads, ...faults, ...sinks, ...queues, ...once.values()];
}

export interface Known {
  /** Load → its routes. */
  readonly loads: ReadonlyMap<string, readonly string[]>;
  readonly sinks: readonly string[];
  readonly queues: readonly string[];
  /** Phases and named faults: what `during` may name. */
  readonly windows: readonly string[];
  /** Windows in which a fault is in force: what `recovery()` may name. */
  readonly faulted: readonly string[];
  /** Outputs whose function is observed, by how. */
  readonly reported: readonly string[];
  readonly measured: readonly string[];
  readonly account: boolean;
  readonly replays: boolean;
}

/** What the criteria of this scenario may refer to. */
export function knownOf(
  raw: RawScenario,
  faults: readonly FaultSpec[],
  observe: ObserveSpec,
): Known {
  const phases = (raw.phases ?? []).flatMap((phase) => Object.keys(phase));
  const named = faults.map(({ name }) => name);
  const duringPhases = faults.flatMap(({ during }) => during ?? []);
  const loads = Object.entries(raw.loads);
  return {
    loads: new Map(loads.map(([name, load]) => [name, Object.keys(load.routes ?? {})])),
    sinks: Object.keys(raw.sinks ?? {}),
    queues: Object.keys(observe.queues ?? {}),
    windows: [...new Set([...phases, ...named, ...coldWaves(faults)])],
    faulted: [...new Set([...named, ...duringPhases])],
    reported: observe.reports.flatMap(outputsIn),
    measured: observe.metricFunctions.flatMap(outputsIn),
    account: observe.metricAccount,
    replays: loads.some(([, load]) => load.replay !== undefined),
  };
}

/** Their undo replaces execution environments, so its cold starts have a window of their own. */
function coldWaves(faults: readonly FaultSpec[]): string[] {
  return faults.filter(replacesEnvironments).map(({ name }) => coldWaveName(name));
}
