// A SAM template file → what local AWS runs; the same file deploys on AWS.
import type { Json } from "../../core/change.ts";
import { GatecrashError } from "../../core/error.ts";
import { didYouMean } from "../../core/nearest.ts";
import { check } from "./check.ts";
import { alarmOf, queueOf, tableOf } from "./data.ts";
import {
  bucketNameOf,
  dataResource,
  generatedResources,
  type NamedPlace,
  publishedAs,
  restApiNames,
} from "./data-names.ts";
import { domainsOf } from "./domains.ts";
import { busesOf, rulesOf } from "./event-rules.ts";
import { functionUrlsOf, sqsMappingsOf } from "./function-extras.ts";
import { functionOf } from "./functions.ts";
import { httpApisOf } from "./http-apis.ts";
import { resolveIntrinsics, type Scope } from "./intrinsics.ts";
import {
  apiIdOf,
  functionNameOf,
  IMPLICIT_API,
  IMPLICIT_REST_API,
  IMPLICIT_STAGE,
  type NamedResource,
  scopeOf,
  withFronts,
} from "./names.ts";
import { readTemplate, type TemplateSource } from "./read-yaml.ts";
import { restApisOf } from "./rest-apis.ts";
import { schedulesOf } from "./schedules.ts";
import {
  type FunctionResource,
  type HttpApiResource,
  type LogGroupResource,
  RESOURCES,
  type ResourceType,
  type TemplateMetadata,
  templateSchema,
} from "./schema.ts";
import type { AlarmResource, BucketResource, QueueResource, TableResource } from "./schema-data.ts";
import type { RestApiResource } from "./schema-rest.ts";
import type { StreamResource } from "./schema-streams.ts";
import { streamMappingsOf, streamOf } from "./streams.ts";
import type { DependencySpec, FrontAddress, Template } from "./types.ts";

export interface LoadOptions extends NamedPlace {
  readonly file: string;
  readonly scale: number;
}

type Values = { [key: string]: Json };
interface Frame {
  readonly Metadata?: TemplateMetadata;
  readonly Globals?: { readonly [section: string]: Values };
  readonly Parameters?: { readonly [name: string]: { readonly Default?: Json } };
  readonly Resources: {
    readonly [id: string]: { readonly Type: string; readonly Properties?: Values };
  };
  readonly Outputs?: { readonly [name: string]: { readonly Value: Json } };
}

/** Throws a `scenario` error with file and line for whatever is not modelled or is wrong. */
export function loadTemplate(options: LoadOptions): Template {
  const source = readTemplate(options.file);
  const frame = check(source, templateSchema, source.value, []) as unknown as Frame;
  for (const id of Object.keys(frame.Resources)) checkType(id, frame, source);
  const scope = scopeOf(options, parametersOf(frame, source), namesOf(frame, source, options));
  const resources = new Map(
    Object.keys(frame.Resources).map((id) => [id, resourceOf(id, frame, source, scope)]),
  );
  const functions = ofType<FunctionResource>(resources, "AWS::Serverless::Function");
  const apis = new Map<string, HttpApiResource | null>(
    ofType<HttpApiResource>(resources, "AWS::Serverless::HttpApi"),
  );
  if (hasImplicitApi(functions)) apis.set(IMPLICIT_API, null);
  const restApis = ofType<RestApiResource>(resources, "AWS::Serverless::Api");
  const domains = domainsOf(
    {
      apis,
      restApis,
      domains: ofType(resources, "AWS::ApiGatewayV2::DomainName"),
      mappings: ofType(resources, "AWS::ApiGatewayV2::ApiMapping"),
    },
    source,
  );
  const buses = busesOf(ofType(resources, "AWS::Events::EventBus"));
  const groups = ofType<LogGroupResource>(resources, "AWS::Logs::LogGroup");
  const outputs = Object.entries(frame.Outputs ?? {}).map(([name, { Value }]) => [
    name,
    String(resolveIntrinsics(source, scope, Value, ["Outputs", name, "Value"])),
  ]);
  return {
    functions: [...functions].map(([id, resource]) =>
      functionOf(id, resource, { ...options, source }),
    ),
    apis: httpApisOf(apis, functions, domains, { ...options, source }),
    restApis: restApisOf(restApis, functions, { ...options, domains, source }),
    domains,
    urls: functionUrlsOf(functions, options),
    mappings: sqsMappingsOf(functions, options.scale),
    streamMappings: streamMappingsOf(functions),
    schedules: schedulesOf(functions, options, source),
    eventBuses: buses,
    eventRules: rulesOf(ofType(resources, "AWS::Events::Rule"), buses, source),
    ...dataOf(resources, options.scale),
    dependencies: dependenciesOf(frame, source),
    logGroups: [...groups].map(([id, { Properties }]) => Properties?.LogGroupName ?? `local-${id}`),
    placeOfProperty: (id, property) => source.placeOf(["Resources", id, "Properties", property]),
    outputs: (fronts: readonly FrontAddress[]) =>
      Object.fromEntries(outputs.map(([name, text]) => [name, withFronts(text!, fronts)])),
  };
}

