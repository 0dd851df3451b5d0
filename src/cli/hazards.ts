// What each fault of a plan costs in data, in numbers; and what it may not cost unless it is said.
import type { ControlPlane } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import type { FaultSpec, Scenario } from "../core/scenario.ts";
import { US_PER_S } from "../core/time.ts";
import type { Refusal } from "../model/data-loss.ts";
import { Exposures, type Sources } from "../observe/exposure.ts";
import type { LintFinding } from "../scenario/lint-types.ts";
import type { CountedLoad } from "./count-loads.ts";
import {
  asyncHazard,
  type Hazard,
  queueHazard,
  streamHazard,
  visibilityHazard,
  type Window,
} from "./hazard-text.ts";
import { Destinations } from "./planned-to.ts";
import { poolHazard } from "./pool-hazard.ts";

export interface HazardInput {
  readonly scenario: Scenario;
  readonly counted: readonly CountedLoad[];
  /** With the identity that observes. */
  readonly control: ControlPlane;
  readonly nowMs: number;
}

type Found = Omit<Hazard, "fault" | "line">;

/** Reads only; what may not be read is said as `unknown`. Outputs are closed. */
export async function hazardsOf(input: HazardInput): Promise<readonly Hazard[]> {
  const { scenario, counted, control } = input;
  const found: Hazard[] = [];
  if (scenario.faults.length === 0) return found;
  const destinations = await Destinations.read(counted, control);
  for (const spec of scenario.faults) {
    const { name: fault, line, input: keys } = spec;
    const exposures = new Exposures(control, input.nowMs);
    const costs = await costsOf(spec, exposures, destinations, scenario.limits.requests);
    const resource = String(keys.function ?? keys.mapping ?? keys.queue ?? "");
    const fronts = costs.length > 0 ? destinations.unread : [];
    const open = [...fronts, ...exposures.unread].map((what): Found => {
      const text = `what it costs is not all known, this could not be read: ${what}`;
      return { resource, kind: "unknown", count: null, text };
    });
    found.push(...[...costs, ...open].map((each) => ({ fault, line, ...each })));
    if (spec.kind === "reserved-concurrency")
      found.push(...(await poolHazard(spec, resource, control)));
  }
  return found;
}

/** A kind of fault that is not named here lets everything in. */
async function costsOf(
  spec: FaultSpec,
  exposures: Exposures,
  destinations: Destinations,
  requestsMax: number,
): Promise<readonly Found[]> {
  const { kind, input } = spec;
  const window: Window = {
    ...{ refusal: refusalOf(spec), fromS: spec.startUs / US_PER_S, toS: spec.endUs / US_PER_S },
    planned: (resource) => destinations.to(resource),
    requestsMax,
  };
  const when = whenAll(spec);
  if (when !== null) {
    const arn = unqualified(String(input.function));
    const events = asyncHazard(arn, await exposures.events(lastOf(arn)), window);
    const costs = [events, ...ofSources(await exposures.sourcesOf(lastOf(arn)), window)];
    return when === "" ? costs : costs.map((cost) => atMost(cost, when));
  }
  if (kind === "event-source" && input.enabled === false)
    return ofSources(unread(await exposures.sourceOf(lastOf(String(input.mapping)))), window);
  if (kind === "force-retries" && input.visibility !== undefined) {
    const queue = await exposures.queue(String(input.queue));
    return [visibilityHazard(queue, Number(input.visibility) / US_PER_S)];
  }
  return [];
}

const ofSources = ({ queues, streams }: Sources, window: Window): readonly Found[] => [
  ...queues.map((queue) => queueHazard(queue, window)),
  ...streams.map((stream) => streamHazard(stream, window)),
];

/** A mapping that is off receives nothing: a message waits, however few receives it has. */
const unread = ({ queues, streams }: Sources): Sources => ({
  queues: queues.map((queue) => ({ ...queue, receivesMax: null, deadLetter: null })),
  streams,
});

function refusalOf({ kind, input }: FaultSpec): Refusal {
  if (kind === "force-retries") return "failing";
  return kind === "reserved-concurrency" && input.to !== 0 ? "capped" : "refused";
}

/** When it meets all invocations of a function, "" = always; null = it is not about one. */
function whenAll({ kind, input }: FaultSpec): string | null {
  if (kind === "reserved-concurrency")
    return input.to === 0 ? "" : `where ${String(input.to)} at once are not enough`;
  if (kind !== "force-retries" || input.timeout === undefined) return null;
  return `where invocations take longer than ${Number(input.timeout) / US_PER_S} s`;
}

/** How much of it is met depends on what comes: at most this, perhaps nothing. */
function atMost(hazard: Found, when: string): Found {
  if (hazard.kind !== "destroyed" && hazard.kind !== "moved") return hazard;
  return { ...hazard, kind: "unknown", text: `${when}, at most: ${hazard.text}` };
}

const lastOf = (arn: string): string => arn.split(/[:/]/).at(-1) ?? arn;

const unqualified = (arn: string): string => arn.split(":").slice(0, 7).join(":");

/** What AWS would refuse, and destroying, which needs a word in the scenario that is not there. */
export function hazardFindings(
  { allow }: Scenario,
  hazards: readonly Hazard[],
): readonly LintFinding[] {
  return hazards.flatMap(({ line, fault, kind, text, resource }) => {
    const isUnaccepted = kind === "destroyed" && !allow.lose.includes(resource);
    if (!isUnaccepted && kind !== "impossible") return [];
    const hint = isUnaccepted ? `; to accept that, list ${resource} under allow.lose` : "";
    return [{ line, severity: "error" as const, message: `fault ${fault}: ${text}${hint}` }];
  });
}

/**
 * Says what the faults cost before anything is injected.
 * @throws AggregateError of GatecrashErrors `refused` for each of `hazardFindings`
 */
export function refuseHazards(
  scenario: Scenario,
  hazards: readonly Hazard[],
  say: (text: string) => void,
): void {
  const refused = hazardFindings(scenario, hazards).map(({ message, line }) => {
    const place = { file: scenario.file, line };
    return new GatecrashError("refused", message, { place, hint: "nothing was changed" });
  });
  if (refused.length > 0) throw new AggregateError(refused, "faults that must not be injected");
  for (const { kind, fault, text } of hazards)
    if (kind !== "none") say(`warning: fault ${fault}: ${text}\n`);
}
