// Which API each HTTP load goes through, so that what API Gateway counts can be held against it.
import { traceUrl } from "../aws/host-proof.ts";
import type { ApiStage } from "../aws/proof-contract.ts";
import type { PlannedFront } from "../core/front-facts.ts";
import type { Load, Scenario } from "../core/scenario.ts";
import { type ProvenLoad, placeOf } from "./check-account.ts";
import type { System } from "./system-contract.ts";

/** One for each stage of an API; none where no metrics are read. */
export async function plannedFronts(
  { loads, observe }: Scenario,
  system: System,
  proven: readonly ProvenLoad[],
): Promise<PlannedFront[]> {
  if (observe.metricFronts !== true) return [];
  const fronts = new Map<string, PlannedFront>();
  for (const load of loads) {
    const apis = await apisOf(load, system, proven);
    const [api] = apis;
    // Of several behind one distribution nobody knows which was asked.
    if (api === undefined || apis.length > 1) continue;
    const front = fronts.get(keyOf(api)) ?? frontOf(api);
    fronts.set(keyOf(api), { ...front, loads: [...front.loads, load.name] });
  }
  return [...fronts.values()];
}

/** In an account each load was traced already. */
async function apisOf(
  { name, target }: Load,
  system: System,
  proven: readonly ProvenLoad[],
): Promise<readonly ApiStage[]> {
  if (target.kind !== "http") return [];
  if (system.environment !== null)
    return proven.find(({ load }) => load === name)?.proof?.apis ?? [];
  const traced = await traceUrl(target.url, placeOf(system));
  return "proof" in traced ? (traced.proof.apis ?? []) : [];
}

const keyOf = ({ apiId, stage, behind = "" }: ApiStage): string => [apiId, stage, behind].join(" ");

function frontOf({ kind, apiId, name, stage, behind }: ApiStage): PlannedFront {
  const isRest = kind === "REST API";
  const dimensions = isRest ? { ApiName: name, Stage: stage } : { ApiId: apiId, Stage: stage };
  return {
    ...{ name: `${kind} ${name}, stage ${stage}`, dimensions, loads: [] },
    ...(behind === undefined ? {} : { behind }),
  };
}
