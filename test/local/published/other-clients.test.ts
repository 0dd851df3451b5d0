// Versions, aliases and provisioned concurrency through AWS's command line, old and new.
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startSystem } from "../clients.ts";
import { AWS_CLIS, aws } from "../other-clients.ts";

const TEMPLATE = fileURLToPath(new URL("./provisioned.yaml", import.meta.url));

describe("aws", () => {
  it.skipIf(AWS_CLIS.length > 0)("is not on this machine: apt-get install awscli", () => {});

  it.each(AWS_CLIS)(
    "$version changes a function, publishes it, moves its alias and provisions it",
    { timeout: 300_000 },
    async ({ program }) => {
      const local = await startSystem({ template: TEMPLATE });
      const lambda = (action: string, ...args: string[]): Promise<unknown> => {
        const words = ["lambda", ...action.split(" "), "--function-name", "later"];
        return aws(program, local.endpoint, [...words, ...args]);
      };
      const provision = ["--qualifier", "live", "--provisioned-concurrent-executions"];
      try {
        expect(await lambda("update-function-configuration", "--timeout", "9")).toMatchObject({
          LastUpdateStatus: "InProgress",
          Timeout: 9,
        });
        await lambda("wait function-updated");
        expect(await lambda("publish-version")).toMatchObject({ Version: "2", Timeout: 9 });
        const route = ["--routing-config", "AdditionalVersionWeights={1=0.25}"];
        const moved = ["--name", "live", "--function-version", "2", ...route];
        expect(await lambda("update-alias", ...moved)).toMatchObject({
          FunctionVersion: "2",
          RoutingConfig: { AdditionalVersionWeights: { 1: 0.25 } },
        });
        expect(await lambda("put-provisioned-concurrency-config", ...provision, "2")).toMatchObject(
          { Status: "IN_PROGRESS", RequestedProvisionedConcurrentExecutions: 2 },
        );
        await expect(
          lambda("put-provisioned-concurrency-config", ...provision, "4"),
        ).rejects.toThrow(
          /InvalidParameterValueException.*reservedConcurrentExecution for function/s,
        );
        expect(await lambda("list-provisioned-concurrency-configs")).toMatchObject({
          ProvisionedConcurrencyConfigs: [{ FunctionArn: expect.stringMatching(/:later:live$/) }],
        });
      } finally {
        await local.stop();
      }
    },
  );
});
