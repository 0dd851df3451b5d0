import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";

const client = new LambdaClient({ maxAttempts: 1 });

export const handler = async (event) => {
  const answer = await client.send(new InvokeCommand({ FunctionName: event.name }));
  return { status: answer.StatusCode, payload: Buffer.from(answer.Payload).toString() };
};
