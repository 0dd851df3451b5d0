// The operations on event source mappings; what is asked for is in force only after a while.
import { randomUUID } from "node:crypto";
import { AwsError, invalidParameter, validationError } from "../aws-error.ts";
import { parseFunctionRef } from "../lambda/function-name.ts";
import { targetOf } from "../lambda/function-table.ts";
import { jsonBody, type RestAnswer, type RestCall } from "../lambda/rest-call.ts";
import { audit, type World } from "../world.ts";
import type { Mapping } from "./mapping-table.ts";

const LIST_MAX = 100;

export function createEventSourceMapping(world: World, call: RestCall): RestAnswer {
  const input = jsonBody(call.body);
  const arn = required(input, "EventSourceArn");
  const name = functionNameOf(world, required(input, "FunctionName"));
  const factory = world.mappings.kinds.get(arn.split(":")[2] ?? "");
  if (factory === undefined)
    throw invalidParameter(`Unrecognized event source. The ARN ${arn} is not modelled here.`);
  const same = world.mappings
    .all()
    .find(({ source }) => source.sourceArn === arn && source.functionName === name);
  if (same !== undefined)
    throw new AwsError(
      "ResourceConflictException",
      409,
      `The event source arn (" ${arn} ") and function (" ${name} ") provided mapping already ` +
        "exists. Please update or delete the existing mapping with UUID " +
        same.source.uuid,
      USER,
    );
  const source = factory(randomUUID(), input, name);
  const mapping = world.mappings.create(source, input.Enabled !== false);
  audit(world, "CreateEventSourceMapping", arnOf(world, mapping), input);
  return { status: 202, body: describe(world, mapping) };
}

export function getEventSourceMapping(world: World, call: RestCall): RestAnswer {
  return { status: 200, body: describe(world, mappingOf(world, call)) };
}

export function listEventSourceMappings(world: World, { query }: RestCall): RestAnswer {
  const [arn, name] = [query.get("EventSourceArn"), query.get("FunctionName")];
  const wanted = name === null ? null : functionNameOf(world, name);
  const found = world.mappings
    .all()
    .filter(({ source }) => arn === null || source.sourceArn === arn)
    .filter(({ source }) => wanted === null || source.functionName === wanted);
  const asked = Number(query.get("MaxItems") ?? LIST_MAX) || LIST_MAX;
  const size = Math.min(LIST_MAX, Math.max(1, Math.floor(asked)));
  const start = Number(query.get("Marker") ?? 0) || 0;
  const next = start + size;
  return {
    status: 200,
    body: {
      EventSourceMappings: found.slice(start, next).map((mapping) => describe(world, mapping)),
      ...(next < found.length ? { NextMarker: String(next) } : {}),
    },
  };
}

export function updateEventSourceMapping(world: World, call: RestCall): RestAnswer {
  const mapping = mappingOf(world, call);
  const input = jsonBody(call.body);
  refuseInTransition(mapping);
  const { source } = mapping;
  if (typeof input.FunctionName === "string") {
    const name = functionNameOf(world, input.FunctionName);
    if (name !== source.functionName)
      throw invalidParameter("Local AWS does not move a mapping to another function");
  }
  const apply = source.update(input);
  const enabled = typeof input.Enabled === "boolean" ? input.Enabled : null;
  world.mappings.update(mapping, apply, enabled);
  audit(world, "UpdateEventSourceMapping", arnOf(world, mapping), input);
  return { status: 202, body: describe(world, mapping) };
}

export function deleteEventSourceMapping(world: World, call: RestCall): RestAnswer {
  const mapping = mappingOf(world, call);
  refuseInTransition(mapping);
  world.mappings.delete(mapping);
  audit(world, "DeleteEventSourceMapping", arnOf(world, mapping));
  return { status: 202, body: describe(world, mapping) };
}

const USER = { extra: { Type: "User" } };

function refuseInTransition({ state }: Mapping): void {
  if (state === "Enabled" || state === "Disabled") return;
  throw new AwsError(
    "ResourceInUseException",
    400,
    "Cannot update the event source mapping because it is in use.",
    USER,
  );
}

function mappingOf(world: World, { segment }: RestCall): Mapping {
  const found = world.mappings.get(segment);
  if (found !== undefined) return found;
  throw new AwsError(
    "ResourceNotFoundException",
    404,
    "The resource you requested does not exist.",
    { ...USER, messageKey: "Message" },
  );
}

function required(input: { readonly [member: string]: unknown }, member: string): string {
  const value = input[member];
  if (typeof value === "string" && value !== "") return value;
  const name = `${member.charAt(0).toLowerCase()}${member.slice(1)}`;
  throw validationError(
    `1 validation error detected: Value null at '${name}' failed to satisfy constraint: Member ` +
      "must not be null",
  );
}

/** The name, with its alias or version where one is given; `$LATEST` is the same as none. */
function functionNameOf(world: World, text: string): string {
  const ref = parseFunctionRef(text);
  const qualifier = ref?.qualifier === "$LATEST" ? null : (ref?.qualifier ?? null);
  const name = qualifier === null ? ref?.name : `${ref?.name}:${qualifier}`;
  const found = world.functions.target(name ?? "");
  if (found !== null) return targetOf(found);
  throw invalidParameter("Function does not exist", USER);
}

const arnOf = (world: World, { source }: Mapping): string =>
  `arn:aws:lambda:${world.region}:${world.account}:event-source-mapping:${source.uuid}`;

function describe(world: World, mapping: Mapping): object {
  const { source, state, modifiedEpochMs } = mapping;
  return {
    UUID: source.uuid,
    EventSourceMappingArn: arnOf(world, mapping),
    EventSourceArn: source.sourceArn,
    FunctionArn: world.functions.arn(source.functionName),
    LastModified: modifiedEpochMs / 1_000,
    State: state,
    StateTransitionReason: source.transitionReason,
    ...source.describe(),
  };
}
