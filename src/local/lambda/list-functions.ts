// ListFunctions: by name, in pages; `$LATEST` of each.
import type { World } from "../world.ts";
import { latestConfiguration } from "./get-function-configuration.ts";
import { page } from "./page.ts";
import type { RestAnswer, RestCall } from "./rest-call.ts";

export function listFunctions(world: World, call: RestCall): RestAnswer {
  const { items, next } = page(world.functions.all(), call.query);
  return { status: 200, body: { Functions: items.map(latestConfiguration), ...next } };
}
