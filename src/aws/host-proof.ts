// Whose is a host? Traced through the control plane, from the name to a function's account.
import { AwsFailure, type ControlPlane } from "../core/change.ts";
import { isLoopback } from "../core/loopback.ts";

/** What a destination is in an account: each step once, from the host to the resource. */
export interface Proof {
  readonly steps: readonly string[];
  /** ARNs of the functions that answer there; empty where none could be seen. */
  readonly functions: readonly string[];
  /** Names of stages and domains on the way: what their names say of production. */
  readonly names: readonly (readonly [what: string, name: string])[];
  /** `host:port` on loopback where a local AWS has put a domain; absent on AWS. */
  readonly connectTo?: string;
}

export interface ProofPlace {
  readonly control: ControlPlane;
  readonly account: string;
  readonly region: string;
  /** Loopback URL of a rehearsal's local AWS, or `aws`. */
  readonly endpoint: string;
}

/** The proof, or in words why there is none; `foreign` = seen to be another account's. */
export type Traced =
  | { readonly proof: Proof }
  | { readonly why: string; readonly foreign?: boolean };

/** A host of an http load. Never rejects because of AWS. */
export async function traceUrl(url: string, place: ProofPlace): Promise<Traced> {
  if (!URL.canParse(url)) return { why: `${url} is no URL` };
  try {
    return await trace(new URL(url), place);
  } catch (error) {
    if (!(error instanceof AwsFailure)) throw error;
    return { why: `the control plane does not say: ${error.name}: ${error.message}` };
  }
}

const EXECUTE_API = /^([a-z0-9]+)\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/;
const FUNCTION_URL = /^([a-z0-9]+)\.lambda-url\.([a-z0-9-]+)\.on\.aws$/;

async function trace(url: URL, place: ProofPlace): Promise<Traced> {
  const { hostname } = url;
  if (isLoopback(url.href)) return traceLoopback(url, place);
  const [, apiId, apiRegion] = EXECUTE_API.exec(hostname) ?? [];
  if (apiId !== undefined)
    return inRegion(apiRegion, place) ?? traceApi(apiId, stageOf(url), place, [hostname]);
  const [, urlId, urlRegion] = FUNCTION_URL.exec(hostname) ?? [];
  if (urlId !== undefined) return inRegion(urlRegion, place) ?? traceFunctionUrl(url, place);
  return traceDomain(url, place);
}

function inRegion(region: string | undefined, place: ProofPlace): Traced | null {
  if (region === place.region) return null;
  return { why: `it is in ${region}, the environment in ${place.region}` };
}

const stageOf = (url: URL): string => url.pathname.split("/")[1] || "$default";

/** In a rehearsal a front stands on a port of this machine, and its control plane says which. */
async function traceLoopback(url: URL, place: ProofPlace): Promise<Traced> {
  if (!isLoopback(place.endpoint)) return { why: "it is this machine, not the account" };
  for (const api of await pages(place, "GetApis", {}))
    if (hostOf(String(api.ApiEndpoint)) === url.host)
      return traceApi(String(api.ApiId), stageOf(url), place, [url.host]);
  return traceFunctionUrl(url, place);
}

interface Item {
  readonly [key: string]: unknown;
}

interface Paging {
  readonly service: string;
  readonly items: string;
  /** Of the answer, and of the next question. */
  readonly token: string;
  readonly ask: string;
}

/** A read of API Gateway or Lambda in all its pages. */
async function pages(
  { control }: ProofPlace,
  action: string,
  input: { readonly [key: string]: string },
  how: Paging = { service: "apigatewayv2", items: "Items", token: "NextToken", ask: "NextToken" },
): Promise<Item[]> {
  const { service, items, token, ask } = how;
  const found: Item[] = [];
  let next: unknown;
  do {
    const answer = await control.call(service, action, {
      ...input,
      ...(typeof next === "string" ? { [ask]: next } : {}),
    });
    found.push(...((answer[items] ?? []) as readonly Item[]));
    next = answer[token];
  } while (typeof next === "string" && next !== "");
  return found;
}

