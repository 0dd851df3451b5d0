// Unmodified SDK clients against local AWS, and the system that the tests start.

import { fileURLToPath } from "node:url";
import { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { SQSClient } from "@aws-sdk/client-sqs";
import { STSClient } from "@aws-sdk/client-sts";
import type { LocalAwsOptions } from "../../src/local/options.ts";
import { type LocalAws, startLocalAws } from "../../src/local/start.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

export const TEMPLATE = fileURLToPath(new URL("./system/template.yaml", import.meta.url));

export const startSystem = (options: Partial<LocalAwsOptions> = {}): Promise<LocalAws> =>
  startLocalAws({ template: TEMPLATE, ...options });

/** Queues, a mapping, a table, an alarm, a function URL. */
export const QUEUES_TEMPLATE = fileURLToPath(new URL("./queues/template.yaml", import.meta.url));

export interface Clients {
  readonly lambda: LambdaClient;
  readonly logs: CloudWatchLogsClient;
  readonly metrics: CloudWatchClient;
  readonly sqs: SQSClient;
  readonly sts: STSClient;
}

export function clientsOf(endpoint: string): Clients {
  const config = {
    endpoint,
    region: "eu-west-1",
    maxAttempts: 1,
    credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" },
  };
  return {
    lambda: new LambdaClient(config),
    logs: new CloudWatchLogsClient(config),
    metrics: new CloudWatchClient(config),
    sqs: new SQSClient(config),
    sts: new STSClient(config),
  };
}

/** What an SDK call was refused with. */
export async function refusalOf(call: Promise<unknown>): Promise<{ [member: string]: unknown }> {
  try {
    await call;
  } catch (thrown) {
    const { name, message, $metadata, ...rest } = thrown as Error & {
      $metadata: { httpStatusCode?: number };
      [member: string]: unknown;
    };
    return { name, message, status: $metadata.httpStatusCode, ...rest };
  }
  return { name: "no refusal" };
}
