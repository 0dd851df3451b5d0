// The one place where AWS SDK clients are built: no retries, guarded endpoint, every call bounded.
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { ControlPlane, Json } from "../core/change.ts";
import { AwsFailure } from "../core/change.ts";
import { AWS_ENDPOINT, guardEndpoint, isLoopback } from "./endpoint.ts";
import { toAwsFailure } from "./failure.ts";
import { objectCalls } from "./object-calls.ts";

export interface ControlPlaneOptions {
  /** Loopback URL, or `"aws"` for AWS's own endpoints. */
  readonly endpoint: string;
  readonly region: string;
  /** Account of the declared environment on AWS; null = none is declared: loopback only. */
  readonly account: string | null;
  /** Part of the user agent, so that the account's audit trail names the run. */
  readonly runId: string;
  /** Profile of the shared configuration to use on AWS; absent = the SDK's default chain. */
  readonly profile?: string;
  /** Longest time for one call, connecting included. Default 10 s. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
const SOCKETS_MAX = 16;

/** Never read by local AWS; a signature needs something. */
const FAKE_CREDENTIALS = {
  accessKeyId: "LOCALGATECRASH",
  secretAccessKey: "local-gatecrash-no-secret",
};

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
};

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
 * A control plane for one endpoint and region. Calls reject with an AwsFailure.
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
  const objects = objectCalls(options, options.timeoutMs ?? TIMEOUT_MS);
  return {
    async call(service: string, action: string, input: Input): Promise<Output> {
      if (service === "s3") return objects(action, input);
      const { client, module } = await serviceOf(service);
      const Command = constructorOf(module, `${action}Command`);
      const abortSignal = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
      try {
        return await client.send(new Command({ ...input }), { abortSignal });
      } catch (thrown) {
        if (abortSignal.aborted) {
          const text = `${action} had no answer within ${options.timeoutMs ?? TIMEOUT_MS} ms`;
          throw new AwsFailure("TimeoutError", text, "", 0);
        }
        throw toAwsFailure(thrown);
      }
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
  // On Node 20 the SDK prints a notice at start-up; the versions here are pinned and support it.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";
  const load = PACKAGES[name];
  if (load === undefined) throw new Error(`no SDK client for service ${name}`);
  const [module, handler] = await Promise.all([load(), import("@smithy/node-http-handler")]);
  const Client = constructorOf(module as Service["module"], CLIENT_NAMES[name] ?? "");
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const client = new Client({
    ...identityOf(options),
    region: options.region,
    maxAttempts: 1,
    retryMode: "standard",
    customUserAgent: [["gatecrash"], ["run", options.runId]],
    requestHandler: new handler.NodeHttpHandler({
      connectionTimeout: timeoutMs,
      // A fresh connection for every call: on a stale one the answer of an undo would be unknown.
      httpAgent: new HttpAgent({ keepAlive: false, maxSockets: SOCKETS_MAX }),
      httpsAgent: new HttpsAgent({ keepAlive: false, maxSockets: SOCKETS_MAX }),
    }),
  });
  return { client: client as Client, module: module as Service["module"] };
}

/** Everything that the SDK would otherwise look up in the environment or in ~/.aws. */
function identityOf(options: ControlPlaneOptions): { readonly [key: string]: unknown } {
  if (options.endpoint === AWS_ENDPOINT || !isLoopback(options.endpoint)) {
    return options.profile === undefined ? {} : { profile: options.profile };
  }
  return {
    endpoint: options.endpoint,
    credentials: FAKE_CREDENTIALS,
    defaultsMode: "standard",
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    userAgentAppId: "gatecrash",
    authSchemePreference: [],
    // A queue's URL names AWS's host; SQS's client would go there.
    useQueueUrlAsEndpoint: false,
  };
}

type Constructor = new (argument: object) => object;

function constructorOf(module: { readonly [name: string]: unknown }, name: string): Constructor {
  const found = module[name];
  if (typeof found !== "function") throw new Error(`the AWS SDK has no ${name}`);
  return found as Constructor;
}
