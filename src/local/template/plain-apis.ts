// HTTP APIs as plain CloudFormation (the CDK's): their stage, routes and integrations, as SAM's.
import { GatecrashError } from "../../core/error.ts";
import type { Values } from "./frame.ts";
import { type Plain, type Renamed, refersTo } from "./plain-references.ts";
import type { TemplateSource } from "./read-yaml.ts";

const API = "AWS::ApiGatewayV2::Api";
const [STAGE, ROUTE, INTEGRATION] = ["Stage", "Route", "Integration"].map(
  (kind) => `AWS::ApiGatewayV2::${kind}`,
) as [string, string, string];

/** Throws a `scenario` error with the line: a route that leads to no function of the template. */
export function samHttpApis(plain: Plain, aliases: Renamed, source: TemplateSource): void {
  for (const [id, resource] of plain.ofType(API)) {
    const { ProtocolType: protocol, ...same } = resource.Properties ?? {};
    if (protocol !== "HTTP") continue;
    plain.put(id, { ...resource, Type: "AWS::Serverless::HttpApi", Properties: same });
  }
  const apis = plain.ofType("AWS::Serverless::HttpApi").map(([id]) => id);
  for (const [id, { Properties = {} }] of plain.ofType(STAGE)) {
    const {
      ApiId: of,
      StageName,
      AccessLogSettings = null,
      DefaultRouteSettings = null,
    } = Properties;
    const api = refersTo(of, apis);
    if (api === null) continue;
    plain.addTo(api, { StageName: StageName ?? null, AccessLogSettings, DefaultRouteSettings });
    plain.drop(id);
  }
  const integrations = new Map(plain.ofType(INTEGRATION));
  for (const [id, { Properties = {} }] of plain.ofType(ROUTE)) {
    const { ApiId: of = null, RouteKey: key, Target: target } = Properties;
    if (refersTo(of, apis) === null) continue;
    const at = refersTo(target, [...integrations.keys()]);
    const integration = at === null ? {} : (integrations.get(at)?.Properties ?? {});
    const called = plain.calledBy(integration.IntegrationUri, aliases);
    if (called === null)
      throw new GatecrashError("scenario", `route ${id} leads to no function of this template`, {
        place: source.placeOf(["Resources", id]),
      });
    checkAuthorizer(id, Properties, source);
    plain.addEvent(called, id, {
      Type: "HttpApi",
      Properties: { ApiId: of, ...routeOf(String(key)), ...settingsOf(integration) },
    });
    plain.drop(id);
  }
  for (const id of integrations.keys()) plain.drop(id);
}

function checkAuthorizer(id: string, properties: Values, source: TemplateSource): void {
  const { AuthorizationType: type = "NONE" } = properties;
  if (type === "NONE") return;
  throw new GatecrashError("scenario", `route ${id}: ${type} of a plain route is not modelled`, {
    place: source.placeOf(["Resources", id, "Properties", "AuthorizationType"]),
    hint: "local AWS has authorizers as SAM declares them: Auth of AWS::Serverless::HttpApi",
  });
}

function routeOf(key: string): Values {
  if (key === "$default") return {};
  const [Method = "", Path = ""] = key.split(" ");
  return { Method, Path };
}

function settingsOf({ PayloadFormatVersion, TimeoutInMillis }: Values): Values {
  return {
    ...(PayloadFormatVersion === undefined ? {} : { PayloadFormatVersion }),
    ...(TimeoutInMillis === undefined ? {} : { TimeoutInMillis }),
  };
}
