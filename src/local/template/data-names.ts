// What Ref and GetAtt give for queues, tables, alarms, roles, and what SAM adds to functions.
import { createHash } from "node:crypto";
import { apiResource } from "./api-names.ts";
import { edgeResource } from "./edges.ts";
import { apiIdOf, type NamedResource, type Place, stableId } from "./names.ts";

export interface NamedPlace extends Place {
  /** `http://127.0.0.1:PORT`. */
  readonly endpoint: string;
}

/** A name given in the template, or what CloudFormation would make of the logical id. */
type NameAt = (property: string) => string | undefined;

/** null for a type that has no name here. */
export function dataResource(
  id: string,
  type: string,
  nameAt: NameAt,
  place: NamedPlace,
): NamedResource | null {
  const where = `${place.region}:${place.account}`;
  const named = (property: string): string => nameAt(property) ?? `local-${id}`;
  switch (type) {
    case "AWS::SQS::Queue": {
      const name = named("QueueName");
      const url = `${place.endpoint}/${place.account}/${name}`;
      const attributes = { Arn: `arn:aws:sqs:${where}:${name}`, QueueName: name, QueueUrl: url };
      return { type, name: url, attributes };
    }
    case "AWS::Kinesis::Stream": {
      const name = named("Name");
      return { type, name, attributes: { Arn: `arn:aws:kinesis:${where}:stream/${name}` } };
    }
    case "AWS::DynamoDB::Table": {
      const name = named("TableName");
      return { type, name, attributes: { Arn: `arn:aws:dynamodb:${where}:table/${name}` } };
    }
    case "AWS::S3::Bucket": {
      const name = bucketNameOf(id, nameAt("BucketName"));
      const host = `${name}.s3.amazonaws.com`;
      return { type, name, attributes: { Arn: `arn:aws:s3:::${name}`, DomainName: host } };
    }
    case "AWS::CloudWatch::Alarm": {
      const name = named("AlarmName");
      return { type, name, attributes: { Arn: `arn:aws:cloudwatch:${where}:alarm:${name}` } };
    }
    case "AWS::Events::EventBus": {
      const name = nameAt("Name") ?? "";
      const arn = `arn:aws:events:${where}:event-bus/${name}`;
      return { type, name, attributes: { Arn: arn, Name: name } };
    }
    case "AWS::Events::Rule": {
      const [name, bus = "default"] = [named("Name"), nameAt("EventBusName")?.split("/").at(-1)];
      const path = bus === "default" ? name : `${bus}/${name}`;
      return { type, name, attributes: { Arn: `arn:aws:events:${where}:rule/${path}` } };
    }
    case "AWS::ApiGatewayV2::DomainName": {
      const name = nameAt("DomainName") ?? "";
      return { type, name, attributes: { RegionalDomainName: gatewayDomainOf(name, place) } };
    }
    case "AWS::ApiGatewayV2::ApiMapping":
      return { type, name: id };
    case "AWS::IAM::Role": {
      const name = named("RoleName");
      return { type, name, attributes: { Arn: `arn:aws:iam::${place.account}:role/${name}` } };
    }
    default:
      return apiResource(id, type, nameAt, place) ?? edgeResource(id, type, nameAt, place);
  }
}

/** Bucket names are in lower case, also those that CloudFormation makes. */
export const bucketNameOf = (id: string, declared: string | undefined): string =>
  declared ?? `local-${id.toLowerCase()}`;

/** Where the DNS of a custom domain points to. */
export const gatewayDomainOf = (domain: string, { region }: Place): string =>
  `d-${apiIdOf(`domain ${domain}`)}.execute-api.${region}.amazonaws.com`;

/** The id of a function's URL: the first label of its host. */
export const urlIdOf = (functionId: string): string => stableId(`url ${functionId}`, 32);

/** The host of a function URL on AWS. */
export const urlHostOf = (functionId: string, { region }: Place): string =>
  `${urlIdOf(functionId)}.lambda-url.${region}.on.aws`;

/** A UUID that is the same for the same function and event. */
export function mappingIdOf(functionId: string, event: string): string {
  const hex = createHash("sha256").update(`${functionId} ${event}`).digest("hex");
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`];
  return [...groups, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}

/** `Ref: <Function>.Alias` and `.Version` of a function that SAM publishes; both are ARNs. */
export function publishedAs(
  functionName: string,
  alias: string | undefined,
  { region, account }: Place,
): { readonly [attribute: string]: string } {
  const arn = `arn:aws:lambda:${region}:${account}:function:${functionName}`;
  return alias === undefined ? {} : { Alias: `${arn}:${alias}`, Version: `${arn}:1` };
}

/** What SAM makes of a function's own properties: its URL, a mapping for each queue or stream. */
export function* generatedResources(
  id: string,
  properties: { readonly [property: string]: unknown },
  functionName: string,
  place: Place,
): Generator<readonly [logicalId: string, NamedResource]> {
  const functionArn = `arn:aws:lambda:${place.region}:${place.account}:function:${functionName}`;
  if (properties.FunctionUrlConfig !== undefined) {
    const attributes = {
      FunctionUrl: `https://${urlHostOf(id, place)}/`,
      FunctionArn: functionArn,
    };
    yield [`${id}Url`, { type: "AWS::Lambda::Url", name: functionArn, attributes }];
  }
  const events = Object.entries((properties.Events ?? {}) as { [event: string]: unknown });
  for (const [event, declared] of events) {
    const kind = (declared as { Type?: unknown } | null)?.Type;
    if (kind !== "SQS" && kind !== "Kinesis") continue;
    const name = mappingIdOf(id, event);
    const type = "AWS::Lambda::EventSourceMapping";
    yield [`${id}${event}`, { type, name, attributes: { Id: name } }];
  }
}
