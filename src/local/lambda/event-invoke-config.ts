// The operations on a function's event invoke configuration: PUT replaces, POST merges.

import { AwsError, invalidParameter, validationError } from "../aws-error.ts";
import type { AsyncSpec } from "../template/types.ts";
import { said } from "../wire/said.ts";
import { audit, type World } from "../world.ts";
import type { LocalFunction } from "./function-table.ts";
import type { InvokeConfig } from "./invoke-configs.ts";
import { LATEST } from "./pipeline-deps.ts";
import { jsonBody, type RestAnswer, type RestCall } from "./rest-call.ts";

const NOTHING: AsyncSpec = { retriesMax: null, ageMaxS: null, onSuccess: null, onFailure: null };

export function putEventInvokeConfig(world: World, call: RestCall): RestAnswer {
  return set(world, call, "PutFunctionEventInvokeConfig", () => NOTHING);
}

export function updateEventInvokeConfig(world: World, call: RestCall): RestAnswer {
  return set(world, call, "UpdateFunctionEventInvokeConfig", (fn) => existing(world, fn));
}

export function getEventInvokeConfig(world: World, call: RestCall): RestAnswer {
  const fn = functionOf(world, call);
  return { status: 200, body: describe(fn, existing(world, fn)) };
}

export function deleteEventInvokeConfig(world: World, call: RestCall): RestAnswer {
  const fn = functionOf(world, call);
  existing(world, fn);
  world.invokeConfigs.delete(fn.spec.name);
  audit(world, "DeleteFunctionEventInvokeConfig", fn.spec.arn);
  return { status: 204 };
}

export function listEventInvokeConfigs(world: World, call: RestCall): RestAnswer {
  const fn = functionOf(world, call);
  const config = world.invokeConfigs.get(fn.spec.name);
  const all = config === undefined ? [] : [describe(fn, config)];
  return { status: 200, body: { FunctionEventInvokeConfigs: all } };
}

type Members = { readonly [member: string]: unknown };

function set(
  world: World,
  call: RestCall,
  action: string,
  from: (fn: LocalFunction) => AsyncSpec,
): RestAnswer {
  const fn = functionOf(world, call);
  const input = jsonBody(call.body);
  const members = ["MaximumRetryAttempts", "MaximumEventAgeInSeconds", "DestinationConfig"];
  if (!members.some((member) => (input[member] ?? null) !== null))
    throw invalidParameter(
      "You must specify at least one of error handling or destination setting.",
      { extra: { Type: "User" } },
    );
  const before = from(fn);
  const destinations = (input.DestinationConfig ?? {}) as Members;
  const config: InvokeConfig = {
    retriesMax: whole(input, "MaximumRetryAttempts", [0, 2]) ?? before.retriesMax,
    ageMaxS: whole(input, "MaximumEventAgeInSeconds", [60, 21_600]) ?? before.ageMaxS,
    onSuccess: queueArn(world, destinations.OnSuccess, before.onSuccess),
    onFailure: queueArn(world, destinations.OnFailure, before.onFailure),
    modifiedEpochMs: world.clock.wallMs(),
  };
  world.invokeConfigs.set(fn.spec.name, config);
  audit(world, action, fn.spec.arn, input);
  return { status: 200, body: describe(fn, config) };
}

function functionOf(world: World, call: RestCall): LocalFunction {
  return world.functions.find(world.functions.parse(call.segment, call.query));
}

function existing(world: World, { spec }: LocalFunction): InvokeConfig {
  const found = world.invokeConfigs.get(spec.name);
  if (found !== undefined) return found;
  throw new AwsError(
    "ResourceNotFoundException",
    404,
    `The function ${spec.arn}:${LATEST} doesn't have an EventInvokeConfig`,
    { messageKey: "Message", extra: { Type: "User" } },
  );
}

/** An empty destination removes the one there was. */
function queueArn(world: World, given: unknown, before: string | null): string | null {
  if (typeof given !== "object" || given === null) return before;
  const arn = (given as Members).Destination ?? null;
  if (arn === null || arn === "") return null;
  if (typeof arn === "string" && world.queues.byArn(arn) !== undefined) return arn;
  throw invalidParameter(`The destination ARN ${said(arn)} is invalid.`, {
    extra: { Type: "User" },
  });
}

function whole(input: Members, member: string, [low, high]: readonly [number, number]) {
  const value = input[member] ?? null;
  if (value === null) return null;
  if (typeof value === "number" && Number.isInteger(value) && value >= low && value <= high)
    return value;
  const name = `${member.charAt(0).toLowerCase()}${member.slice(1)}`;
  throw validationError(
    `1 validation error detected: Value '${said(value)}' at '${name}' failed to satisfy ` +
      `constraint: Member must have value between ${low} and ${high}`,
  );
}

function describe({ spec }: LocalFunction, config: InvokeConfig): object {
  const { retriesMax, ageMaxS, onSuccess, onFailure, modifiedEpochMs } = config;
  const destination = (arn: string | null): object => (arn === null ? {} : { Destination: arn });
  return {
    LastModified: modifiedEpochMs / 1_000,
    FunctionArn: `${spec.arn}:${LATEST}`,
    ...(retriesMax === null ? {} : { MaximumRetryAttempts: retriesMax }),
    ...(ageMaxS === null ? {} : { MaximumEventAgeInSeconds: ageMaxS }),
    DestinationConfig: { OnSuccess: destination(onSuccess), OnFailure: destination(onFailure) },
  };
}
