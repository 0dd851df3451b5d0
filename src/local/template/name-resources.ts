// The names of a template's resources, and of those that SAM makes of them.
import { restApiNames } from "./api-names.ts";
import { dataResource, generatedResources, type NamedPlace, publishedAs } from "./data-names.ts";
import { type Frame, parametersOf, withGlobals } from "./frame.ts";
import { resolveIntrinsics } from "./intrinsics.ts";
import { apiIdOf, functionNameOf, IMPLICIT_API, type NamedResource, scopeOf } from "./names.ts";
import type { TemplateSource } from "./read-yaml.ts";

/** Names first, from parameters alone, so that resources may refer to each other in any order. */
export function namesOf(
  frame: Frame,
  source: TemplateSource,
  place: NamedPlace,
): Map<string, NamedResource> {
  const names = new Map<string, NamedResource>([
    [IMPLICIT_API, { type: "AWS::Serverless::HttpApi", name: apiIdOf(IMPLICIT_API) }],
  ]);
  const early = scopeOf(place, parametersOf(frame, source), names);
  const nameAt = (id: string, property: string): string | undefined => {
    const { Type, Properties: own = {} } = frame.Resources[id]!;
    const value = withGlobals(Type, own, frame)[property];
    if (value === undefined) return undefined;
    const path = ["Resources", id, "Properties", property];
    return String(resolveIntrinsics(source, early, value, path));
  };
  for (const [id, { Type, Properties: own = {} }] of Object.entries(frame.Resources)) {
    const Properties = withGlobals(Type, own, frame);
    const data = dataResource(id, Type, (property) => nameAt(id, property), place);
    if (data !== null) names.set(id, data);
    else if (Type === "AWS::Serverless::Function") {
      const name = functionNameOf(id, nameAt(id, "FunctionName"));
      const published = publishedAs(name, nameAt(id, "AutoPublishAlias"), place);
      names.set(id, { type: Type, name, attributes: published });
      for (const [attribute, arn] of Object.entries(published))
        names.set(`${id}.${attribute}`, { type: "AWS::Lambda::Alias", name: arn });
      for (const [more, resource] of generatedResources(id, Properties, name, place))
        names.set(more, resource);
    } else if (Type === "AWS::Serverless::Api") {
      const stage = nameAt(id, "StageName") ?? "";
      for (const named of restApiNames(id, Properties, stage)) names.set(...named);
    } else if (Type === "AWS::Serverless::HttpApi")
      names.set(id, { type: Type, name: apiIdOf(id) });
    else if (Type === "AWS::Logs::LogGroup")
      names.set(id, { type: Type, name: nameAt(id, "LogGroupName") ?? `local-${id}` });
  }
  return names;
}
