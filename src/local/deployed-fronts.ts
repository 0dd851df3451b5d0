// The fronts of a template as the control planes of API Gateway and Lambda tell them.
import type { DeployedApi, DeployedRestApi, DeployedUrl } from "./deployment.ts";
import { hostOf, type Place } from "./template/names.ts";
import type { FrontAddress, Template } from "./template/types.ts";

const addressOf = (onAws: string, fronts: readonly FrontAddress[]): string =>
  fronts.find((front) => front.onAws === onAws)?.host ?? onAws;

export function deployedApis(
  { apis, restApis }: Template,
  fronts: readonly FrontAddress[],
): { readonly apis: readonly DeployedApi[]; readonly restApis: readonly DeployedRestApi[] } {
  const endpointOf = (spec: Place & { readonly apiId: string }): string =>
    `http://${addressOf(hostOf(spec.apiId, spec), fronts)}`;
  return {
    apis: apis.map((spec) => ({ spec, endpoint: endpointOf(spec) })),
    restApis: restApis.map((spec) => ({ spec, endpoint: endpointOf(spec) })),
  };
}

export function deployedUrls(
  { urls }: Template,
  fronts: readonly FrontAddress[],
): readonly DeployedUrl[] {
  return urls.map(({ functionName, onAws, iam }) => ({
    iam,
    functionName,
    url: `http://${addressOf(onAws, fronts)}/`,
  }));
}
