import { LambdaClient } from "@aws-sdk/client-lambda";

const client = await Promise.resolve(new LambdaClient({}));

export const handler = async () => ({ region: await client.config.region() });
