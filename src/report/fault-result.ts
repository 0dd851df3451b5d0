// What became of each fault, in words for a person and as the line that scripts look for.
import type { Fields, Json } from "../core/change.ts";
import type { ColdWave } from "./cold-wave.ts";
import type { FaultResult } from "./result.ts";
import { functionName } from "./selection.ts";
import type { FaultStory } from "./story.ts";

/** AWS's field names as people say them. */
const FIELDS: { readonly [field: string]: string } = {
  ReservedConcurrentExecutions: "reserved",
  BatchSize: "batch size",
  "ScalingConfig.MaximumConcurrency": "maximum concurrency",
  State: "state",
  Timeout: "timeout",
  Description: "description",
  FunctionVersion: "version",
  "Attributes.VisibilityTimeout": "visibility timeout",
  "Parameters.0.Value": "rule",
  "Rule.Schedule.Expression": "muted",
};

const LONG: { readonly [field: string]: string } = {
  ReservedConcurrentExecutions: "reserved concurrency",
};

export function faultResult(story: FaultStory, coldWave: ColdWave | null): FaultResult {
  const undone = story.injected && story.verified;
  return {
    name: story.name,
    kind: story.plan.kind,
    resources: story.plan.resources,
    askedUs: story.askedUs,
    onsetUs: story.onsetUs,
    restoreAskedUs: story.restoreAskedUs,
    clearedUs: story.clearedUs,
    injected: story.injected,
    undone,
    verified: story.verified,
    change: changeText(story),
    residue: story.plan.residue ?? null,
    coldWave,
    notUndone: story.injected && !story.verified ? notUndone(story) : null,
  };
}

/** `reserved unset → 0`, and `→ unset` once that was read back. */
function changeText(story: FaultStory): string {
  return story.change
    .split(", ")
    .map((part) => {
      const [field = "", ...rest] = part.split(" ");
      const back = story.verified && story.after !== null ? ` → ${shown(story.after, field)}` : "";
      const change = rest.join(" ").replace(/^ →/, '"" →');
      return `${FIELDS[field] ?? field} ${change}${back}`.trim();
    })
    .join(", ");
}

function shown(fields: Fields, field: string): string {
  const value: Json | undefined = fields[field];
  if (value === undefined) return "unset";
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}

function notUndone(story: FaultStory): { state: string; command: string } {
  const name = resourceName(story.plan.resources[0] ?? story.name);
  const command = story.command ?? "gatecrash heal";
  if (story.trouble !== null) return { state: `${name} drifted: ${story.trouble}`, command };
  const parts = story.change.split(", ").map((part) => {
    const match = /^(\S+) (.+) → (.+)$/.exec(part);
    if (match === null) return part;
    const [, field = "", was = "", is = ""] = match;
    return `${LONG[field] ?? FIELDS[field] ?? field} is ${is}, was ${was}`;
  });
  return { state: `${name} ${parts.join("; ")}`, command };
}

const VALUE_MAX = 40;

/** For one line: values that are documents are cut. */
export function briefChange({ change }: FaultResult): string {
  const brief = (value: string): string =>
    value.length <= VALUE_MAX ? value : `${value.slice(0, VALUE_MAX - 1)}…`;
  return change.split(" → ").map(brief).join(" → ");
}

/** The last part of an ARN that a person would call the thing by. */
export function resourceName(arn: string): string {
  return arn.includes(":function:") ? functionName(arn) : (arn.split(":").at(-1) ?? arn);
}
