// The operations on aliases: a name that stands for a version, or for two of them by weight.
import { AwsError, validationError } from "../aws-error.ts";
import { audit, type World } from "../world.ts";
import { aliasNameOf, routingOf, versionNameOf } from "./alias-input.ts";
import { notFound } from "./function-table.ts";
import type { Alias, LocalFunction } from "./local-function.ts";
import { page } from "./page.ts";
import { removeProvisioned } from "./provisioned-concurrency.ts";
import { refuseTwice, refuseUnpublished } from "./provisioned-rules.ts";
import { jsonBody, type RestAnswer, type RestCall } from "./rest-call.ts";
import { checkRevision, USER } from "./update-rules.ts";
import { descriptionOf } from "./versions.ts";

export function createAlias(world: World, call: RestCall): RestAnswer {
  const fn = functionOf(world, call);
  const input = jsonBody(call.body);
  const name = aliasNameOf(input);
  const version = versionNameOf(fn, input);
  if (version === null)
    throw validationError(
      "1 validation error detected: Value null at 'functionVersion' failed to satisfy " +
        "constraint: Member must not be null",
    );
  const additional = routingOf(fn, input, version) ?? null;
  const description = descriptionOf(input) ?? "";
  if (fn.aliases.has(name))
    throw new AwsError(
      "ResourceConflictException",
      409,
      `Alias already exists: ${fn.arn}:${name}`,
      USER,
    );
  const alias = fn.setAlias({ name, version, description, additional });
  audit(world, "CreateAlias", `${fn.arn}:${name}`, input);
  return { status: 201, body: view(fn, alias) };
}

export function getAlias(world: World, call: RestCall): RestAnswer {
  const fn = functionOf(world, call);
  const name = call.labels.Name ?? "";
  const alias = fn.aliases.get(name);
  if (alias === undefined) throw notFound(`Cannot find alias arn: ${fn.arn}:${name}`);
  return { status: 200, body: view(fn, alias) };
}

/** What is not given stays as it is; an empty RoutingConfig removes the weights. */
export function updateAlias(world: World, call: RestCall): RestAnswer {
  const fn = functionOf(world, call);
  const name = call.labels.Name ?? "";
  const input = jsonBody(call.body);
  const before = fn.aliases.get(name);
  if (before === undefined) throw notFound(`Alias not found: ${fn.arn}:${name}`);
  const version = versionNameOf(fn, input) ?? before.version;
  const routing = routingOf(fn, input, version);
  const description = descriptionOf(input) ?? before.description;
  checkRevision(input, before.revisionId, "GetAlias");
  const additional = routing === undefined ? before.additional : routing;
  if (additional !== null) routingOf(fn, weightsOf(additional), version); // may not fit any more
  moveProvisioned(fn, name, version);
  const alias = fn.setAlias({ name, version, description, additional });
  audit(world, "UpdateAlias", `${fn.arn}:${name}`, input);
  return { status: 200, body: view(fn, alias) };
}

/** Its provisioned concurrency goes where the alias goes. */
function moveProvisioned(fn: LocalFunction, name: string, version: string): void {
  const held = fn.provisioned.get(name);
  const target = fn.versionOf(version);
  if (held === undefined || target === undefined || held.running.version === version) return;
  refuseUnpublished({ fn, version: target, alias: null, qualifier: name });
  refuseTwice(fn, version, fn.aliases.get(name) ?? null);
  void held.retarget(target);
}

/** By name; `?FunctionVersion=` keeps those that name it. */
export function listAliases(world: World, call: RestCall): RestAnswer {
  const fn = functionOf(world, call);
  const wanted = call.query.get("FunctionVersion");
  const all = [...fn.aliases.values()]
    .filter(
      ({ version, additional }) =>
        wanted === null || version === wanted || additional?.version === wanted,
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const { items, next } = page(all, call.query);
  return { status: 200, body: { Aliases: items.map((alias) => view(fn, alias)), ...next } };
}

/** Deleting one that is not there succeeds, as recorded on AWS. */
export function deleteAlias(world: World, call: RestCall): RestAnswer {
  const fn = functionOf(world, call);
  const name = call.labels.Name ?? "";
  removeProvisioned(fn, name);
  if (fn.aliases.delete(name)) audit(world, "DeleteAlias", `${fn.arn}:${name}`);
  return { status: 204 };
}

const functionOf = ({ functions }: World, { segment, query }: RestCall): LocalFunction =>
  functions.find(functions.parse(segment, query));

const weightsOf = ({ version, weight }: NonNullable<Alias["additional"]>) => ({
  RoutingConfig: { AdditionalVersionWeights: { [version]: weight } },
});

function view(fn: LocalFunction, alias: Alias): object {
  const { name, version, description, revisionId, additional } = alias;
  return {
    AliasArn: `${fn.arn}:${name}`,
    Name: name,
    FunctionVersion: version,
    Description: description,
    RevisionId: revisionId,
    ...(additional === null ? {} : weightsOf(additional)),
  };
}
