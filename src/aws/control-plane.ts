// The one place where AWS SDK clients are built: no retries, guarded endpoint, every call bounded.
import type { ControlPlane, Json } from "../core/change.ts";
import { AwsFailure } from "../core/change.ts";
import { isLoopback } from "../core/loopback.ts";
import { type ClientPlace, clientSettings, TIMEOUT_MS } from "./client-settings.ts";
import { guardEndpoint } from "./endpoint.ts";
import { toAwsFailure } from "./failure.ts";
import { FAKE_CREDENTIALS, type SessionCredentials, shellCredentials } from "./identity.ts";
import { objectCalls } from "./object-calls.ts";
import { allPages } from "./pages.ts";

export interface ControlPlaneOptions extends ClientPlace {
  /** Account of the declared environment on AWS; null = none is declared: loopback only. */
  readonly account: string | null;
  /** Profile of the shared configuration to use on AWS; absent = the SDK's default chain. */
  readonly profile?: string;
  /** In place of profile and default chain. */
  readonly credentials?: () => Promise<SessionCredentials>;
}

/** Service → package, imported when first called: start-up stays quick. */
const PACKAGES: { readonly [service: string]: () => Promise<object> } = {
  lambda: () => import("@aws-sdk/client-lambda"),
  logs: () => import("@aws-sdk/client-cloudwatch-logs"),
  cloudwatch: () => import("@aws-sdk/client-cloudwatch"),
  sts: () => import("@aws-sdk/client-sts"),
  dynamodb: () => import("@aws-sdk/client-dynamodb"),
  scheduler: () => import("@aws-sdk/client-scheduler"),
  ssm: () => import("@aws-sdk/client-ssm"),
  sqs: () => import("@aws-sdk/client-sqs"),
  cloudformation: () => import("@aws-sdk/client-cloudformation"),
  apigatewayv2: () => import("@aws-sdk/client-apigatewayv2"),
  eventbridge: () => import("@aws-sdk/client-eventbridge"),
  kinesis: () => import("@aws-sdk/client-kinesis"),
  apigateway: () => import("@aws-sdk/client-api-gateway"),
  cloudfront: () => import("@aws-sdk/client-cloudfront"),
  elasticloadbalancingv2: () => import("@aws-sdk/client-elastic-load-balancing-v2"),
};

const CLIENT_NAMES: { readonly [service: string]: string } = {
  lambda: "LambdaClient",
  logs: "CloudWatchLogsClient",
  cloudwatch: "CloudWatchClient",
  sts: "STSClient",
  dynamodb: "DynamoDBClient",
  scheduler: "SchedulerClient",
  ssm: "SSMClient",
  sqs: "SQSClient",
  cloudformation: "CloudFormationClient",
  apigatewayv2: "ApiGatewayV2Client",
  eventbridge: "EventBridgeClient",
  kinesis: "KinesisClient",
  apigateway: "APIGatewayClient",
  cloudfront: "CloudFrontClient",
  elasticloadbalancingv2: "ElasticLoadBalancingV2Client",
};

/** Services that stand in one region for all, and where. */
const GLOBAL: { readonly [service: string]: string } = { cloudfront: "us-east-1" };

type Input = { readonly [key: string]: Json };
type Output = { readonly [key: string]: unknown };

interface Client {
  send(command: object, options: { abortSignal: AbortSignal }): Promise<Output>;
}

interface Service {
  readonly client: Client;
  readonly module: { readonly [name: string]: unknown };
}

/**
 * A control plane for one endpoint and region. Calls reject with an AwsFailure; lists are whole.
 * On a loopback endpoint the credentials are fake, and the user's AWS configuration is not used.
 * Throws GatecrashError("refused") for an endpoint that the guard does not allow.
 */
export function createControlPlane(options: ControlPlaneOptions): ControlPlane {
  guardEndpoint(options.endpoint, options.account);
  const services = new Map<string, Promise<Service>>();
  const serviceOf = (name: string): Promise<Service> => {
    const known = services.get(name);
    if (known !== undefined) return known;
    const made = connect(name, options);
    services.set(name, made);
    return made;
  };
  const credentials = options.credentials ?? shellCredentials(options.profile ?? null, options);
  const objects = objectCalls({ ...options, credentials }, options.timeoutMs ?? TIMEOUT_MS);
  const once = async (service: string, action: string, input: Input): Promise<Output> => {
    const { client, module } = await serviceOf(service);
    const Command = constructorOf(module, `${action}Command`);
    const abortSignal = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
    try {
      return await client.send(new Command({ ...input }), { abortSignal });
    } catch (thrown) {
      if (!abortSignal.aborted) throw toAwsFailure(thrown);
      const text = `${action} had no answer within ${options.timeoutMs ?? TIMEOUT_MS} ms`;
      throw new AwsFailure("TimeoutError", text, "", 0);
    }
  };
  return {
    async call(service: string, action: string, input: Input): Promise<Output> {
      if (service === "s3") return objects(action, input);
      return allPages(`${service}:${action}`, input, (page) => once(service, action, page));
    },
  };
}

/** Account and caller of the credentials in use. */
export async function identify(
  control: ControlPlane,
): Promise<{ readonly account: string; readonly arn: string }> {
  const output = await control.call("sts", "GetCallerIdentity", {});
  return { account: String(output.Account ?? ""), arn: String(output.Arn ?? "") };
}

async function connect(name: string, options: ControlPlaneOptions): Promise<Service> {
  const load = PACKAGES[name];
  if (load === undefined) throw new Error(`no SDK client for service ${name}`);
  const [module, settings] = await Promise.all([load(), clientSettings(options)]);
  const Client = constructorOf(module as Service["module"], CLIENT_NAMES[name] ?? "");
  const region = GLOBAL[name] ?? options.region;
  const client = new Client({ ...settings, ...credentialsOf(options), region });
  return { client: client as Client, module: module as Service["module"] };
}

/** On loopback without an identity, credentials are fake; on AWS they are the SDK's to find. */
function credentialsOf({ endpoint, credentials, profile }: ControlPlaneOptions): object {
  if (credentials !== undefined) return { credentials };
  if (isLoopback(endpoint)) return { credentials: FAKE_CREDENTIALS };
  return profile === undefined ? {} : { profile };
}

type Constructor = new (argument: object) => object;

function constructorOf(module: { readonly [name: string]: unknown }, name: string): Constructor {
  const found = module[name];
  if (typeof found !== "function") throw new Error(`the AWS SDK has no ${name}`);
  return found as Constructor;
}
