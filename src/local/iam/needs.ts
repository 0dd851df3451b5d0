// Which permissions an operation takes, on which resource, as the Service Authorization Reference
// says it. Where that leaves open whether an alias is asked for with its function, both are.
import { parseFunctionRef } from "../lambda/function-name.ts";
import type { Need } from "./policy.ts";

type Members = { readonly [member: string]: unknown };

export interface Called {
  /** Its name in the SDK: `lambda`, `apigatewayv2`, … */
  readonly service: string;
  readonly action: string;
  /** As the API has it. */
  readonly input: Members;
  /** Of the request. */
  readonly path?: string;
}

export interface NeedPlace {
  readonly account: string;
  readonly region: string;
}

/** Operations whose permission has another name. */
const ACTIONS: { readonly [operation: string]: string } = {
  "lambda:Invoke": "lambda:InvokeFunction",
  "sqs:SendMessageBatch": "sqs:SendMessage",
  "sqs:DeleteMessageBatch": "sqs:DeleteMessage",
  "sqs:ChangeMessageVisibilityBatch": "sqs:ChangeMessageVisibility",
  "s3:ListObjectsV2": "s3:ListBucket",
  "s3:HeadBucket": "s3:ListBucket",
  "s3:ListBuckets": "s3:ListAllMyBuckets",
  "s3:HeadObject": "s3:GetObject",
  "s3:DeleteObjects": "s3:DeleteObject",
};

/** Everybody may call these; whom a role may be taken by is for its own trust policy to say. */
const FREE = ["sts:GetCallerIdentity", "sts:AssumeRole", "sts:AssumeRoleWithWebIdentity"];

/** Empty: whoever is somebody may. */
export function needsOf(called: Called, place: NeedPlace): Need[] {
  const { service, action: operation } = called;
  const name = `${service}:${operation}`;
  if (FREE.includes(name)) return [];
  const action = GATEWAYS.includes(service) ? "apigateway:GET" : (ACTIONS[name] ?? name);
  const resources = RESOURCES[service]?.(called, place) ?? ["*"];
  return [...resources.map((resource) => ({ action, resource })), ...beside(called, place)];
}

/** Both planes of API Gateway: who may read may read by path. */
const GATEWAYS = ["apigateway", "apigatewayv2"];

type Resources = (called: Called, place: NeedPlace) => readonly string[];

const RESOURCES: { readonly [service: string]: Resources } = {
  lambda: functionsOf,
  scheduler: schedulesOf,
  apigateway: gatewayPath,
  apigatewayv2: gatewayPath,
  logs({ input }, place) {
    const group = textOf(input.logGroupName) || textOf(input.logGroupIdentifier);
    if (group === "") return ["*"];
    const own = group.startsWith("arn:") ? group : `${arn("logs", place)}:log-group:${group}`;
    return [`${own}:log-stream:`];
  },
  ssm: ({ input }, place) => parametersOf(input).map((one) => `${arn("ssm", place)}:${one}`),
  sqs({ input }, place) {
    const queue = lastOf(input.QueueUrl) || textOf(input.QueueName);
    return queue === "" ? ["*"] : [`${arn("sqs", place)}:${queue}`];
  },
  cloudwatch({ action, input }, place) {
    if (action === "SetAlarmState")
      return [`${arn("cloudwatch", place)}:alarm:${textOf(input.AlarmName)}`];
    const rule = textOf(input.AlarmMuteRuleName) || textOf(input.Name);
    if (action.endsWith("AlarmMuteRule"))
      return [`${arn("cloudwatch", place)}:alarm-mute-rule:${rule}`];
    // Whichever are asked for, it is all of them that one has to be allowed.
    return action === "DescribeAlarms" ? [`${arn("cloudwatch", place)}:alarm:*`] : ["*"];
  },
  events({ action, input }, place) {
    if (action.endsWith("EventBus"))
      return [`${arn("events", place)}:event-bus/${lastOf(input.Name) || "default"}`];
    if (action !== "PutEvents") return ["*"];
    const entries = Array.isArray(input.Entries) ? (input.Entries as Members[]) : [];
    const buses = entries.map(
      ({ EventBusName: bus }) => textOf(bus).split("/").at(-1) || "default",
    );
    return [...new Set(buses)].map((bus) => `${arn("events", place)}:event-bus/${bus}`);
  },
  kinesis({ input }, place) {
    const stream = lastOf(input.StreamARN) || textOf(input.StreamName);
    return stream === "" ? ["*"] : [`${arn("kinesis", place)}:stream/${stream}`];
  },
  dynamodb({ input }, place) {
    const table = lastOf(input.TableName);
    return table === "" ? ["*"] : [`${arn("dynamodb", place)}:table/${table}`];
  },
  cloudformation({ input }, place) {
    const stack = textOf(input.StackName);
    if (stack.startsWith("arn:")) return [stack];
    return stack === "" ? ["*"] : [`${arn("cloudformation", place)}:stack/${stack}/local`];
  },
  s3({ action, input }) {
    const bucket = textOf(input.Bucket);
    if (bucket === "") return ["*"];
    const isOfObjects = /^(Get|Head|Put|Delete)Objects?$/.test(action);
    const key = action === "DeleteObjects" ? "*" : textOf(input.Key);
    return [isOfObjects ? `arn:aws:s3:::${bucket}/${key}` : `arn:aws:s3:::${bucket}`];
  },
};

