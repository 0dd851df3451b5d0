// What Ref and GetAtt give for REST APIs, their keys and plans, and for web ACLs.
import { apiIdOf, type NamedResource, type Place, stableId } from "./names.ts";

/** The resource of a REST API's path; `/` is its root. */
export const resourceIdOf = (apiLogicalId: string, path: string): string =>
  stableId(`${apiLogicalId} ${path}`, path === "/" ? 10 : 6);

export const keyIdOf = (logicalId: string): string => stableId(`key ${logicalId}`, 10);
export const planIdOf = (logicalId: string): string => stableId(`plan ${logicalId}`, 6);

/** Of a web ACL or an IP set. */
export function wafArnOf(
  kind: "webacl" | "ipset",
  logicalId: string,
  name: string | undefined,
  { region, account }: Place,
): string {
  const path = `${kind}/${name ?? `local-${logicalId}`}/${stableId(`${kind} ${logicalId}`, 32)}`;
  return `arn:aws:wafv2:${region}:${account}:regional/${path}`;
}

/** null for a type that has no name here. */
export function apiResource(
  id: string,
  type: string,
  nameAt: (property: string) => string | undefined,
  place: Place,
): NamedResource | null {
  switch (type) {
    case "AWS::ApiGateway::ApiKey":
      return { type, name: keyIdOf(id), attributes: { APIKeyId: keyIdOf(id) } };
    case "AWS::ApiGateway::UsagePlan":
      return { type, name: planIdOf(id), attributes: { Id: planIdOf(id) } };
    case "AWS::ApiGateway::UsagePlanKey":
    case "AWS::WAFv2::WebACLAssociation":
      return { type, name: id };
    case "AWS::WAFv2::WebACL":
      return { type, ...named(wafArnOf("webacl", id, nameAt("Name"), place)) };
    case "AWS::WAFv2::IPSet":
      return { type, ...named(wafArnOf("ipset", id, nameAt("Name"), place)) };
    default:
      return null;
  }
}

const named = (Arn: string): Pick<NamedResource, "name" | "attributes"> => ({
  name: Arn,
  attributes: { Arn },
});

/** A REST API, its stage as `Ref: <Api>.Stage`, and the plan and key that SAM makes for it. */
export function* restApiNames(
  id: string,
  { Auth: auth }: { readonly [property: string]: unknown },
  stage: string,
): Generator<readonly [logicalId: string, NamedResource]> {
  const name = apiIdOf(id);
  const attributes = { RestApiId: name, RootResourceId: resourceIdOf(id, "/"), Stage: stage };
  yield [id, { type: "AWS::Serverless::Api", name, attributes }];
  yield [`${id}.Stage`, { type: "AWS::ApiGateway::Stage", name: stage }];
  const { UsagePlan: plan } = (auth ?? {}) as { UsagePlan?: { CreateUsagePlan?: unknown } | null };
  const how = plan?.CreateUsagePlan;
  if (how !== "PER_API" && how !== "SHARED") return;
  const owner = how === "SHARED" ? SHARED : id;
  for (const [kind, idOf] of [
    ["ApiKey", keyIdOf],
    ["UsagePlan", planIdOf],
  ] as const)
    yield [`${owner}${kind}`, { type: `AWS::ApiGateway::${kind}`, name: idOf(`${owner}${kind}`) }];
}

/** What SAM calls the plan and the key of all APIs that share them. */
export const SHARED = "Serverless";
