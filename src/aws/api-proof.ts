// Whose an API of API Gateway is: HTTP and REST APIs, by their own host or by a custom domain.
import { isLoopback } from "../core/loopback.ts";
import {
  type ApiStage,
  behindOf,
  hostOf,
  type Item,
  missing,
  nowhere,
  type Paging,
  type Proof,
  type ProofPlace,
  pages,
  type Traced,
} from "./proof-contract.ts";

const V2: Paging = {
  service: "apigatewayv2",
  items: "Items",
  token: "NextToken",
  ask: "NextToken",
};
const V1: Paging = { service: "apigateway", items: "items", token: "position", ask: "position" };

/** The first segment, which a REST API's own host always has. */
export const stageOf = (url: URL): string => url.pathname.split("/")[1] || "$default";

/** All HTTP APIs: a rehearsal looks for the one that stands on a port. */
export const httpApis = (place: ProofPlace): Promise<Item[]> => pages(place, "GetApis", {}, V2);
export const restApis = (place: ProofPlace): Promise<Item[]> => pages(place, "GetRestApis", {}, V1);

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
  const integrations = await pages(place, "GetIntegrations", { ApiId: apiId }, V2);
  const uris = integrations.map(({ IntegrationUri: uri }) => String(uri ?? ""));
  const name = String(api.Name ?? apiId);
  const where = isLoopback(place.endpoint) ? { connectTo: hostOf(String(api.ApiEndpoint)) } : {};
  const stages = await pages(place, "GetStages", { ApiId: apiId }, V2);
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
  const resources = await pages(place, "GetResources", wanted, V1);
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
  const domains = await pages(place, "GetDomainNames", {}, V2);
  if (domains.some(({ DomainName }) => DomainName === domain)) {
    const mappings = await pages(place, "GetApiMappings", { DomainName: domain }, V2);
    return mappings.map(({ ApiMappingKey: key, ApiId: apiId, Stage: stage }) => {
      return { key: String(key ?? ""), apiId: String(apiId), stage: String(stage) };
    });
  }
  const input = { domainName: domain };
  if ((await found(place, "apigateway", "GetDomainName", input)) === null) return null;
  const mappings = await pages(place, "GetBasePathMappings", input, V1);
  return mappings.map(({ basePath, restApiId, stage }) => {
    const key = basePath === undefined || basePath === "(none)" ? "" : String(basePath);
    return { key, apiId: String(restApiId), stage: String(stage ?? "") };
  });
}