const missing = (error: unknown): boolean =>
  error instanceof AwsFailure && (error.status === 404 || error.name.includes("NotFound"));

async function traceApi(
  apiId: string,
  stage: string,
  place: ProofPlace,
  before: readonly string[],
): Promise<Traced> {
  const { control, account } = place;
  let api: Item;
  try {
    api = await control.call("apigatewayv2", "GetApi", { ApiId: apiId });
  } catch (error) {
    if (!missing(error)) throw error;
    return { why: `account ${account} has no HTTP API ${apiId} in ${place.region}` };
  }
  const integrations = await pages(place, "GetIntegrations", { ApiId: apiId });
  const uris = integrations.map(({ IntegrationUri: uri }) => String(uri ?? ""));
  const foreign = uris.find((uri) => (OWNED.exec(uri)?.[1] ?? account) !== account);
  if (foreign !== undefined)
    return { why: `API ${apiId} hands on to ${OWNED.exec(foreign)?.[0]}`, foreign: true };
  const functions = [...new Set(uris.flatMap((uri) => FUNCTION.exec(uri)?.[0] ?? []))];
  const hosts = [...new Set(uris.flatMap((uri) => hostOf(uri) || []))];
  const behind = [...functions.map((arn) => `function ${arn.split(":function:")[1]}`), ...hosts];
  const connectTo = isLoopback(place.endpoint)
    ? { connectTo: hostOf(String(api.ApiEndpoint)) }
    : {};
  return {
    proof: {
      steps: [...before, `HTTP API ${apiId}`, ...(behind.length > 0 ? [behind.join(", ")] : [])],
      functions,
      names: [
        ["API", String(api.Name ?? apiId)] as const,
        ["stage", stage] as const,
        ...behind.map((name) => ["integration", name] as const),
      ],
      ...connectTo,
    },
  };
}

/** In an integration's URI: a function's ARN alone, or in API Gateway's path to it. */
const FUNCTION = /arn:aws[a-z-]*:lambda:[^:]+:\d{12}:function:[\w-]+(?::(?:\$LATEST|[\w-]+))?/;
/** Any ARN in an integration's URI that names its account: of a function, a listener. */
const OWNED = /arn:aws[a-z-]*:[a-z0-9-]+:[a-z0-9-]*:(\d{12}):[^/]*/;

async function traceDomain(url: URL, place: ProofPlace): Promise<Traced> {
  const { account, region } = place;
  const domains = await pages(place, "GetDomainNames", {});
  const domain = domains.find(({ DomainName }) => DomainName === url.hostname);
  if (domain === undefined) return { why: `account ${account} has no such domain in ${region}` };
  const mappings = await pages(place, "GetApiMappings", { DomainName: url.hostname });
  const path = url.pathname.slice(1);
  const fitting = mappings
    .map((one) => ({ key: String(one.ApiMappingKey ?? ""), api: one }))
    .filter(({ key }) => key === "" || path === key || path.startsWith(`${key}/`))
    .sort((a, b) => b.key.length - a.key.length)[0]?.api;
  if (fitting === undefined) return { why: `${url.hostname} has no API mapping for this path` };
  return traceApi(String(fitting.ApiId), String(fitting.Stage), place, [url.hostname]);
}

/** No call finds a function by its URL: each function's are read until one fits. */
async function traceFunctionUrl(url: URL, place: ProofPlace): Promise<Traced> {
  const how = { service: "lambda", items: "Functions", token: "NextMarker", ask: "Marker" };
  const functions = await pages(place, "ListFunctions", {}, how);
  const listing = { ...how, items: "FunctionUrlConfigs" };
  for (const { FunctionName, FunctionArn } of functions) {
    const input = { FunctionName: String(FunctionName) };
    const urls = await pages(place, "ListFunctionUrlConfigs", input, listing);
    const found = urls.find((one) => hostOf(String(one.FunctionUrl)) === url.host);
    if (found === undefined) continue;
    const arn = String(found.FunctionArn ?? FunctionArn);
    const steps = [url.host, `function ${arn.split(":function:")[1]}`];
    return { proof: { steps, functions: [arn], names: [] } };
  }
  const { account, region } = place;
  return { why: `account ${account} has no API and no function with it in ${region}` };
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "");

