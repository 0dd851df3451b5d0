// What the template's names stand for locally: function names, API ids, log groups, ARNs.
import { createHash } from "node:crypto";
import type { Json } from "../../core/change.ts";
import type { Scope } from "./intrinsics.ts";
import type { FrontAddress } from "./types.ts";

export interface Place {
  readonly account: string;
  readonly region: string;
}

/** The API that SAM adds for events without an `ApiId`. */
export const IMPLICIT_API = "ServerlessHttpApi";
/** The same for events of type `Api`, with its stage. */
export const IMPLICIT_REST_API = "ServerlessRestApi";
export const IMPLICIT_STAGE = "Prod";
/** The stack that a template is deployed as. */
export const STACK = "local";

export interface NamedResource {
  readonly type: string;
  /** What `Ref` gives: the function's name, the API's id, the group's name. */
  readonly name: string;
  /** What GetAtt gives, where it is no ARN made of the name below. */
  readonly attributes?: { readonly [attribute: string]: string };
}

/** Lower-case letters and digits, the same for the same text. */
export const stableId = (text: string, length: number): string =>
  BigInt(`0x${createHash("sha256").update(text).digest("hex")}`)
    .toString(36)
    .slice(0, length);

/** Ten characters as API Gateway's ids. */
export const apiIdOf = (logicalId: string): string => `a${stableId(logicalId, 9)}`;

/** A function without FunctionName is called as CloudFormation would, without its random end. */
export const functionNameOf = (logicalId: string, declared: string | undefined): string =>
  declared ?? `${STACK}-${logicalId}`;

/** What events of a function invoke: its published alias where it has one. */
export function targetNameOf(
  logicalId: string,
  { FunctionName: name, AutoPublishAlias: alias }: PublishedAs,
): string {
  const own = functionNameOf(logicalId, name);
  return alias === undefined ? own : `${own}:${alias}`;
}

interface PublishedAs {
  readonly FunctionName?: string | undefined;
  readonly AutoPublishAlias?: string | undefined;
}

/** The host of an API on AWS. */
export const hostOf = (apiId: string, { region }: Place): string =>
  `${apiId}.execute-api.${region}.amazonaws.com`;

/** The scope of `Ref` and `Fn::GetAtt` over parameters and the resources known so far. */
export function scopeOf(
  place: Place,
  parameters: { readonly [name: string]: Json },
  resources: ReadonlyMap<string, NamedResource>,
): Scope {
  const pseudo: { readonly [name: string]: string | null } = {
    "AWS::Region": place.region,
    "AWS::AccountId": place.account,
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
    "AWS::StackName": STACK,
    "AWS::StackId": `arn:aws:cloudformation:${place.region}:${place.account}:stack/${STACK}/0`,
    "AWS::NoValue": null,
  };
  return {
    ref(name) {
      if (name in pseudo) return pseudo[name];
      if (name in parameters) return String(parameters[name]);
      return resources.get(name)?.name;
    },
    attribute(resource, attribute) {
      const found = resources.get(resource);
      if (found === undefined) return undefined;
      const where = `${place.region}:${place.account}`;
      const known: { readonly [key: string]: string } = {
        "AWS::Serverless::Function.Arn": `arn:aws:lambda:${where}:function:${found.name}`,
        "AWS::Logs::LogGroup.Arn": `arn:aws:logs:${where}:log-group:${found.name}:*`,
        "AWS::Serverless::HttpApi.ApiEndpoint": `https://${hostOf(found.name, place)}`,
        "AWS::Serverless::HttpApi.ApiId": found.name,
      };
      return found.attributes?.[attribute] ?? known[`${found.type}.${attribute}`];
    },
  };
}

/**
 * The same template deploys on AWS, so it writes `https://<id>.execute-api.<region>.<suffix>`; here
 * that becomes the front's `http://127.0.0.1:PORT`, and the bare host becomes `127.0.0.1:PORT`.
 */
export function withFronts(text: string, fronts: readonly FrontAddress[]): string {
  let out = text;
  for (const { onAws, host } of fronts)
    out = out.replaceAll(`https://${onAws}`, `http://${host}`).replaceAll(onAws, host);
  return out;
}
