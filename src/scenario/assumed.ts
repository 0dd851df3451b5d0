// What is taken for granted where the file is silent, one sentence each, and the assumed
// allow-list.
import { formatNumber } from "../core/format.ts";
import type { Load, Scenario } from "../core/scenario.ts";
import type { ChosenVariant } from "./choose.ts";
import type { Reading } from "./reading.ts";

/** The allow-list as given or assumed; everything assumed is added to `reading.assumed`. */
export function checkAssumptions(
  reading: Reading,
  environment: string,
  chosen: ChosenVariant,
  loads: readonly Load[],
): Scenario["allow"] {
  const { raw, assumed, limits, scale } = reading;
  for (const name of Object.keys(chosen.resends))
    assumed.push(`Variant ${chosen.variant} has its own resend of ${name}.`);
  if (scale !== 1) assumed.push(`Everything that counts is multiplied by ${scale} here.`);
  if (raw.seed === undefined) assumed.push("Seed 1.");
  if (raw.phases === undefined)
    assumed.push("No phases: the run ends when its loads have ended, or at the duration limit.");
  if (raw.limits?.duration === undefined)
    assumed.push(`At most ${formatNumber(limits.durationUs / 1e6)} s of load.`);
  if (raw.limits?.requests === undefined)
    assumed.push(`At most ${formatNumber(limits.requests)} requests.`);
  if (raw.limits?.["in-flight"] === undefined)
    assumed.push(`At most ${formatNumber(limits.inFlight)} requests of a load in flight.`);
  for (const { name, target } of loads)
    if (raw.loads[name]?.[target.kind]?.timeout === undefined)
      assumed.push(`Load ${name} waits ${target.timeoutUs / 1e6} s for an answer.`);
  const { change = [], lose = [] } = raw.allow ?? {};
  return { hosts: hostsOf(reading, environment, loads), change, lose };
}

/** Where a load is sent, as the scenario writes it. */
export function destinationOf(load: Load): string {
  const { target } = load;
  if (target.kind === "http") return target.url;
  if (target.kind === "lambda") return target.function;
  return target.kind === "kinesis" ? target.stream : target.queue;
}

/**
 * Without `allow.hosts`, what the loads name is allowed: literally anywhere, by output only on
 * local AWS. In an account an output may point where its writer did not look.
 */
function hostsOf(reading: Reading, environment: string, loads: readonly Load[]): readonly string[] {
  const { hosts } = reading.raw.allow ?? {};
  if (hosts !== undefined) return hosts;
  const named = [...new Set(loads.map(destinationOf))].filter(
    (destination) => environment === "local" || !destination.includes("{{"),
  );
  if (named.length > 0)
    reading.assumed.push(`Allowed to be sent to, because the loads name it: ${named.join(", ")}.`);
  return named;
}
