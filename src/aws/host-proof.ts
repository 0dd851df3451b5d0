// Whose is a host? Traced through the control plane, from the name to a function's account.
import { AwsFailure } from "../core/change.ts";
import { isLoopback } from "../core/loopback.ts";
import {
  httpApis,
  LOCAL_ENDPOINT_TAG,
  restApis,
  stageOf,
  traceApi,
  traceApiDomain,
} from "./api-proof.ts";
import { traceBalancer, traceDistribution } from "./edge-proof.ts";
import { hostOf, type Item, listed, type ProofPlace, type Traced } from "./proof-contract.ts";

export type { Proof, ProofPlace, Traced } from "./proof-contract.ts";

/** A host of an http load. Never rejects because of AWS. */
export async function traceUrl(url: string, place: ProofPlace): Promise<Traced> {
  if (!URL.canParse(url)) return { why: `${url} is no URL` };
  try {
    return await trace(withoutRoot(url), place, 0);
  } catch (error) {
    if (!(error instanceof AwsFailure)) throw error;
    return { why: `the control plane does not say: ${error.name}: ${error.message}` };
  }
}

/** `shop.example.` and `shop.example` are one name. */
function withoutRoot(text: string): URL {
  const url = new URL(text);
  url.hostname = url.hostname.replace(/\.$/, "");
  return url;
}

const EXECUTE_API = /^([a-z0-9]+)\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/;
const FUNCTION_URL = /^([a-z0-9]+)\.lambda-url\.([a-z0-9-]+)\.on\.aws$/;
const DISTRIBUTION = /^[a-z0-9]+\.cloudfront\.net$/;
const BALANCER = /\.([a-z0-9-]+)\.elb\.amazonaws\.com(?:\.cn)?$/;
/** Distributions before an API: more of them than anybody has in a row. */
const DEPTH_MAX = 3;

async function trace(url: URL, place: ProofPlace, depth: number): Promise<Traced> {
  const { hostname } = url;
  if (isLoopback(url.href)) return traceLoopback(url, place);
  const [, apiId, apiRegion] = EXECUTE_API.exec(hostname) ?? [];
  if (apiId !== undefined)
    return inRegion(apiRegion, place) ?? traceApi(apiId, stageOf(url), place, [hostname]);
  const [, urlId, urlRegion] = FUNCTION_URL.exec(hostname) ?? [];
  if (urlId !== undefined) return inRegion(urlRegion, place) ?? traceFunctionUrl(url, place);
  const [, balancerRegion] = BALANCER.exec(hostname) ?? [];
  if (balancerRegion !== undefined)
    return inRegion(balancerRegion, place) ?? traceBalancer(url, place);
  if (DISTRIBUTION.test(hostname)) {
    const none = { why: `account ${place.account} has no distribution with this name` };
    return (await traceDistribution(url, place, originOf(place, depth))) ?? none;
  }
  return traceDomain(url, place, depth);
}

const originOf = (place: ProofPlace, depth: number) => {
  return async (url: URL): Promise<Traced> =>
    depth >= DEPTH_MAX ? { why: "too many distributions in a row" } : trace(url, place, depth + 1);
};

function inRegion(region: string | undefined, place: ProofPlace): Traced | null {
  if (region === place.region) return null;
  return { why: `it is in ${region}, the environment in ${place.region}` };
}

/** A name of API Gateway's, else of a distribution. */
async function traceDomain(url: URL, place: ProofPlace, depth: number): Promise<Traced> {
  const ofApi = await traceApiDomain(url, place);
  if (ofApi !== null) return ofApi;
  const none = `account ${place.account} has no such domain in ${place.region}`;
  try {
    const found = await traceDistribution(url, place, originOf(place, depth));
    return found ?? { why: `${none} and no distribution with it` };
  } catch (error) {
    if (!(error instanceof AwsFailure)) throw error;
    return { why: `${none}; whether a distribution has it is not known: ${error.name}` };
  }
}

/** In a rehearsal a front stands on a port of this machine, and its control plane says which. */
async function traceLoopback(url: URL, place: ProofPlace): Promise<Traced> {
  if (!isLoopback(place.endpoint)) return { why: "it is this machine, not the account" };
  for (const api of await httpApis(place))
    if (hostOf(String(api.ApiEndpoint)) === url.host)
      return traceApi(String(api.ApiId), stageOf(url), place, [url.host]);
  for (const api of await restApis(place))
    if (hostOf(String(((api.tags ?? {}) as Item)[LOCAL_ENDPOINT_TAG])) === url.host)
      return traceApi(String(api.id), stageOf(url), place, [url.host]);
  return traceFunctionUrl(url, place);
}

/** No call finds a function by its URL: each function's are read until one fits. */
async function traceFunctionUrl(url: URL, place: ProofPlace): Promise<Traced> {
  const functions = await listed(place, "lambda:ListFunctions");
  for (const { FunctionName, FunctionArn } of functions) {
    const input = { FunctionName: String(FunctionName) };
    const urls = await listed(place, "lambda:ListFunctionUrlConfigs", input);
    const found = urls.find((one) => hostOf(String(one.FunctionUrl)) === url.host);
    if (found === undefined) continue;
    const arn = String(found.FunctionArn ?? FunctionArn);
    const steps = [url.host, `function ${arn.split(":function:")[1]}`];
    return { proof: { steps, functions: [arn], names: [] } };
  }
  const { account, region } = place;
  return { why: `account ${account} has no API and no function with it in ${region}` };
}
