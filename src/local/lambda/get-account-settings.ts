// GetAccountSettings: the quota, and what reservations have left of it.
import type { World } from "../world.ts";
import type { RestAnswer } from "./rest-call.ts";

export function getAccountSettings(world: World): RestAnswer {
  return {
    status: 200,
    body: {
      AccountLimit: {
        TotalCodeSize: 80_530_636_800,
        CodeSizeUnzipped: 262_144_000,
        CodeSizeZipped: 52_428_800,
        ConcurrentExecutions: world.admission.account.concurrency,
        UnreservedConcurrentExecutions: world.admission.unreservedPool(),
      },
      AccountUsage: { TotalCodeSize: 0, FunctionCount: world.functions.all().length },
    },
  };
}
