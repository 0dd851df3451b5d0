// The fronts of a template as the control planes of API Gateway and Lambda tell them.
import type { DeployedApi, DeployedUrl } from "./deployment.ts";
import { hostOf } from "./template/names.ts";
import type { FrontAddress, HttpApiSpec, Template } from "./template/types.ts";

const addressOf = (onAws: string, fronts: readonly FrontAddress[]): string =>
  fronts.find((front) => front.onAws === onAws)?.host ?? onAws;

export function deployedApis(
  { apis }: Template,
  fronts: readonly FrontAddress[],
): readonly DeployedApi[] {
  return apis.map((api) => ({
    apiId: api.apiId,
    name: api.logicalId,
    stage: api.stage,
    endpoint: `http://${addressOf(hostOf(api.apiId, api), fronts)}`,
    domain: api.domain ?? null,
    functions: functionsBehind(api),
  }));
}

function functionsBehind({ routes, region, account }: HttpApiSpec): string[] {
  const names = routes.flatMap(({ integration }) =>
    integration.kind === "lambda" ? [integration.functionName] : [],
  );
  return [...new Set(names)].map((name) => `arn:aws:lambda:${region}:${account}:function:${name}`);
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
