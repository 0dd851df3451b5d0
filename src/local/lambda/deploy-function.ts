// Deploys one function of a template: its host, its published version and alias, its settings.

import type { TemplateFunction } from "../template/types.ts";
import type { World } from "../world.ts";
import { qualified } from "./function-name.ts";
import { LATEST } from "./function-version.ts";
import { publish } from "./publish.ts";

export async function deployFunction(world: World, declared: TemplateFunction): Promise<void> {
  const { async, alias, ...config } = declared;
  const { functions, clock } = world;
  const host = await functions.host(config.spec, LATEST, "on-demand");
  const fn = functions.add(config, host, clock.wallMs());
  if (alias !== null) {
    const published = publish(world, fn, null);
    await published.ready();
    fn.setAlias({ name: alias, version: published.version, description: "", additional: null });
  }
  const target = alias === null ? qualified(fn.name) : `${fn.name}:${alias}`;
  world.invokeConfigs.deployed(target, async, clock.wallMs());
}
