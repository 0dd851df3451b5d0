// Whose an API of API Gateway is: HTTP and REST APIs, by their own host or by a custom domain.
import { isLoopback } from "../core/loopback.ts";
import {
  type ApiStage,
  behindOf,
  hostOf,
  type Item,
  listed,
  missing,
  nowhere,
  type Proof,
  type ProofPlace,
  type Traced,
} from "./proof-contract.ts";

/** The first segment, which a REST API's own host always has. */
export const stageOf = (url: URL): string => url.pathname.split("/")[1] || "$default";

/** All HTTP APIs: a rehearsal looks for the one that stands on a port. */
export const httpApis = (place: ProofPlace): Promise<readonly Item[]> =>
  listed(place, "apigatewayv2:GetApis");
export const restApis = (place: ProofPlace): Promise<readonly Item[]> =>
  listed(place, "apigateway:GetRestApis");

/** By its id, of whichever kind it is; `before` are the steps that led there. */
export async function traceApi(
  apiId: string,
  stage: string,
  place: ProofPlace,
  before: readonly string[],
): Promise<Traced> {
  const { account, region } = place;
  const api = await found(place, "apigatewayv2", "GetApi", { ApiId: apiId });
  if (api !== null) return traceHttpApi(api, stage, place, before);
  const rest = await found(place, "apigateway", "GetRestApi", { restApiId: apiId });
  if (rest !== null) return traceRestApi(rest, stage, place, before);
  return { why: `account ${account} has no API ${apiId} in ${region}` };
}

/** Null where there is none of that name. */
async function found(
  { control }: ProofPlace,
  service: string,
  action: string,
  input: { readonly [key: string]: string },
): Promise<Item | null> {
  try {
    return await control.call(service, action, input);
  } catch (error) {
    if (!missing(error)) throw error;
    return null;
  }
}

async function traceHttpApi(
  api: Item,
  stage: string,
  place: ProofPlace,
  before: readonly string[],
): Promise<Traced> {
  const apiId = String(api.ApiId);
  const integrations = await listed(place, "apigatewayv2:GetIntegrations", { ApiId: apiId });
  const uris = integrations.map(({ IntegrationUri: uri }) => String(uri ?? ""));
  const name = String(api.Name ?? apiId);
  const where = isLoopback(place.endpoint) ? { connectTo: hostOf(String(api.ApiEndpoint)) } : {};
  const stages = await listed(place, "apigatewayv2:GetStages", { ApiId: apiId });
  // Any other first segment is a part of the path in the stage that has no name.
  const isNamed = stages.some(({ StageName }) => StageName === stage);
  const own = { kind: "HTTP API", apiId, name, stage: isNamed ? stage : "$default" } as const;
  return proofOf({ ...own, uris, more: where }, place, before);
}

async function traceRestApi(
  api: Item,
  stage: string,
  place: ProofPlace,
  before: readonly string[],
): Promise<Traced> {
  const restApiId = String(api.id);
  const input = { restApiId, stageName: stage };
  const deployed = await found(place, "apigateway", "GetStage", input);
  if (deployed === null) return { why: `REST API ${restApiId} has no stage ${stage}` };
  const wanted = { restApiId, embed: ["methods"], limit: 500 };
  const resources = await listed(place, "apigateway:GetResources", wanted);
  const methods = resources.flatMap(({ resourceMethods }) =>
    Object.values((resourceMethods ?? {}) as { readonly [method: string]: Item }),
  );
  const uris = methods.map(({ methodIntegration }) =>
    String((methodIntegration as Item | undefined)?.uri ?? ""),
  );
  const { webAclArn } = deployed;
  const more = {
    ...(typeof webAclArn === "string" && webAclArn !== "" ? { firewalls: [webAclArn] } : {}),
    ...restFront(api, place),
  };
  const name = String(api.name ?? restApiId);
  const own = { kind: "REST API", apiId: restApiId, name, stage } as const;
  return proofOf({ ...own, uris, more }, place, before);
}

/** API Gateway does not say an endpoint of REST APIs; a local AWS does, in a tag. */
export const LOCAL_ENDPOINT_TAG = "gatecrash:endpoint";

function restFront({ tags }: Item, place: ProofPlace): Pick<Proof, "connectTo"> {
  const endpoint = ((tags ?? {}) as Item)[LOCAL_ENDPOINT_TAG];
  if (!isLoopback(place.endpoint)) return {};
  return typeof endpoint === "string" ? { connectTo: hostOf(endpoint) } : nowhere(place);
}

interface Api extends ApiStage {
  readonly uris: readonly string[];
  readonly more: Partial<Proof>;
}

function proofOf(api: Api, { account }: ProofPlace, before: readonly string[]): Traced {
  const { kind, apiId, name, stage, uris, more } = api;
  const { functions, names, foreign } = behindOf(uris, account);
  if (foreign !== null) return { why: `API ${apiId} hands on to ${foreign}`, foreign: true };
  return {
    proof: {
      steps: [...before, `${kind} ${apiId}`, ...(names.length > 0 ? [names.join(", ")] : [])],
      functions,
      names: [
        ["API", name] as const,
        ["stage", stage] as const,
        ...names.map((one) => ["integration", one] as const),
      ],
      apis: [{ kind, apiId, name, stage }],
      ...more,
    },
  };
}

/** A domain of the account's in API Gateway; null where it has none of that name. */
export async function traceApiDomain(url: URL, place: ProofPlace): Promise<Traced | null> {
  const mappings = await mappingsOf(url.hostname, place);
  if (mappings === null) return null;
  const path = url.pathname.slice(1);
  const fitting = mappings
    .filter(({ key }) => key === "" || path === key || path.startsWith(`${key}/`))
    .sort((a, b) => b.key.length - a.key.length)[0];
  if (fitting === undefined) return { why: `${url.hostname} has no API mapping for this path` };
  const { apiId, stage, key } = fitting;
  // A base path mapping without a stage leaves it to the path.
  const rest = new URL(`/${path.slice(key.length).replace(/^\//, "")}`, url);
  return traceApi(apiId, stage || stageOf(rest), place, [url.hostname]);
}

interface Mapping {
  readonly key: string;
  readonly apiId: string;
  /** "" = the first segment below the key. */
  readonly stage: string;
}

/** Of the second API's domains, and of those that only the first one lists (edge-optimized). */
async function mappingsOf(domain: string, place: ProofPlace): Promise<Mapping[] | null> {
  const domains = await listed(place, "apigatewayv2:GetDomainNames");
  if (domains.some(({ DomainName }) => DomainName === domain)) {
    const mappings = await listed(place, "apigatewayv2:GetApiMappings", { DomainName: domain });
    return mappings.map(({ ApiMappingKey: key, ApiId: apiId, Stage: stage }) => {
      return { key: String(key ?? ""), apiId: String(apiId), stage: String(stage) };
    });
  }
  const input = { domainName: domain };
  if ((await found(place, "apigateway", "GetDomainName", input)) === null) return null;
  const mappings = await listed(place, "apigateway:GetBasePathMappings", input);
  return mappings.map(({ basePath, restApiId, stage }) => {
    const key = basePath === undefined || basePath === "(none)" ? "" : String(basePath);
    return { key, apiId: String(restApiId), stage: String(stage ?? "") };
  });
}