/** Of an ARN, a URL or a name. */
const lastOf = (value: unknown): string => textOf(value).split("/").at(-1) ?? "";

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const arn = (service: string, { region, account }: NeedPlace): string =>
  `arn:aws:${service}:${region}:${account}`;

/** Of all functions there is no resource to be named. */
const OF_NO_FUNCTION = ["ListFunctions", "GetAccountSettings", "ListEventSourceMappings"];
/** Named with its version or alias, that alone is what is asked for. */
const QUALIFIED_ALONE = /^(Invoke|(Get|Put|Delete)ProvisionedConcurrencyConfig)$/;

function functionsOf({ action, input }: Called, place: NeedPlace): string[] {
  if (OF_NO_FUNCTION.includes(action) || action === "CreateEventSourceMapping") return ["*"];
  if (action.endsWith("EventSourceMapping"))
    return [`${arn("lambda", place)}:event-source-mapping:${textOf(input.UUID)}`];
  const ref = parseFunctionRef(textOf(input.FunctionName));
  if (ref === null) return ["*"];
  const account = ref.account ?? place.account;
  const bare = `${arn("lambda", { ...place, account })}:function:${ref.name}`;
  const alias = action.endsWith("Alias") ? textOf(input.Name) : "";
  const qualifier = ref.qualifier ?? (textOf(input.Qualifier) || alias);
  if (qualifier === "") return [bare];
  return QUALIFIED_ALONE.test(action) ? [`${bare}:${qualifier}`] : [bare, `${bare}:${qualifier}`];
}

function schedulesOf({ action, input }: Called, place: NeedPlace): string[] {
  if (action.startsWith("List")) return ["*"];
  const name = textOf(input.Name);
  const kind = action.endsWith("Group")
    ? "schedule-group"
    : `schedule/${textOf(input.GroupName) || "default"}`;
  return [`${arn("scheduler", place)}:${kind}/${name}`];
}

/** One or more names, or a path; with its slash in front or without, an ARN has one slash. */
function parametersOf({ Name, Names, Path }: Members): string[] {
  const names = [Name, ...(Array.isArray(Names) ? Names : []), Path].map(textOf);
  const parameters = names.filter((name) => name !== "");
  return parameters.map((name) => `parameter/${name.replace(/^\//, "")}`);
}

const REFERENCE = "/aws/reference/secretsmanager/";

/** What has to be allowed besides the operation itself. */
function beside({ service, action, input }: Called, place: NeedPlace): Need[] {
  if (service === "scheduler" && /^(Create|Update)Schedule$/.test(action)) {
    const { RoleArn: role } = (input.Target ?? {}) as Members;
    const context = { "iam:PassedToService": "scheduler.amazonaws.com" };
    return [{ action: "iam:PassRole", resource: textOf(role), context }];
  }
  if (action === "PutAlarmMuteRule") {
    const { AlarmNames: names } = (input.MuteTargets ?? {}) as Members;
    const alarms = Array.isArray(names) ? names.map(textOf) : [];
    return alarms.map((alarm) => ({
      action: `cloudwatch:${action}`,
      resource: `${arn("cloudwatch", place)}:alarm:${alarm}`,
    }));
  }
  const name = textOf(input.Name);
  if (service !== "ssm" || !name.startsWith(REFERENCE)) return [];
  // Six characters of Secrets Manager's own end a secret's ARN.
  const secret = `${arn("secretsmanager", place)}:secret:${name.slice(REFERENCE.length)}-a1B2c3`;
  return [{ action: "secretsmanager:GetSecretValue", resource: secret }];
}

function gatewayPath({ path = "" }: Called, { region }: NeedPlace): string[] {
  return [`arn:aws:apigateway:${region}::${path.replace(/^\/v2/, "")}`];
}
