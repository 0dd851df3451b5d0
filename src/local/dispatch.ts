// From a request on the wire to the operation it asks for, by protocol, and back.
import { randomUUID } from "node:crypto";
import { messageOf } from "../core/error.ts";
import { AwsError } from "./aws-error.ts";
import { admit } from "./iam/admit.ts";
import type { RestAnswer } from "./lambda/rest-call.ts";
import { isObjectCall, objectAnswer } from "./objects/object-calls.ts";
import { JSON_SERVICES, matchRest, QUERY_SERVICES } from "./operations.ts";
import { NoAnswer } from "./planned-errors.ts";
import { restInput } from "./rest-routes.ts";
import { type JsonInput, jsonAnswer, jsonError, jsonInput } from "./wire/aws-json.ts";
import { queryAnswer, queryError } from "./wire/aws-query.ts";
import type { WireAnswer, WireHandler, WireRequest } from "./wire/request.ts";
import { callerOf } from "./wire/sigv4.ts";
import type { World } from "./world.ts";

/** Query clients post to the service, those of SQS also to the queue's own URL. */
const QUERY_PATH = /^\/(\d{12}\/[\w.-]+\/?)?$/;

/** Never rejects: an operation's AwsError is its answer, anything else is an InternalFailure. */
export function dispatcher(world: World): WireHandler {
  return (request) => {
    const target = request.headers["x-amz-target"];
    if (typeof target === "string") return json(world, request, target);
    if (isObjectCall(request)) return objectAnswer(world, request);
    const contentType = request.headers["content-type"] ?? "";
    const form = contentType.startsWith("application/x-www-form-urlencoded");
    if (form && QUERY_PATH.test(request.path)) return query(world, request);
    return rest(world, request);
  };
}

async function rest(world: World, request: WireRequest): Promise<WireAnswer> {
  let requestId: string | undefined;
  try {
    const { method, path, headers, body } = request;
    const search = paged(world, request.query);
    const matched = matchRest(method, path, search);
    if (matched === null) throw unknownOperation(`${method} ${path}`);
    const caller = callerOf(headers.authorization);
    const { route, labels } = matched;
    const segment = Object.values(labels)[0] ?? "";
    const call = { segment, labels, query: search, headers, body };
    const { service, name: action } = route;
    admit(world, caller, `${service}:${action}`, () => {
      return { service, action, path, input: restInput(route, call) };
    });
    const named = { service, action, what: () => `${JSON.stringify(labels)} ${search}` };
    const answer = await world.planned.run(named, () => route.operation(world, call));
    requestId = answer.requestId;
    return restAnswer(answer, requestId ?? randomUUID());
  } catch (thrown) {
    if (thrown instanceof NoAnswer) return await never();
    const error = asAwsError(thrown);
    const type = { "x-amzn-errortype": error.code };
    const { status } = error;
    return restAnswer({ status, headers: type, body: error.body() }, requestId ?? randomUUID());
  }
}

const restAnswer = ({ status, headers, body = "" }: RestAnswer, requestId: string): WireAnswer => ({
  status,
  headers: { "content-type": "application/json", "x-amzn-requestid": requestId, ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

async function json(world: World, request: WireRequest, target: string): Promise<WireAnswer> {
  const requestId = randomUUID();
  const [prefix = "", name = ""] = target.split(".");
  const service = own(JSON_SERVICES, prefix) ?? {
    version: "1.1",
    queryCompatible: false,
    operations: {},
  };
  try {
    const operation = own(service.operations, name);
    if (operation === undefined) throw unknownOperation(target);
    const caller = callerOf(request.headers.authorization);
    const input = pagedInput(world, name, jsonInput(request));
    admit(world, caller, `${prefix}:${name}`, () => {
      return { service: SERVICES[prefix] ?? prefix, action: name, input };
    });
    const named = { service: prefix, action: name, what: () => JSON.stringify(input) };
    const account = world.sessions.get(caller.accessKeyId)?.account ?? world.account;
    const output = await world.planned.run(named, () => operation(world, input, account));
    return jsonAnswer(service, output, requestId);
  } catch (thrown) {
    if (thrown instanceof NoAnswer) return await never();
    return jsonError(service, asAwsError(thrown), requestId);
  }
}

/** Signed by nobody: a token of somebody else says who calls. */
const UNSIGNED = ["AssumeRoleWithWebIdentity"];
const NOBODY = { accessKeyId: "", region: "", service: "sts" };

async function query(world: World, request: WireRequest): Promise<WireAnswer> {
  const requestId = randomUUID();
  const form = new URLSearchParams(request.body.toString());
  const action = form.get("Action") ?? "";
  const version = form.get("Version") ?? "";
  const service = own(QUERY_SERVICES, version) ?? { namespace: "", operations: {} };
  try {
    const operation = own(service.operations, action);
    if (operation === undefined) throw unknownOperation(action);
    const caller = UNSIGNED.includes(action) ? NOBODY : callerOf(request.headers.authorization);
    admit(world, caller, `${version}:${action}`, () => {
      return { service: SERVICES[version] ?? version, action, input: Object.fromEntries(form) };
    });
    const output = await operation(world, { form, caller });
    return queryAnswer(action, service.namespace, output, requestId);
  } catch (thrown) {
    return queryError(asAwsError(thrown), service.namespace, requestId);
  }
}

/** A list's client may ask for small pages: with `pageMost` every client does. */
function paged({ pageMost }: World, search: URLSearchParams): URLSearchParams {
  if (pageMost === null) return search;
  const asked = new URLSearchParams(search);
  for (const key of ["MaxItems", "MaxResults", "maxResults", "limit"])
    asked.set(key, String(pageMost));
  return asked;
}

function pagedInput({ pageMost }: World, operation: string, input: JsonInput): JsonInput {
  const key = { DescribeAlarms: "MaxRecords", GetParametersByPath: "MaxResults" }[operation];
  return pageMost === null || key === undefined ? input : { ...input, [key]: pageMost };
}

/** What the wire calls a service → what the SDK does. */
const SERVICES: { readonly [name: string]: string } = {
  Logs_20140328: "logs",
  Kinesis_20131202: "kinesis",
  DynamoDB_20120810: "dynamodb",
  AWSEvents: "events",
  AmazonSSM: "ssm",
  AmazonSQS: "sqs",
  GraniteServiceVersion20100801: "cloudwatch",
  "2012-11-05": "sqs",
  "2010-08-01": "cloudwatch",
  "2011-06-15": "sts",
  "2010-05-15": "cloudformation",
  "2015-12-01": "elasticloadbalancing",
};

/** What every object has by birth is no service and no operation. */
const own = <T>(table: { readonly [name: string]: T }, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** The connection stays open until its client gives up. */
const never = (): Promise<never> => new Promise(() => {});

const unknownOperation = (name: string): AwsError =>
  new AwsError("UnknownOperationException", 404, `Local AWS does not know ${name}`);

const asAwsError = (thrown: unknown): AwsError =>
  thrown instanceof AwsError
    ? thrown
    : new AwsError("InternalFailure", 500, `local AWS broke: ${messageOf(thrown)}`);