function dependenciesOf({ Metadata }: Frame, source: TemplateSource): DependencySpec[] {
  const declared = Metadata?.Gatecrash?.Dependencies ?? {};
  return Object.entries(declared).map(([name, { Variable, Functions }]) => ({
    name,
    variable: Variable,
    functions: Functions ?? null,
    place: source.placeOf(["Metadata", "Gatecrash", "Dependencies", name]),
  }));
}

function dataOf(
  resources: ReadonlyMap<string, unknown>,
  scale: number,
): Pick<Template, "queues" | "streams" | "tables" | "alarms" | "buckets"> {
  const queues = ofType<QueueResource>(resources, "AWS::SQS::Queue");
  const streams = ofType<StreamResource>(resources, "AWS::Kinesis::Stream");
  const tables = ofType<TableResource>(resources, "AWS::DynamoDB::Table");
  const buckets = ofType<BucketResource>(resources, "AWS::S3::Bucket");
  const alarms = ofType<AlarmResource>(resources, "AWS::CloudWatch::Alarm");
  return {
    queues: [...queues].map(([id, resource]) => queueOf(id, resource)),
    streams: [...streams].map(([id, resource]) => streamOf(id, resource)),
    tables: [...tables].map(([id, resource]) => tableOf(id, resource)),
    buckets: [...buckets].map(([id, { Properties }]) => bucketNameOf(id, Properties?.BucketName)),
    alarms: [...alarms].map(([id, resource]) => alarmOf(id, resource, scale)),
  };
}

function parametersOf(frame: Frame, source: TemplateSource): Values {
  const values: Values = {};
  for (const [name, { Default }] of Object.entries(frame.Parameters ?? {})) {
    if (Default === undefined)
      throw new GatecrashError("scenario", `parameter ${name} has no Default`, {
        place: source.placeOf(["Parameters", name]),
        hint: "local AWS takes parameters from their defaults",
      });
    values[name] = Default;
  }
  return values;
}

/** Names first, from parameters alone, so that resources may refer to each other in any order. */
function namesOf(
  frame: Frame,
  source: TemplateSource,
  place: NamedPlace,
): Map<string, NamedResource> {
  const names = new Map<string, NamedResource>([
    [IMPLICIT_API, { type: "AWS::Serverless::HttpApi", name: apiIdOf(IMPLICIT_API) }],
    ...restApiNames(IMPLICIT_REST_API, IMPLICIT_STAGE),
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
    } else if (Type === "AWS::Serverless::Api")
      for (const named of restApiNames(id, nameAt(id, "StageName") ?? "")) names.set(...named);
    else if (Type === "AWS::Serverless::HttpApi") names.set(id, { type: Type, name: apiIdOf(id) });
    else if (Type === "AWS::Logs::LogGroup")
      names.set(id, { type: Type, name: nameAt(id, "LogGroupName") ?? `local-${id}` });
  }
  return names;
}

/** Before anything is resolved: else the complaint is about whoever refers to this resource. */
function checkType(id: string, frame: Frame, source: TemplateSource): void {
  const type = frame.Resources[id]!.Type;
  if (type in RESOURCES) return;
  const hint = didYouMean(type, Object.keys(RESOURCES));
  throw new GatecrashError("scenario", `${type} is not modelled by local AWS`, {
    place: source.placeOf(["Resources", id, "Type"]),
    ...(hint === undefined ? {} : { hint }),
  });
}

function resourceOf(id: string, frame: Frame, source: TemplateSource, scope: Scope): unknown {
  const raw = frame.Resources[id]!;
  const path = ["Resources", id];
  const merged = { ...raw, Properties: withGlobals(raw.Type, raw.Properties ?? {}, frame) };
  const resolved = resolveIntrinsics(source, scope, merged as unknown as Json, path);
  return check<unknown>(source, RESOURCES[raw.Type as ResourceType], resolved, path);
}

/** SAM merges maps and lets the resource win; Environment.Variables is the only map here. */
function withGlobals(type: string, properties: Values, frame: Frame): Values {
  const section = /^AWS::Serverless::(\w+)$/.exec(type)?.[1] ?? "";
  const globals = frame.Globals?.[section];
  if (globals === undefined) return properties;
  const merged: Values = { ...globals, ...properties };
  const [shared, own] = [globals, properties].map(variablesOf);
  if (shared !== undefined && own !== undefined)
    merged.Environment = { Variables: { ...shared, ...own } };
  return merged;
}

function variablesOf({ Environment: environment }: Values): Values | undefined {
  const { Variables: variables } = (environment ?? {}) as Values;
  return variables === undefined ? undefined : (variables as Values);
}

function ofType<T>(resources: ReadonlyMap<string, unknown>, type: ResourceType): Map<string, T> {
  const found = new Map<string, T>();
  for (const [id, resource] of resources)
    if ((resource as { Type: string }).Type === type) found.set(id, resource as T);
  return found;
}

const hasImplicitApi = (functions: ReadonlyMap<string, FunctionResource>): boolean =>
  [...functions.values()].some(({ Properties }) =>
    Object.values(Properties.Events ?? {}).some(
      (event) => event.Type === "HttpApi" && event.Properties?.ApiId === undefined,
    ),
  );
