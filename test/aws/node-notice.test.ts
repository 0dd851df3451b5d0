// In a file of its own: the SDK prints its notice once a process, at the first client.
import { expect, test, vi } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { awsAnswers } from "../support/aws-answers.ts";

test("the SDK's notice about the version of Node is not printed", async () => {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  await using aws = await awsAnswers(() => ({ status: 200, body: "{}" }));
  const where = { endpoint: aws.endpoint, region: "eu-west-1", account: null, runId: "r" };
  await createControlPlane(where).call("lambda", "GetAccountSettings", {});
  expect(warned.mock.calls).toEqual([]);
});
