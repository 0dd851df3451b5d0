// Freezes `$LATEST` as a version, for PublishVersion and for templates with AutoPublishAlias.
import { isDeepStrictEqual } from "node:util";
import type { World } from "../world.ts";
import { type FunctionConfig, FunctionVersion } from "./function-version.ts";
import type { LocalFunction } from "./local-function.ts";

/**
 * The version that `$LATEST` is now (or `from`, what it was once): a new one, unless nothing has
 * changed since the last was published. Its processes may still be starting.
 */
export function publish(
  world: World,
  fn: LocalFunction,
  description: string | null,
  from: FunctionConfig = fn.latest.config,
): FunctionVersion {
  const last = fn.versions.get(fn.published?.version ?? "");
  if (last !== undefined && isDeepStrictEqual(fn.published?.from, from)) return last;
  const number = fn.nextVersion();
  const config = { ...from, description: description ?? from.description };
  const makeHost = () => world.functions.host(config.spec, number, "on-demand");
  const made = new FunctionVersion(number, config, makeHost, world.clock.wallMs());
  fn.versions.set(number, made);
  fn.published = { from, version: number };
  return made;
}
