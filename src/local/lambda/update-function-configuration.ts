// UpdateFunctionConfiguration: shown at once, in force after a while, with new environments.
import { randomUUID } from "node:crypto";
import { runUs, US_PER_S } from "../../core/time.ts";
import { invalidParameter } from "../aws-error.ts";
import { audit, type World } from "../world.ts";
import { configurationFrom } from "./configuration-input.ts";
import { FunctionVersion, LATEST, lastModifiedOf } from "./function-version.ts";
import { latestConfiguration } from "./get-function-configuration.ts";
import type { LocalFunction, Update } from "./local-function.ts";
import { jsonBody, type RestAnswer, type RestCall } from "./rest-call.ts";
import { checkRevision, refuseDuringUpdate, USER } from "./update-rules.ts";

/** AWS gives no time; a second is what its own waiter looks after first. */
const UPDATE_US = US_PER_S;

export function updateFunctionConfiguration(world: World, call: RestCall): RestAnswer {
  const ref = world.functions.parse(call.segment, call.query);
  const fn = world.functions.find(ref);
  if (ref.qualifier !== null && ref.qualifier !== LATEST)
    throw invalidParameter("Only $LATEST can be updated: versions never change.", USER);
  const input = jsonBody(call.body);
  const config = configurationFrom(fn.configured, input);
  checkRevision(input, fn.revisionId);
  refuseDuringUpdate(fn);
  const update = {
    config,
    lastModified: lastModifiedOf(world.clock.wallMs()),
    revisionId: randomUUID(),
  };
  fn.update = update;
  comeIntoForce(world, fn, update).catch(() => {
    fn.update = null; // this machine starts no more processes: what there was goes on
  });
  audit(world, "UpdateFunctionConfiguration", fn.arn, withoutValues(input));
  return { status: 200, body: latestConfiguration(fn) };
}

/** Until then the old configuration serves; its environments finish what they run, and go. */
async function comeIntoForce(world: World, fn: LocalFunction, update: Update): Promise<void> {
  const { functions, admission, clock } = world;
  const makeHost = () => functions.host(update.config.spec, LATEST, "on-demand");
  const made = new FunctionVersion(LATEST, update.config, makeHost, clock.wallMs());
  await clock.sleepUntil(runUs(clock.nowUs() + UPDATE_US));
  await made.ready();
  const old = fn.latest;
  fn.latest = made;
  fn.update = null;
  for (const environment of admission.recycle(fn.name, LATEST)) old.forget(environment);
  old.retire();
}

/** Variables may be secrets: the audit has their names alone. */
function withoutValues(input: { readonly [member: string]: unknown }): typeof input {
  const variables = (input.Environment as { Variables?: object } | undefined)?.Variables;
  return variables === undefined ? input : { ...input, Environment: Object.keys(variables) };
}
