// GetFunction: configuration, code location, and reserved concurrency when it is set.
import type { World } from "../world.ts";
import { configurationOf } from "./get-function-configuration.ts";
import type { RestAnswer, RestCall } from "./rest-call.ts";

export function getFunction(world: World, call: RestCall): RestAnswer {
  const ref = world.functions.parse(call.segment, call.query);
  const fn = world.functions.find(ref);
  const { reserved } = world.admission.limitsOf(fn.spec.name);
  return {
    status: 200,
    body: {
      Configuration: configurationOf(fn, ref.qualifier !== null),
      Code: { RepositoryType: "S3", Location: `file://${fn.spec.codeDir}` },
      ...(reserved === null ? {} : { Concurrency: { ReservedConcurrentExecutions: reserved } }),
    },
  };
}
