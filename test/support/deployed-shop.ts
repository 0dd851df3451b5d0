// A local AWS with one function, and whatever else a test has deployed beside it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import type { ControlPlane } from "../../src/core/change.ts";
import type { Clock } from "../../src/core/time.ts";
import { type LocalAws, startLocalAws } from "../../src/local/start.ts";

export interface DeployedShop extends AsyncDisposable {
  readonly local: LocalAws;
  readonly control: ControlPlane;
}

const SHOP = `AWSTemplateFormatVersion: "2010-09-09"
Transform: AWS::Serverless-2016-10-31
Resources:
  Shop:
    Type: AWS::Serverless::Function
    Properties:
      FunctionName: shop
      Runtime: nodejs20.x
      Handler: index.handler
      CodeUri: functions/
`;

/** `more` goes on in the function's own properties. */
export async function deployShop(
  more: string,
  { account, clock }: { readonly account?: string; readonly clock?: Clock } = {},
): Promise<DeployedShop> {
  const folder = mkdtempSync(join(tmpdir(), "gatecrash-deployed-"));
  mkdirSync(join(folder, "functions"));
  writeFileSync(join(folder, "functions", "index.mjs"), "export const handler = async () => 1;\n");
  const template = join(folder, "template.yaml");
  writeFileSync(template, SHOP + more);
  const local = await startLocalAws({ template, ...(account && { account }) }, clock);
  const { endpoint } = local;
  const place = { endpoint, region: "eu-west-1", account: null, runId: "deployed" };
  return {
    local,
    control: createControlPlane(place),
    async [Symbol.asyncDispose]() {
      await local.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
