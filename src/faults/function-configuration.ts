// One field of a function's configuration is changed, where traffic really meets it.
import type { Change, Fault, Json, Looks } from "../core/change.ts";
import { parseArn } from "../core/command.ts";
import { GatecrashError } from "../core/error.ts";
import { aliasVersion } from "./alias-version.ts";

export interface ConfigurationSpec {
  readonly kind: string;
  /** Name of the fault's window. */
  readonly name: string;
  /** ARN of a function, of its `$LATEST`, or of one of its aliases. */
  readonly function: string;
  /** Never the map of variables: it may hold secrets, and would be in a log and a schedule. */
  readonly field: "Timeout" | "Description";
  readonly to: number | string;
}

const LATEST = "$LATEST";
const COLD =
  "its execution environments were replaced once more by the undo: cold starts after it are the " +
  "undo's own";

/**
 * An alias does not follow `$LATEST`: for one, a version with the changed field is published and
 * the alias moved there and back. Throws GatecrashError("scenario") for what cannot be changed.
 */
export function functionConfiguration(spec: ConfigurationSpec): Fault {
  const { arn, qualifier } = partsOf(spec);
  const latest = latestFault(spec, arn);
  if (qualifier === LATEST) return latest;
  if (qualifier !== null) return aliasVersion({ ...spec, function: arn, alias: qualifier }, latest);
  return { ...latest, looks: noAlias(spec, arn) };
}

function latestFault({ kind, name, field, to }: ConfigurationSpec, arn: string): Fault {
  const input = { FunctionName: nameOf(arn) };
  const readBack = {
    action: "GetFunctionConfiguration",
    input,
    fields: [field],
    unsettled: { LastUpdateStatus: ["InProgress"], State: ["Pending"] },
  };
  const update = (value: Json): Change => ({
    service: "lambda",
    action: "UpdateFunctionConfiguration",
    input: { ...input, [field]: value },
    readBack,
  });
  return {
    kind,
    name,
    resources: [arn],
    read: { service: "lambda", ...readBack },
    faulted: { [field]: to },
    inject: (prior) => (prior[field] === to ? [] : [update(to)]),
    // A description that was never set is an empty one.
    undo: (prior) => (prior[field] === to ? [] : [update(prior[field] ?? "")]),
    probe: {
      service: "lambda",
      action: "GetFunctionConfiguration",
      input,
      inForce: ({ output }) => output[field] === to && output.LastUpdateStatus === "Successful",
    },
    // The same value again makes new execution environments, too.
    unproven: true,
    residue: COLD,
    coldWave: arn,
  };
}

/** Traffic that goes to an alias would never notice that `$LATEST` has changed. */
function noAlias({ name }: ConfigurationSpec, arn: string): Looks {
  return {
    calls: [{ service: "lambda", action: "ListAliases", input: { FunctionName: nameOf(arn) } }],
    check([answer]) {
      const aliases = (answer?.Aliases ?? []) as { readonly Name?: string }[];
      if (aliases.length === 0) return;
      const names = aliases.map((alias) => alias.Name).join(", ");
      const text = `fault ${name}: ${nameOf(arn)} has aliases (${names}): which is invoked?`;
      throw new GatecrashError("refused", text, {
        hint: `give ${arn}:${aliases[0]?.Name}, or ${arn}:${LATEST} if traffic names no alias`,
      });
    },
  };
}

const nameOf = (arn: string): string => arn.split(":").at(-1) ?? "";

function partsOf({ kind, name, function: text }: ConfigurationSpec): {
  readonly arn: string;
  readonly qualifier: string | null;
} {
  const { service, resource = "" } = parseArn(text) ?? {};
  const [whole, qualifier = null] = /^function:[^:]+(?::([^:]+))?$/.exec(resource) ?? [];
  if (service !== "lambda" || whole === undefined || /^\d+$/.test(qualifier ?? "")) {
    throw new GatecrashError("scenario", `fault ${name}: ${kind}: ${text} cannot be changed`, {
      hint: "give the ARN of a function, or of the alias that is invoked; versions never change",
    });
  }
  const arn = qualifier === null ? text : text.slice(0, -qualifier.length - 1);
  return { arn, qualifier };
}
