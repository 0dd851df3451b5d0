// PublishVersion, ListVersionsByFunction, and DeleteFunction for one version.
import { AwsError, invalidParameter } from "../aws-error.ts";
import { said } from "../wire/said.ts";
import { audit, type World } from "../world.ts";
import { notFound } from "./function-table.ts";
import { codeSha256Of, LATEST } from "./function-version.ts";
import { configurationOf } from "./get-function-configuration.ts";
import { page } from "./page.ts";
import { removeProvisioned } from "./provisioned-concurrency.ts";
import { publish } from "./publish.ts";
import { jsonBody, type RestAnswer, type RestCall } from "./rest-call.ts";
import { checkRevision, refuseDuringUpdate, USER } from "./update-rules.ts";

const DESCRIPTION_MAX = 256;

export async function publishVersion(world: World, call: RestCall): Promise<RestAnswer> {
  const fn = world.functions.find(world.functions.parse(call.segment, call.query));
  const input = jsonBody(call.body);
  checkRevision(input, fn.revisionId);
  refuseDuringUpdate(fn);
  const current = codeSha256Of(fn.latest.config);
  const wanted = input.CodeSha256 ?? null;
  if (wanted !== null && wanted !== "" && wanted !== current)
    throw invalidParameter(
      `CodeSHA256 (${said(wanted)}) is different from current CodeSHA256 in $LATEST ` +
        `(${current}). Please try again with the CodeSHA256 in $LATEST.`,
      USER,
    );
  const made = publish(world, fn, descriptionOf(input));
  await made.ready();
  audit(world, "PublishVersion", `${fn.arn}:${made.version}`, input);
  const found = { fn, version: made, alias: null, qualifier: made.version };
  return { status: 201, body: configurationOf(found) };
}

/** `$LATEST` first; every ARN ends in its version. */
export function listVersionsByFunction(world: World, call: RestCall): RestAnswer {
  const fn = world.functions.find(world.functions.parse(call.segment, call.query));
  const { items, next } = page(fn.all(), call.query);
  const views = items.map((version) =>
    configurationOf({ fn, version, alias: null, qualifier: version.version }),
  );
  return { status: 200, body: { Versions: views, ...next } };
}

/** A function as a whole comes and goes with the template. */
export function deleteFunction(world: World, call: RestCall): RestAnswer {
  const ref = world.functions.parse(call.segment, call.query);
  const fn = world.functions.find(ref);
  const { qualifier } = ref;
  if (qualifier === null)
    throw invalidParameter("Local AWS deletes versions only: functions belong to the template.");
  if (qualifier === LATEST)
    throw invalidParameter(
      "$LATEST version cannot be deleted without deleting the function.",
      USER,
    );
  const version = fn.versions.get(qualifier);
  if (version === undefined) throw notFound(`Function not found: ${fn.arn}:${qualifier}`);
  const by = [...fn.aliases.values()].filter(
    (alias) => alias.version === qualifier || alias.additional?.version === qualifier,
  );
  if (by.length > 0)
    throw new AwsError(
      "ResourceConflictException",
      409,
      `Unable to delete version ${qualifier} because the following aliases reference it: ` +
        `[${by.map(({ name }) => name).join(", ")}]`,
      USER,
    );
  removeProvisioned(fn, qualifier);
  fn.versions.delete(qualifier);
  for (const environment of world.admission.recycle(fn.name, qualifier))
    version.forget(environment);
  version.retire();
  audit(world, "DeleteFunction", `${fn.arn}:${qualifier}`);
  return { status: 204 };
}

/** null = none given: `$LATEST`'s own is copied. */
export function descriptionOf(input: { readonly [member: string]: unknown }): string | null {
  const given = input.Description ?? null;
  if (given === null) return null;
  if (typeof given === "string" && given.length <= DESCRIPTION_MAX) return given;
  throw invalidParameter(
    `1 validation error detected: Value '${said(given)}' at 'description' failed to satisfy ` +
      `constraint: Member must have length less than or equal to ${DESCRIPTION_MAX}`,
  );
}
