// Deploys one function of a template: its host, its published version and alias, its settings.

import type { TemplateFunction } from "../template/types.ts";
import type { World } from "../world.ts";
import { qualified } from "./function-name.ts";
import { LATEST } from "./function-version.ts";
import { newConfig } from "./provisioned-concurrency.ts";
import { publish } from "./publish.ts";

/** Deploying waits for provisioned environments; before time begins there is nothing to imitate. */
const AT_ONCE_US = 0;

export async function deployFunction(world: World, declared: TemplateFunction): Promise<void> {
  const { async, alias, provisioned, ...config } = declared;
  const { functions, clock } = world;
  const host = await functions.host(config.spec, LATEST, "on-demand");
  const fn = functions.add(config, host, clock.wallMs());
  if (alias !== null) {
    const published = publish(world, fn, null);
    await published.ready();
    const named = { name: alias, version: published.version, description: "", additional: null };
    const found = { fn, version: published, alias: fn.setAlias(named), qualifier: alias };
    if (provisioned > 0) await newConfig(world, found).resize(provisioned, AT_ONCE_US);
  }
  const target = alias === null ? qualified(fn.name) : `${fn.name}:${alias}`;
  world.invokeConfigs.deployed(target, async, clock.wallMs());
}
