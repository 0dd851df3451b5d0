// ListFunctions: by name, in pages.
import type { World } from "../world.ts";
import { configurationOf } from "./get-function-configuration.ts";
import type { RestAnswer, RestCall } from "./rest-call.ts";

/** AWS returns at most 50 a page, whatever is asked. */
const PAGE_MAX = 50;

export function listFunctions(world: World, call: RestCall): RestAnswer {
  const asked = Number(call.query.get("MaxItems") ?? PAGE_MAX);
  const size = Math.min(PAGE_MAX, Math.max(1, asked));
  const start = Number(call.query.get("Marker") ?? 0) || 0;
  const all = world.functions.all();
  const next = start + size;
  return {
    status: 200,
    body: {
      Functions: all.slice(start, next).map((fn) => configurationOf(fn, false)),
      ...(next < all.length ? { NextMarker: String(next) } : {}),
    },
  };
}
