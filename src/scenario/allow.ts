// The declared blast radius: nothing outside `allow` is ever sent to or changed.
import { GatecrashError } from "../core/error.ts";
import type { Scenario } from "../core/scenario.ts";
import { destinationOf } from "./assumed.ts";
import { resourcesOf } from "./fault-shapes.ts";

const QUEUE = /^arn:aws[a-z-]*:sqs:[a-z0-9-]+:\d{12}:[\w-]{1,80}$/;
const ARN_HINT = "give the ARN of a standard queue, as an output: !GetAtt Failed.Arn";

/** One GatecrashError("refused") for each load, sink and fault that is outside, once resolved. */
export function checkAllowed(scenario: Scenario): GatecrashError[] {
  const { allow, file } = scenario;
  const refuse = (message: string, hint: string, line: number | undefined): GatecrashError => {
    const place = { file, ...(line === undefined ? {} : { line }) };
    return new GatecrashError("refused", message, { hint, place });
  };
  const loads = scenario.loads.flatMap((load) => {
    const destination = destinationOf(load);
    if (allow.hosts.some((allowed) => covers(allowed, destination))) return [];
    const host = hostOf(destination) ?? destination;
    const message = `load \`${load.name}\` would be sent to ${host}, which is not in allow.hosts`;
    return [refuse(message, `allow.hosts is: ${allow.hosts.join(", ") || "empty"}`, load.line)];
  });
  const sinks = scenario.sinks.flatMap(({ name, kind, input, line }) => {
    const url = String(input.url);
    if (kind !== "http" || allow.hosts.some((allowed) => covers(allowed, url))) return [];
    const what = `sink \`${name}\` would be read from ${hostOf(url) ?? url}`;
    const hint = `allow.hosts is: ${allow.hosts.join(", ") || "empty"}`;
    return [refuse(`${what}, which is not in allow.hosts`, hint, line)];
  });
  const faults = scenario.faults.flatMap((fault) =>
    resourcesOf(fault).flatMap(([resource]) => {
      if (allow.change.includes(resource)) return [];
      const what = `fault \`${fault.name}\` would change ${resource}`;
      const hint = `allow.change is: ${allow.change.join(", ") || "empty"}`;
      return [refuse(`${what}, which is not in allow.change`, hint, fault.line)];
    }),
  );
  const cleanUps = scenario.loads.flatMap(({ name, cleanUp, line }) => {
    if (cleanUp === undefined) return [];
    const { queue } = cleanUp;
    const what = `load \`${name}\` would delete messages from ${queue}, which is`;
    if (!QUEUE.test(queue)) return [refuse(`${what} no queue's ARN`, ARN_HINT, line)];
    if (allow.change.includes(queue)) return [];
    const hint = `allow.change is: ${allow.change.join(", ") || "empty"}`;
    return [refuse(`${what} not in allow.change`, hint, line)];
  });
  return [...loads, ...sinks, ...faults, ...cleanUps];
}

/** An entry without port covers every port of its host; ARNs and names are compared as they are. */
export function covers(allowed: string, destination: string): boolean {
  const host = hostOf(destination);
  if (host === null) return allowed === destination;
  const entry = hostOf(allowed) ?? allowed.toLowerCase();
  return entry === host || entry === withoutPort(host);
}

/** `host` or `host:port` of a URL; null for anything else. Default ports are left out. */
function hostOf(text: string): string | null {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !URL.canParse(text)) return null;
  return new URL(text).host;
}

const withoutPort = (host: string): string => host.replace(/:\d+$/, "");
