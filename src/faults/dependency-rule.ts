// A rule for whatever stands in front of a dependency: one parameter, absent = all goes through.
import type { Change, Fault, Json, Probe } from "../core/change.ts";
import { parseArn } from "../core/command.ts";
import { GatecrashError } from "../core/error.ts";
import type { FaultSpec } from "../core/scenario.ts";
import { US_PER_MS, US_PER_S } from "../core/time.ts";

/** The only parameters that a rule may be put into: what others hold would end up in a log. */
const RULES = "/gatecrash/dependency/";
const FIELD = "Parameters.0.Value";
/** A rule outlasts its fault by so much, so that it is undone and not merely over. */
const SPARE_US = 120 * US_PER_S;

export interface RuleAct {
  readonly act: "delay" | "error" | "reset" | "drop" | "hang";
  readonly [member: string]: string | number | boolean;
}

/**
 * What stands in front reads the rule from `/gatecrash/dependency/<name>` and says under
 * `<name>/state` which one it goes by. Throws GatecrashError("scenario") for another parameter.
 */
export function ruleFault(spec: FaultSpec, seed: number, act: RuleAct): Fault {
  const arn = String(spec.input.dependency);
  const name = parameterName(spec, arn);
  const text = ruleText(spec, seed, act);
  const names = { Names: [name] };
  const readBack = { action: "GetParameters", input: names, fields: [FIELD] };
  const change = (action: string, input: Change["input"]): Change => ({
    service: "ssm",
    action,
    input,
    readBack,
  });
  const put = { Name: name, Value: text, Type: "String", Overwrite: true };
  const isOurs = (prior: Json | undefined): boolean => {
    if (prior !== undefined && prior !== text) throw taken(spec, arn);
    return prior === text;
  };
  return {
    kind: spec.kind,
    name: spec.name,
    resources: [arn],
    read: { service: "ssm", ...readBack },
    faulted: { [FIELD]: text },
    inject: (prior) => (isOurs(prior[FIELD]) ? [] : [change("PutParameter", put)]),
    undo: (prior) => (isOurs(prior[FIELD]) ? [] : [change("DeleteParameters", names)]),
    probe: { ...stateProbe(name, text), resources: [`${arn}/state`] },
  };
}

function ruleText({ input, startUs, endUs }: FaultSpec, seed: number, act: RuleAct): string {
  const only = input.only === undefined ? [] : String(input.only).split(",");
  return JSON.stringify({
    v: 1,
    for_s: Math.ceil((endUs - startUs + SPARE_US) / US_PER_S),
    share: Number(input.share ?? 1),
    seed,
    ...act,
    ...(only.length === 0 ? {} : { only: only.map((each) => each.trim()) }),
  });
}

/** Not the parameter, which only says what is wanted: what its reader says that it goes by. */
function stateProbe(name: string, text: string): Probe {
  return {
    service: "ssm",
    action: "GetParameters",
    input: { Names: [`${name}/state`] },
    inForce: ({ output }) => {
      const [state] = (output.Parameters ?? []) as { readonly Value?: string }[];
      return ruleIn(state?.Value ?? "") === text;
    },
  };
}

function ruleIn(state: string): unknown {
  try {
    return (JSON.parse(state) as { readonly rule?: unknown }).rule;
  } catch {
    return null;
  }
}

export const milliseconds = (us: string | number | boolean): number => Number(us) / US_PER_MS;

function parameterName({ kind, name }: FaultSpec, arn: string): string {
  const { service, resource } = parseArn(arn) ?? {};
  const path = /^parameter(\/.+)$/.exec(resource ?? "")?.[1] ?? "";
  if (service === "ssm" && path.startsWith(RULES) && !path.endsWith("/state")) return path;
  const example = `arn:aws:ssm:REGION:ACCOUNT:parameter${RULES}orders`;
  throw new GatecrashError("scenario", `fault ${name}: ${kind}: ${arn} holds no rule`, {
    hint: `give the ARN of a parameter ${RULES}<name>, as ${example}`,
  });
}

/** A rule's time would begin anew if it were put back, so somebody else's is left alone. */
function taken({ name }: FaultSpec, arn: string): GatecrashError {
  const text = `fault ${name}: ${arn} holds another rule already`;
  return new GatecrashError("refused", text, {
    hint: "nothing was changed: see who has put it there, and delete it if nobody needs it",
  });
}
