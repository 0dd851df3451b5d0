// Fault: a function's reserved concurrency is set to a number; 0 refuses every invocation.
import type { Change, Fault, Fields, Looks, Probe, ProbeAnswer } from "../core/change.ts";
import { parseArn } from "../core/command.ts";
import { GatecrashError } from "../core/error.ts";

const FIELD = "ReservedConcurrentExecutions";
const REFUSED = "ReservedFunctionConcurrentInvocationLimitExceeded";

type Input = { readonly FunctionName: string };

export interface ReservedConcurrencySpec {
  /** Name of the fault's window. */
  readonly name: string;
  /** Unqualified function ARN: the reservation holds for all versions and aliases. */
  readonly function: string;
  /** New reservation; 0 refuses everything. */
  readonly to: number;
}

/**
 * Unset is a value of its own: it is put back by a delete, any number (0 too) by a put.
 * A function that already has the fault's value is never written to.
 * Throws GatecrashError("scenario") for a text that is no unqualified function ARN.
 */
export function reservedConcurrency(spec: ReservedConcurrencySpec): Fault {
  const name = functionName(spec.function);
  const input = { FunctionName: name };
  const readBack = { action: "GetFunctionConcurrency", input, fields: [FIELD] };
  const put = (to: number): Change => ({
    service: "lambda",
    action: "PutFunctionConcurrency",
    input: { ...input, [FIELD]: to },
    readBack,
  });
  const remove: Change = {
    service: "lambda",
    action: "DeleteFunctionConcurrency",
    input,
    readBack,
  };
  return {
    kind: "reserved-concurrency",
    name: spec.name,
    resources: [spec.function],
    read: { service: "lambda", ...readBack },
    faulted: { [FIELD]: spec.to },
    inject: (prior) => (prior[FIELD] === spec.to ? [] : [put(spec.to)]),
    undo: (prior) => undo(prior, spec.to, put, remove),
    probe: spec.to === 0 ? invocationProbe(name) : valueProbe(input, spec.to),
    looks: noneProvisioned(spec, input),
  };
}

function undo(prior: Fields, to: number, put: (to: number) => Change, remove: Change): Change[] {
  const before = prior[FIELD];
  if (before === undefined) return [remove];
  return before === to ? [] : [put(Number(before))];
}

/** AWS refuses a reservation below what is provisioned: said before there is a load. */
function noneProvisioned(
  { name, function: arn, to }: ReservedConcurrencySpec,
  input: Input,
): Looks {
  return {
    calls: [{ service: "lambda", action: "ListProvisionedConcurrencyConfigs", input }],
    check([answer]) {
      const configs = (answer?.ProvisionedConcurrencyConfigs ?? []) as readonly Provisioned[];
      const count = configs.reduce(
        (sum, one) => sum + one.RequestedProvisionedConcurrentExecutions,
        0,
      );
      if (count <= to) return;
      const holders = configs.map(({ FunctionArn }) => FunctionArn.split(":").at(-1)).join(", ");
      const text = `fault ${name}: ${arn} has ${count} provisioned (${holders}), more than ${to}`;
      throw new GatecrashError("refused", text, {
        hint: "AWS refuses a reservation below what is provisioned; fault another function",
      });
    },
  };
}

interface Provisioned {
  /** With the alias or version that has it. */
  readonly FunctionArn: string;
  readonly RequestedProvisionedConcurrentExecutions: number;
}

/** No time is published for the new value to take effect, so an invocation has to be refused. */
function invocationProbe(name: string): Probe {
  return {
    service: "lambda",
    action: "Invoke",
    input: { FunctionName: name, Payload: '{"gatecrash":"probe"}' },
    inForce: (answer: ProbeAnswer) => answer.reason === REFUSED,
  };
}

/** A cap above 0 refuses only under load: the value itself is all that can be seen without any. */
function valueProbe(input: Input, to: number): Probe {
  return {
    service: "lambda",
    action: "GetFunctionConcurrency",
    input,
    inForce: (answer: ProbeAnswer) => answer.error === "" && answer.output[FIELD] === to,
  };
}

function functionName(arn: string): string {
  const match = /^function:([^:]+)$/.exec(parseArn(arn)?.resource ?? "");
  if (match?.[1] !== undefined) return match[1];
  throw new GatecrashError("scenario", `reserved-concurrency: ${arn} is no function ARN`, {
    hint: "give the function's own ARN, without version or alias: the reservation holds for all",
  });
}
