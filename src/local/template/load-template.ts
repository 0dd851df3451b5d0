// A SAM template file → what local AWS runs; the same file deploys on AWS.
import type { Json } from "../../core/change.ts";
import { GatecrashError } from "../../core/error.ts";
import { nearest } from "../../core/nearest.ts";
import { check, LEAVE_OUT } from "./check.ts";
import { decideConditions } from "./conditions.ts";
import { alarmOf, queueOf, tableOf } from "./data.ts";
import { bucketNameOf, type NamedPlace } from "./data-names.ts";
import { domainsOf } from "./domains.ts";
import { edgesOf } from "./edges.ts";
import { busesOf, rulesOf } from "./event-rules.ts";
import { type Frame, parametersOf, withGlobals, withImplicitRestApi } from "./frame.ts";
import { functionUrlsOf, sqsMappingsOf } from "./function-extras.ts";
import { functionOf } from "./functions.ts";
import { type GatewayResponseResource, gatewayResponsesOf } from "./gateway-responses.ts";
import { httpApisOf } from "./http-apis.ts";
import { resolveIntrinsics, type Scope } from "./intrinsics.ts";
import { namesOf } from "./name-resources.ts";
import { IMPLICIT_API, scopeOf, withFronts } from "./names.ts";
import { inSamWords } from "./plain.ts";
import { readTemplate, type TemplateSource } from "./read-yaml.ts";
import { type RestApiContext, restApisOf } from "./rest-apis.ts";
import { schedulesOf } from "./schedules.ts";
import {
  type FunctionResource,
  type HttpApiResource,
  type LogGroupResource,
  RESOURCES,
  type ResourceType,
  templateSchema,
} from "./schema.ts";
import type { AlarmResource, BucketResource, QueueResource, TableResource } from "./schema-data.ts";
import type { RestApiResource } from "./schema-rest.ts";
import type { StreamResource } from "./schema-streams.ts";
import type { ApiKeyResource, UsagePlanKeyResource, UsagePlanResource } from "./schema-usage.ts";
import { standInNames, withoutStandIns } from "./stand-ins.ts";
import { streamMappingsOf, streamOf } from "./streams.ts";
import type { DependencySpec, FrontAddress, Template } from "./types.ts";
import { usageOf } from "./usage-plans.ts";
import { webAclsOf } from "./waf.ts";

export interface LoadOptions extends NamedPlace {
  readonly file: string;
  readonly scale: number;
}

/** Throws a `scenario` error with file and line for whatever is not modelled or is wrong. */
export function loadTemplate(options: LoadOptions): Template {
  const source = readTemplate(options.file);
  const declared = check(source, templateSchema, source.value, []) as unknown as Frame;
  const parted = withoutStandIns(decideConditions(declared, source, options));
  const frame = withImplicitRestApi(inSamWords(parted.frame, source));
  for (const id of Object.keys(frame.Resources)) checkType(id, frame, source);
  const names = namesOf(frame, source, options);
  for (const [id, named] of standInNames(parted, options)) names.set(id, named);
  const scope = scopeOf(options, parametersOf(frame, source), names);
  const resources = new Map(
    Object.keys(frame.Resources).map((id) => [id, resourceOf(id, frame, source, scope)]),
  );
  const functions = ofType<FunctionResource>(resources, "AWS::Serverless::Function");
  const apis = new Map<string, HttpApiResource | null>(
    ofType<HttpApiResource>(resources, "AWS::Serverless::HttpApi"),
  );
  if (hasImplicitApi(functions)) apis.set(IMPLICIT_API, null);
  const domains = domainsOf(
    {
      apis,
      restApis: ofType(resources, "AWS::Serverless::Api"),
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
    ...restOf(resources, functions, { ...options, source, domains }),
    domains,
    urls: functionUrlsOf(functions, options),
    mappings: sqsMappingsOf(functions, options.scale),
    streamMappings: streamMappingsOf(functions),
    schedules: schedulesOf(functions, options, source),
    eventBuses: buses,
    eventRules: rulesOf(ofType(resources, "AWS::Events::Rule"), buses, source),
    ...dataOf(resources, options.scale),
    edges: edgesOf((type) => ofType(resources, type), options, source),
    dependencies: dependenciesOf(frame, source),
    logGroups: [...groups].map(([id, { Properties }]) => Properties?.LogGroupName ?? `local-${id}`),
    placeOfProperty: (id, property) => source.placeOf(["Resources", id, "Properties", property]),
    outputs: (fronts: readonly FrontAddress[]) =>
      Object.fromEntries(outputs.map(([name, text]) => [name, withFronts(text!, fronts)])),
  };
}

function restOf(
  resources: ReadonlyMap<string, unknown>,
  functions: ReadonlyMap<string, FunctionResource>,
  context: Omit<RestApiContext, "webAcls" | "gatewayResponses">,
): Pick<Template, "restApis" | "usage"> {
  const declared = ofType<RestApiResource>(resources, "AWS::Serverless::Api");
  const webAcls = webAclsOf(
    {
      acls: ofType(resources, "AWS::WAFv2::WebACL"),
      sets: ofType(resources, "AWS::WAFv2::IPSet"),
      associations: ofType(resources, "AWS::WAFv2::WebACLAssociation"),
    },
    context,
  );
  const changed = ofType<GatewayResponseResource>(resources, "AWS::ApiGateway::GatewayResponse");
  const gatewayResponses = gatewayResponsesOf(declared, changed, context.source);
  const restApis = restApisOf(declared, functions, { ...context, webAcls, gatewayResponses });
  const usageParts = {
    keys: ofType<ApiKeyResource>(resources, "AWS::ApiGateway::ApiKey"),
    plans: ofType<UsagePlanResource>(resources, "AWS::ApiGateway::UsagePlan"),
    planKeys: ofType<UsagePlanKeyResource>(resources, "AWS::ApiGateway::UsagePlanKey"),
    restApis: declared,
  };
  return { restApis, usage: usageOf(usageParts, restApis, context.scale, context.source) };
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

/** Before anything is resolved: else the complaint is about whoever refers to this resource. */
function checkType(id: string, frame: Frame, source: TemplateSource): void {
  const type = frame.Resources[id]!.Type;
  if (type in RESOURCES) return;
  const leave = `${LEAVE_OUT} a resource out of local AWS`;
  const close = nearest(type, Object.keys(RESOURCES));
  const hint = close === undefined ? leave : `did you mean \`${close}\`? ${leave}`;
  throw new GatecrashError("scenario", `${type} is not modelled by local AWS`, {
    place: source.placeOf(["Resources", id, "Type"]),
    hint,
  });
}

function resourceOf(id: string, frame: Frame, source: TemplateSource, scope: Scope): unknown {
  const raw = frame.Resources[id]!;
  const path = ["Resources", id];
  const merged = { ...raw, Properties: withGlobals(raw.Type, raw.Properties ?? {}, frame) };
  const resolved = resolveIntrinsics(source, scope, merged as unknown as Json, path);
  return check<unknown>(source, RESOURCES[raw.Type as ResourceType], resolved, path);
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
