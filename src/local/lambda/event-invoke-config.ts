// The operations on a function's event invoke configuration: PUT replaces, POST merges.

import { invalidParameter, validationError } from "../aws-error.ts";
import type { AsyncSpec } from "../template/types.ts";
import { said } from "../wire/said.ts";
import { audit, type World } from "../world.ts";
import { qualified } from "./function-name.ts";
import { notFound, targetOf } from "./function-table.ts";
import type { InvokeConfig } from "./invoke-configs.ts";
import { page } from "./page.ts";
import { jsonBody, type RestAnswer, type RestCall } from "./rest-call.ts";

const NOTHING: AsyncSpec = { retriesMax: null, ageMaxS: null, onSuccess: null, onFailure: null };

export function putEventInvokeConfig(world: World, call: RestCall): RestAnswer {
  return set(world, call, "PutFunctionEventInvokeConfig", () => NOTHING);
}

export function updateEventInvokeConfig(world: World, call: RestCall): RestAnswer {
  return set(world, call, "UpdateFunctionEventInvokeConfig", (target) => existing(world, target));
}

export function getEventInvokeConfig(world: World, call: RestCall): RestAnswer {
  const target = configured(world, call);
  return { status: 200, body: describe(world, target, existing(world, target)) };
}

export function deleteEventInvokeConfig(world: World, call: RestCall): RestAnswer {
  const target = configured(world, call);
  existing(world, target);
  world.invokeConfigs.delete(target);
  audit(world, "DeleteFunctionEventInvokeConfig", world.functions.arn(target));
  return { status: 204 };
}

export function listEventInvokeConfigs(world: World, call: RestCall): RestAnswer {
  const { name } = world.functions.resolve(call).fn;
  const all = world.invokeConfigs
    .ofFunction(name)
    .map(([target, config]) => describe(world, target, config));
  const { items, next } = page(all, call.query);
  return { status: 200, body: { FunctionEventInvokeConfigs: items, ...next } };
}

type Members = { readonly [member: string]: unknown };

function set(
  world: World,
  call: RestCall,
  action: string,
  from: (target: string) => AsyncSpec,
): RestAnswer {
  const target = configured(world, call);
  const input = jsonBody(call.body);
  const members = ["MaximumRetryAttempts", "MaximumEventAgeInSeconds", "DestinationConfig"];
  if (!members.some((member) => (input[member] ?? null) !== null))
    throw invalidParameter(
      "You must specify at least one of error handling or destination setting.",
      { extra: { Type: "User" } },
    );
  const before = from(target);
  const destinations = (input.DestinationConfig ?? {}) as Members;
  const config: InvokeConfig = {
    retriesMax: whole(input, "MaximumRetryAttempts", [0, 2]) ?? before.retriesMax,
    ageMaxS: whole(input, "MaximumEventAgeInSeconds", [60, 21_600]) ?? before.ageMaxS,
    onSuccess: queueArn(world, destinations.OnSuccess, before.onSuccess),
    onFailure: queueArn(world, destinations.OnFailure, before.onFailure),
    modifiedEpochMs: world.clock.wallMs(),
  };
  world.invokeConfigs.set(target, config);
  audit(world, action, world.functions.arn(target), input);
  return { status: 200, body: describe(world, target, config) };
}

/** `name:qualifier`: each alias and version has a configuration of its own. */
function configured(world: World, call: RestCall): string {
  return qualified(targetOf(world.functions.resolve(call)));
}

function existing(world: World, target: string): InvokeConfig {
  const found = world.invokeConfigs.get(target);
  if (found !== undefined) return found;
  const arn = world.functions.arn(target);
  throw notFound(`The function ${arn} doesn't have an EventInvokeConfig`);
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

function describe(world: World, target: string, config: InvokeConfig): object {
  const { retriesMax, ageMaxS, onSuccess, onFailure, modifiedEpochMs } = config;
  const destination = (arn: string | null): object => (arn === null ? {} : { Destination: arn });
  return {
    LastModified: modifiedEpochMs / 1_000,
    FunctionArn: world.functions.arn(target),
    ...(retriesMax === null ? {} : { MaximumRetryAttempts: retriesMax }),
    ...(ageMaxS === null ? {} : { MaximumEventAgeInSeconds: ageMaxS }),
    DestinationConfig: { OnSuccess: destination(onSuccess), OnFailure: destination(onFailure) },
  };
}
