// The operations on provisioned concurrency of aliases and versions.
import { AwsError, invalidParameter, validationError } from "../aws-error.ts";
import { said } from "../wire/said.ts";
import { audit, type World } from "../world.ts";
import type { Resolved } from "./function-table.ts";
import { LATEST } from "./function-version.ts";
import type { LocalFunction } from "./local-function.ts";
import { page } from "./page.ts";
import { ProvisionedConfig } from "./provisioned-config.ts";
import { refuseTwice, refuseUnpublished, roomProblem } from "./provisioned-rules.ts";
import { jsonBody, type RestAnswer, type RestCall } from "./rest-call.ts";
import { USER } from "./update-rules.ts";

/** Answers at once, IN_PROGRESS; a second call before that is over replaces the first. */
export function putProvisionedConcurrencyConfig(world: World, call: RestCall): RestAnswer {
  const found = world.functions.resolve(call);
  const input = jsonBody(call.body);
  const wanted = wantedOf(input.ProvisionedConcurrentExecutions ?? null);
  refuseUnpublished(found);
  const { fn, version, alias } = found;
  const qualifier = found.qualifier!;
  refuseTwice(fn, version.version, alias);
  const problem = roomProblem(world.admission, fn, qualifier, wanted);
  if (problem !== null) throw invalidParameter(problem, USER);
  const config = fn.provisioned.get(qualifier) ?? newConfig(world, found);
  void config.resize(wanted);
  audit(world, "PutProvisionedConcurrencyConfig", `${fn.arn}:${qualifier}`, input);
  return { status: 202, body: config.view() };
}

/** An empty configuration of the alias or version, in its place. */
export function newConfig(world: World, { fn, qualifier, version }: Resolved): ProvisionedConfig {
  const { admission, logs, clock, region, functions } = world;
  const host: typeof functions.host = (...asked) => functions.host(...asked);
  const config = new ProvisionedConfig(
    { admission, logs, clock, region, host },
    qualifier!,
    version,
  );
  fn.provisioned.set(config.qualifier, config);
  return config;
}

export function getProvisionedConcurrencyConfig(world: World, call: RestCall): RestAnswer {
  const { fn, qualifier } = published(world, call);
  const config = fn.provisioned.get(qualifier);
  if (config !== undefined) return { status: 200, body: config.view() };
  throw new AwsError(
    "ProvisionedConcurrencyConfigNotFoundException",
    404,
    "No Provisioned Concurrency Config found for this function",
    USER,
  );
}

/** Deleting one that is not there succeeds. */
export function deleteProvisionedConcurrencyConfig(world: World, call: RestCall): RestAnswer {
  const { fn, qualifier } = published(world, call);
  if (removeProvisioned(fn, qualifier))
    audit(world, "DeleteProvisionedConcurrencyConfig", `${fn.arn}:${qualifier}`);
  return { status: 204 };
}

export function listProvisionedConcurrencyConfigs(world: World, call: RestCall): RestAnswer {
  const fn = world.functions.find(world.functions.parse(call.segment, call.query));
  const { items, next } = page([...fn.provisioned.values()], call.query);
  const views = items.map((config) => ({
    FunctionArn: `${fn.arn}:${config.qualifier}`,
    ...config.view(),
  }));
  return { status: 200, body: { ProvisionedConcurrencyConfigs: views, ...next } };
}

/** Also for an alias or version that is deleted itself; false = there was none. */
export function removeProvisioned(fn: LocalFunction, qualifier: string): boolean {
  fn.provisioned.get(qualifier)?.remove();
  return fn.provisioned.delete(qualifier);
}

function published(world: World, call: RestCall): { fn: LocalFunction; qualifier: string } {
  const { fn, qualifier } = world.functions.resolve(call);
  if (qualifier !== null && qualifier !== LATEST) return { fn, qualifier };
  throw invalidParameter(
    "The function resource provided must be an alias or a published version.",
    USER,
  );
}

function wantedOf(given: unknown): number {
  const isWhole = typeof given === "number" && Number.isInteger(given);
  if (isWhole && given >= 1) return given;
  throw validationError(
    `1 validation error detected: Value ${given === null ? "null" : `'${said(given)}'`} at ` +
      "'provisionedConcurrentExecutions' failed to satisfy constraint: Member must " +
      (isWhole ? "have value greater than or equal to 1" : "not be null"),
  );
}
