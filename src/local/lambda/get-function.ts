// GetFunction: configuration, code location, and reserved concurrency when it is set.
import type { World } from "../world.ts";
import { configurationOf } from "./get-function-configuration.ts";
import type { RestAnswer, RestCall } from "./rest-call.ts";

export function getFunction(world: World, call: RestCall): RestAnswer {
  const found = world.functions.resolve(call);
  const { reserved } = world.admission.limitsOf(found.fn.name);
  return {
    status: 200,
    body: {
      Configuration: configurationOf(found),
      Code: { RepositoryType: "S3", Location: `file://${found.version.spec.codeDir}` },
      ...(reserved === null ? {} : { Concurrency: { ReservedConcurrentExecutions: reserved } }),
    },
  };
}