/** A function, stream or queue of a load, by ARN, URL or name. */
export async function traceResource(
  kind: "lambda" | "kinesis" | "sqs",
  name: string,
  place: ProofPlace,
): Promise<Traced> {
  try {
    const arn = await arnOf(kind, name, place);
    const [, , , region = "", account = ""] = arn.split(":");
    if (account !== place.account)
      return { why: `it is ${arn}, of account ${account}`, foreign: true };
    if (region !== place.region) return { why: `it is in ${region}, not in ${place.region}` };
    const what = { lambda: "function", kinesis: "stream", sqs: "queue" }[kind];
    const short = kind === "lambda" ? arn.split(":function:")[1] : arn.split(/[:/]/).at(-1);
    const functions = kind === "lambda" ? [arn] : [];
    return { proof: { steps: [`${what} ${short}`], functions, names: [] } };
  } catch (error) {
    if (!(error instanceof AwsFailure)) throw error;
    return { why: `account ${place.account} does not know it: ${error.name}: ${error.message}` };
  }
}

/** An ARN of another account is not even asked for. */
async function arnOf(kind: string, name: string, place: ProofPlace): Promise<string> {
  const { control, account } = place;
  const isArn = name.startsWith("arn:");
  if (isArn && name.split(":")[4] !== account) return name;
  if (kind === "lambda") {
    const found = await control.call("lambda", "GetFunctionConfiguration", { FunctionName: name });
    return String(found.FunctionArn);
  }
  if (kind === "kinesis") {
    const input = isArn ? { StreamARN: name } : { StreamName: name };
    const found = await control.call("kinesis", "DescribeStreamSummary", input);
    const summary = (found.StreamDescriptionSummary ?? {}) as Item;
    return String(summary.StreamARN);
  }
  const { region, owner, queue } = queueOf(name, place);
  if (owner !== account || region !== place.region)
    return `arn:aws:sqs:${region}:${owner}:${queue}`;
  const QueueUrl = isArn ? `https://sqs.${region}.amazonaws.com/${owner}/${queue}` : name;
  const input = { QueueUrl, AttributeNames: ["QueueArn"] };
  const found = await control.call("sqs", "GetQueueAttributes", input);
  return String(((found.Attributes ?? {}) as Item).QueueArn);
}

/** Calls go to our region's SQS, which looks at a URL's path alone: its host must agree. */
function queueOf(name: string, { region: ours, endpoint }: ProofPlace) {
  const [arn, arnRegion = "", arnOwner = "", arnQueue = ""] = QUEUE_ARN.exec(name) ?? [];
  if (arn !== undefined) return { region: arnRegion, owner: arnOwner, queue: arnQueue };
  const url = URL.canParse(name) ? new URL(name) : null;
  const [, owner = "", queue = ""] = url?.pathname.split("/") ?? [];
  const [host, now, before] = QUEUE_HOST.exec(url?.hostname ?? "") ?? [];
  const isLocal = isLoopback(name) && isLoopback(endpoint);
  if (!isLocal && host === undefined)
    throw new AwsFailure("InvalidAddress", `${name} is no URL or ARN of a queue`, "", 0);
  return { region: now ?? before ?? ours, owner, queue };
}

const QUEUE_ARN = /^arn:aws[a-z-]*:sqs:([^:]+):(\d{12}):(.+)$/;
/** As AWS hands it out, and as it did before 2014. */
const QUEUE_HOST = /^(?:sqs\.([a-z0-9-]+)|([a-z0-9-]+)\.queue)\.amazonaws\.com(?:\.cn)?$/;
