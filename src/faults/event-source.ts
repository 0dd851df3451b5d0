// Fault: an event source mapping is switched off, or reads in other batches, or less at once.
import type { Change, Fault, Fields, Json } from "../core/change.ts";
import { parseArn } from "../core/command.ts";
import { GatecrashError } from "../core/error.ts";
import { captureFields } from "../core/fields.ts";
import type { FaultSpec } from "../core/scenario.ts";

type Input = Change["input"];

/** What of a mapping is changed: the field that shows it, and the members that set it. */
interface Setting {
  readonly field: string;
  readonly to: Json;
  /** `undefined` = unset. */
  set(value: Json | undefined): Input;
}

/** Lambda's least. */
const CONCURRENCY_MIN = 2;
const BUSY = ["Creating", "Enabling", "Disabling", "Updating", "Deleting"];

/**
 * A mapping is never deleted: its position in the stream would be lost. One that is already off is
 * left off. Throws GatecrashError("scenario") for a text that is no mapping's ARN.
 */
export function eventSource({ kind, name, input }: FaultSpec): Fault {
  const arn = String(input.mapping);
  const mapping = { UUID: uuidOf(name, arn) };
  const { field, to, set } = settingOf(input);
  const readBack = {
    action: "GetEventSourceMapping",
    input: mapping,
    fields: [field],
    unsettled: { State: BUSY },
  };
  const update = (value: Json | undefined): Change[] => [
    {
      service: "lambda",
      action: "UpdateEventSourceMapping",
      input: { ...mapping, ...set(value) },
      readBack,
    },
  ];
  const isOurs = (prior: Fields): boolean => prior[field] === to;
  return {
    kind,
    name,
    resources: [arn],
    read: { service: "lambda", ...readBack },
    faulted: { [field]: to },
    inject: (prior) => (isOurs(prior) ? [] : update(to)),
    undo: (prior) => (isOurs(prior) ? [] : update(prior[field])),
    probe: {
      service: "lambda",
      action: "GetEventSourceMapping",
      input: mapping,
      inForce: ({ output }) =>
        captureFields(output, [field])[field] === to && !BUSY.includes(String(output.State)),
    },
    // Any update makes the mapping stop and start reading, so its undo is not tried beforehand.
    unproven: true,
  };
}

function settingOf(input: FaultSpec["input"]): Setting {
  const { "batch-size": batchSize, "maximum-concurrency": concurrency } = input;
  if (batchSize !== undefined) {
    const set = (value: Json | undefined): Input => ({ BatchSize: value ?? null });
    return { field: "BatchSize", to: Number(batchSize), set };
  }
  if (concurrency === undefined) {
    const set = (state: Json | undefined): Input => ({ Enabled: state === "Enabled" });
    return { field: "State", to: "Disabled", set };
  }
  return {
    field: "ScalingConfig.MaximumConcurrency",
    to: Math.max(CONCURRENCY_MIN, Number(concurrency)),
    // Null would be ignored: an empty object is what takes the limit away.
    set: (value) => ({ ScalingConfig: value === undefined ? {} : { MaximumConcurrency: value } }),
  };
}

function uuidOf(fault: string, arn: string): string {
  const { service, resource = "" } = parseArn(arn) ?? {};
  const uuid = /^event-source-mapping:([^:]+)$/.exec(resource)?.[1];
  if (service === "lambda" && uuid !== undefined) return uuid;
  throw new GatecrashError("scenario", `fault ${fault}: ${arn} is no event source mapping's ARN`, {
    hint: "give it as arn:aws:lambda:REGION:ACCOUNT:event-source-mapping:UUID",
  });
}
