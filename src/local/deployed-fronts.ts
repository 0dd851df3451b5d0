// The fronts of a template as the control planes of API Gateway and Lambda tell them.
import type { DeployedApi, DeployedUrl } from "./deployment.ts";
import { hostOf } from "./template/names.ts";
import type { FrontAddress, Template } from "./template/types.ts";

const addressOf = (onAws: string, fronts: readonly FrontAddress[]): string =>
  fronts.find((front) => front.onAws === onAws)?.host ?? onAws;

export function deployedApis(
  { apis }: Template,
  fronts: readonly FrontAddress[],
): readonly DeployedApi[] {
  return apis.map((spec) => ({
    spec,
    endpoint: `http://${addressOf(hostOf(spec.apiId, spec), fronts)}`,
  }));
}

export function deployedUrls(
  { urls }: Template,
  fronts: readonly FrontAddress[],
): readonly DeployedUrl[] {
  return urls.map(({ functionName, onAws }) => ({
    functionName,
    url: `http://${addressOf(onAws, fronts)}/`,
  }));
}
