// The system with published functions, and short ways to invoke and change them.
import { fileURLToPath } from "node:url";
import {
  InvokeCommand,
  type LambdaClient,
  PublishVersionCommand,
  UpdateFunctionConfigurationCommand,
  type UpdateFunctionConfigurationCommandInput,
  waitUntilFunctionUpdatedV2,
} from "@aws-sdk/client-lambda";

export const PUBLISHED_TEMPLATE = fileURLToPath(new URL("./template.yaml", import.meta.url));

export interface Answer {
  readonly executed: string | undefined;
  readonly error: string | undefined;
  readonly version: string;
  readonly arn: string;
  readonly inEnvironment: string;
  readonly start: string;
  readonly greeting: string;
  readonly stream: string;
  readonly served: number;
  readonly log: string;
}

export async function invoke(
  lambda: LambdaClient,
  FunctionName: string,
  event: object = {},
): Promise<Answer> {
  const answer = await lambda.send(
    new InvokeCommand({ FunctionName, Payload: JSON.stringify(event), LogType: "Tail" }),
  );
  return {
    ...(JSON.parse(Buffer.from(answer.Payload ?? []).toString()) as Omit<Answer, "log">),
    executed: answer.ExecutedVersion,
    error: answer.FunctionError,
    log: Buffer.from(answer.LogResult ?? "", "base64").toString(),
  };
}

/** Changes `$LATEST` and waits as a deployment would. */
export async function change(
  lambda: LambdaClient,
  input: UpdateFunctionConfigurationCommandInput,
): Promise<void> {
  await lambda.send(new UpdateFunctionConfigurationCommand(input));
  const { FunctionName } = input;
  const waiting = { client: lambda, maxWaitTime: 20, minDelay: 1, maxDelay: 1 };
  await waitUntilFunctionUpdatedV2(waiting, { FunctionName });
}

export async function publish(lambda: LambdaClient, FunctionName: string): Promise<string> {
  return (await lambda.send(new PublishVersionCommand({ FunctionName }))).Version ?? "";
}
