// What API Gateway's control plane says of HTTP APIs: routes, integrations, stages, domains.
import type { DeployedApi } from "../deployment.ts";
import type { DomainMapping, DomainSpec } from "../template/api-types.ts";
import { gatewayDomainOf } from "../template/data-names.ts";
import { stableId } from "../template/names.ts";
import type { HttpApiRoute } from "../template/types.ts";
import type { World } from "../world.ts";

const idOf = (text: string): string => stableId(text, 7);

export const apiView = (world: World, { spec, endpoint }: DeployedApi): object => ({
  apiId: spec.apiId,
  name: spec.logicalId,
  apiEndpoint: endpoint,
  protocolType: "HTTP",
  routeSelectionExpression: "$request.method $request.path",
  apiKeySelectionExpression: "$request.header.x-api-key",
  disableExecuteApiEndpoint: false,
  createdDate: new Date(world.deployment.createdMs).toISOString(),
});

export const stageView = ({ region, account }: World, { spec }: DeployedApi): object => ({
  stageName: spec.stage,
  autoDeploy: true,
  defaultRouteSettings: { detailedMetricsEnabled: false },
  stageVariables: {},
  ...(spec.accessLog === null
    ? {}
    : {
        accessLogSettings: {
          destinationArn: `arn:aws:logs:${region}:${account}:log-group:${spec.accessLog.group}`,
          format: spec.accessLog.format,
        },
      }),
});

const keyOf = ({ method, path }: HttpApiRoute): string =>
  path === "$default" ? path : `${method} ${path}`;

/** As SAM's OpenAPI makes them: each route has an integration of its own. */
export const integrationIdOf = (route: HttpApiRoute): string => idOf(`integration ${keyOf(route)}`);
export const routeIdOf = (route: HttpApiRoute): string => idOf(`route ${keyOf(route)}`);

export const routeView = (_: World, route: HttpApiRoute): object => ({
  routeId: routeIdOf(route),
  routeKey: keyOf(route),
  target: `integrations/${integrationIdOf(route)}`,
  apiKeyRequired: false,
  authorizationType: "NONE",
});

/** A function's URI ends in the ARN that is invoked, its alias included. */
export function integrationView(world: World, route: HttpApiRoute): object {
  const { integration, timeoutMs } = route;
  const common = {
    integrationId: integrationIdOf(route),
    integrationType: "AWS_PROXY",
    connectionType: "INTERNET",
    timeoutInMillis: timeoutMs,
  };
  if (integration.kind === "sqs")
    return {
      ...common,
      integrationSubtype: "SQS-SendMessage",
      requestParameters: integration.parameters,
      payloadFormatVersion: "1.0",
    };
  const arn = world.functions.arn(integration.functionName);
  const lambda = `arn:aws:apigateway:${world.region}:lambda:path/2015-03-31`;
  return {
    ...common,
    integrationMethod: "POST",
    integrationUri: `${lambda}/functions/${arn}/invocations`,
    payloadFormatVersion: integration.payloadVersion,
  };
}

export const domainView = (world: World, { name }: DomainSpec): object => ({
  domainName: name,
  domainNameArn: `arn:aws:apigateway:${world.region}::/domainnames/${name}`,
  apiMappingSelectionExpression: "$request.basepath",
  domainNameConfigurations: [
    {
      apiGatewayDomainName: gatewayDomainOf(name, world),
      domainNameStatus: "AVAILABLE",
      endpointType: "REGIONAL",
      securityPolicy: "TLS_1_2",
    },
  ],
  routingMode: "API_MAPPING_ONLY",
});

export const apiMappingIdOf = ({ domain, key }: DomainMapping): string => idOf(`${domain}/${key}`);

export const mappingView = (_: World, mapping: DomainMapping): object => ({
  apiId: mapping.apiId,
  apiMappingId: apiMappingIdOf(mapping),
  apiMappingKey: mapping.key,
  stage: mapping.stage,
});
