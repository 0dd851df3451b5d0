// What all clients have in common: what is signed goes to the service, wherever it points.
import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { clientSettings } from "../../src/aws/client-settings.ts";

test("a queue's URL does not choose the host that a signed call goes to", async () => {
  const settings = await clientSettings({ endpoint: "aws", region: "eu-west-1", runId: "test" });
  const hosts: string[] = [];
  const requestHandler = {
    async handle({ hostname }: { hostname: string }): Promise<never> {
      hosts.push(hostname);
      throw new Error("nothing leaves this machine");
    },
  };
  const credentials = { accessKeyId: "AKID", secretAccessKey: "secret" };
  const client = new SQSClient({ ...settings, region: "eu-west-1", credentials, requestHandler });
  const QueueUrl = "https://elsewhere.example/222222222222/jobs";
  const call = client.send(new GetQueueAttributesCommand({ QueueUrl }));
  await expect(call).rejects.toThrow("nothing leaves this machine");
  expect(hosts).toEqual(["sqs.eu-west-1.amazonaws.com"]);
});
