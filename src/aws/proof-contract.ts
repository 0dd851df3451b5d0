// What a proof of a host is, and how the control plane is read for one.
import { AwsFailure, type ControlPlane, type Json } from "../core/change.ts";
import { isLoopback } from "../core/loopback.ts";
import { PAGED, type PagedList } from "./pages.ts";

/** What a destination is in an account: each step once, from the host to the resource. */
export interface Proof {
  readonly steps: readonly string[];
  /** ARNs of the functions that answer there; empty where none could be seen. */
  readonly functions: readonly string[];
  /** Names of stages and domains on the way: what their names say of production. */
  readonly names: readonly (readonly [what: string, name: string])[];
  /** `host:port` on loopback where a local AWS has put a domain; absent on AWS. */
  readonly connectTo?: string;
  /** Stages of APIs on the way; those of REST APIs may have usage plans. */
  readonly apis?: readonly ApiStage[];
  /** Firewalls that were seen on the way, by ARN. */
  readonly firewalls?: readonly string[];
}

export interface ApiStage {
  readonly kind: "HTTP API" | "REST API";
  readonly apiId: string;
  readonly name: string;
  readonly stage: string;
  /** What stands before it and may answer in its place; absent = nothing that was seen. */
  readonly behind?: string;
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

export interface Item {
  readonly [key: string]: unknown;
}

/** A list of a control plane, as `service:operation`: its calls give it whole. */
export async function listed(
  { control }: ProofPlace,
  operation: PagedList,
  input: { readonly [key: string]: Json } = {},
): Promise<readonly Item[]> {
  const [service = "", action = ""] = operation.split(":");
  const [items = ""] = PAGED[operation].items;
  const answer = await control.call(service, action, input);
  return (answer[items] ?? []) as readonly Item[];
}

export const missing = (error: unknown): boolean =>
  error instanceof AwsFailure && (error.status === 404 || error.name.includes("NotFound"));

export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "");

/** In an integration's URI: a function's ARN alone, or in API Gateway's path to it. */
const FUNCTION = /arn:aws[a-z-]*:lambda:[^:]+:\d{12}:function:[\w-]+(?::(?:\$LATEST|[\w-]+))?/;
/** Any ARN in an integration's URI that names its account: of a function, a listener. */
const OWNED = /arn:aws[a-z-]*:[a-z0-9-]+:[a-z0-9-]*:(\d{12}):[^/]*/;

/** What is behind a front: functions, other hosts, or another account's resource. */
export function behindOf(uris: readonly string[], account: string) {
  const foreign = uris.find((uri) => (OWNED.exec(uri)?.[1] ?? account) !== account);
  const functions = [...new Set(uris.flatMap((uri) => FUNCTION.exec(uri)?.[0] ?? []))];
  const hosts = [...new Set(uris.flatMap((uri) => hostOf(uri) || []))];
  const names = [...functions.map((arn) => `function ${arn.split(":function:")[1]}`), ...hosts];
  return {
    functions,
    names,
    foreign: foreign === undefined ? null : (OWNED.exec(foreign)?.[0] ?? foreign),
  };
}

/** Where a rehearsal connects for a host that only its control plane knows: nothing leaves. */
export const nowhere = ({ endpoint }: ProofPlace): { readonly connectTo?: string } =>
  isLoopback(endpoint) ? { connectTo: hostOf(endpoint) } : {};
