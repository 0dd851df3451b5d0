// Where a run was made, without saying which machine it was.
import { hostname } from "node:os";
import { expect, test } from "vitest";
import { machineText } from "../../src/run/machine.ts";

const common = /^\w+ \w+, \d+ CPUs?, Node \d+\.\d+\.\d+/;

test("is told by system, CPUs and Node alone on a machine of one's own", () => {
  const text = machineText({ AWS_REGION: "eu-west-1" });
  expect(text.replace(common, "")).toBe("");
  expect(text).not.toContain(hostname());
});

test.each([
  [{ GITHUB_ACTIONS: "true", AWS_REGION: "eu-west-1" }, ", GitHub Actions"],
  [{ AWS_BATCH_JOB_ID: "a-1", AWS_REGION: "eu-west-1" }, ", AWS Batch in eu-west-1"],
  [
    { ECS_CONTAINER_METADATA_URI_V4: "x", AWS_DEFAULT_REGION: "us-east-1" },
    ", Amazon ECS in us-east-1",
  ],
  [{ AWS_EXECUTION_ENV: "CloudShell", AWS_REGION: "us-east-1" }, ", AWS in us-east-1"],
  [{ KUBERNETES_SERVICE_HOST: "10.0.0.1" }, ", Kubernetes"],
])("names the service: %j", (env, expected) => {
  expect(machineText(env).replace(common, "")).toBe(expected);
});
