// Deploys one function of a template: its host, its published version and alias, its settings.

import { GatecrashError } from "../../core/error.ts";
import type { TemplateFunction } from "../template/types.ts";
import type { World } from "../world.ts";
import { qualified } from "./function-name.ts";
import { type FunctionConfig, LATEST } from "./function-version.ts";
import { newConfig } from "./provisioned-concurrency.ts";
import { publish } from "./publish.ts";

/** Deploying waits for provisioned environments; before time begins there is nothing to imitate. */
const AT_ONCE_US = 0;

export async function deployFunction(world: World, declared: TemplateFunction): Promise<void> {
  const { async, alias, provisioned, canary, ...config } = declared;
  const { functions, clock } = world;
  const host = await functions.host(config.spec, LATEST, "on-demand");
  const fn = functions.add(config, host, clock.wallMs());
  if (alias !== null) {
    const older = canary === null ? [] : [publish(world, fn, null, before(config, canary))];
    const published = publish(world, fn, null);
    const [version = published] = older;
    if (canary !== null && version === published) throw sameVersions(fn.name);
    await Promise.all([version.ready(), published.ready()]);
    const additional =
      canary === null ? null : { version: published.version, weight: canary.weight };
    const named = { name: alias, version: version.version, description: "", additional };
    const found = { fn, version, alias: fn.setAlias(named), qualifier: alias };
    if (provisioned > 0) await newConfig(world, found).resize(provisioned, AT_ONCE_US);
  }
  const target = alias === null ? qualified(fn.name) : `${fn.name}:${alias}`;
  world.invokeConfigs.deployed(target, async, clock.wallMs());
}

type Canary = NonNullable<TemplateFunction["canary"]>;

/** Variables that the version before does not name are the template's. */
function before(config: FunctionConfig, canary: Canary): FunctionConfig {
  const environment = { ...config.spec.environment, ...canary.before.environment };
  return { ...config, spec: { ...config.spec, ...canary.before, environment } };
}

const sameVersions = (name: string): GatecrashError =>
  new GatecrashError("scenario", `function ${name}: its Canary is what was before`, {
    hint: "Metadata.Gatecrash.Canary.Before says what the older version had otherwise",
  });
