// REST APIs as plain CloudFormation (the CDK's): their stage, resources and methods, as SAM's.
import { GatecrashError } from "../../core/error.ts";
import type { Values } from "./frame.ts";
import { type Plain, type Renamed, refersTo } from "./plain-references.ts";
import type { TemplateSource } from "./read-yaml.ts";

const [API, RESOURCE, METHOD, STAGE, DEPLOYMENT] = [
  ...["RestApi", "Resource", "Method", "Stage", "Deployment"],
].map((kind) => `AWS::ApiGateway::${kind}`) as [string, string, string, string, string];

/**
 * The stages' new names. Throws a `scenario` error with the line: an API without a stage, a method
 * that leads to no function of the template. Methods that the front answers itself (MOCK, as the
 * CDK writes for CORS) are left out.
 */
export function samRestApis(plain: Plain, aliases: Renamed, source: TemplateSource): Renamed {
  const apis = plain.ofType(API).map(([id]) => id);
  const renamed = foldStages(plain, apis, source);
  const parts = new Map(plain.ofType(RESOURCE));
  const pathOf = (id: string | null): string => {
    const { ParentId: parent, PathPart: part } = (id && parts.get(id)?.Properties) || {};
    return part === undefined ? "" : `${pathOf(refersTo(parent, [...parts.keys()]))}/${part}`;
  };
  for (const [id, { Properties = {} }] of plain.ofType(METHOD)) {
    const api = refersTo(Properties.RestApiId, apis);
    if (api === null) continue;
    plain.drop(id);
    const { Type: type, Uri: uri } = (Properties.Integration ?? {}) as Values;
    if (type === "MOCK") continue;
    const called = type === "AWS_PROXY" ? plain.calledBy(uri, aliases) : null;
    const problem =
      called === null
        ? `method ${id} leads to no function of this template`
        : problemOf(id, Properties.AuthorizationType);
    if (called === null || problem !== null)
      throw new GatecrashError("scenario", problem!, { place: source.placeOf(["Resources", id]) });
    const path = pathOf(refersTo(Properties.ResourceId, [...parts.keys()]));
    const key = Properties.ApiKeyRequired === true ? { Auth: { ApiKeyRequired: true } } : {};
    plain.addEvent(called, id, {
      Type: "Api",
      Properties: {
        ...{ Path: path || "/", Method: Properties.HttpMethod ?? "ANY" },
        ...{ RestApiId: { Ref: api }, ...key },
      },
    });
  }
  for (const id of [...parts.keys(), ...plain.ofType(DEPLOYMENT).map(([at]) => at)]) plain.drop(id);
  return renamed;
}

function foldStages(
  plain: Plain,
  apis: readonly string[],
  source: TemplateSource,
): Map<string, string> {
  const renamed = new Map<string, string>();
  for (const [id, { Properties = {} }] of plain.ofType(STAGE)) {
    const { RestApiId: of, DeploymentId: _, ...same } = Properties;
    const api = refersTo(of, apis);
    if (api === null) continue;
    const { Properties: own = {}, ...around } = plain.ofType(API).find(([at]) => at === api)![1];
    const { Name: name, Description: said } = own;
    const named = name === undefined ? {} : { Name: name };
    const described = said === undefined ? {} : { Description: said };
    const stage = { ...named, ...described, ...same };
    plain.put(api, { ...around, Type: "AWS::Serverless::Api", Properties: stage });
    renamed.set(id, `${api}.Stage`);
    plain.drop(id);
  }
  const [left] = plain.ofType(API);
  if (left !== undefined)
    throw new GatecrashError("scenario", `REST API ${left[0]} has no AWS::ApiGateway::Stage`, {
      place: source.placeOf(["Resources", left[0]]),
    });
  return renamed;
}

function problemOf(id: string, authorization: unknown = "NONE"): string | null {
  if (authorization === "NONE") return null;
  return `method ${id}: ${authorization} of a plain method is not modelled by local AWS`;
}
