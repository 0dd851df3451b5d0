// A real local AWS with two small functions, on a free port, for tests that change them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../src/core/time.ts";
import { startLocalAws } from "../../src/local/start.ts";

export interface LocalShop extends AsyncDisposable {
  readonly endpoint: string;
  readonly functions: { readonly checkout: string; readonly front: string };
  /** What local AWS itself has seen of writes. */
  writes(): Promise<unknown>;
}

/** `checkout` and `front` answer at once; nothing of them is reserved. */
export async function startLocalShop(clock?: Clock): Promise<LocalShop> {
  const folder = mkdtempSync(join(tmpdir(), "gatecrash-shop-"));
  const template = writeShopTemplate(folder);
  const local = await startLocalAws({ template }, clock);
  return {
    endpoint: local.endpoint,
    functions: {
      checkout: local.outputs.CheckoutArn ?? "",
      front: local.outputs.FrontArn ?? "",
    },
    async writes() {
      const answer = await fetch(new URL("/_local/audit", local.endpoint));
      return ((await answer.json()) as { writes: unknown }).writes;
    },
    async [Symbol.asyncDispose]() {
      await local.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Absolute path of the template. */
export function writeShopTemplate(folder: string): string {
  mkdirSync(join(folder, "functions"));
  writeFileSync(
    join(folder, "functions", "index.mjs"),
    "export const handler = async () => ({ ok: 1 });\n",
  );
  const one = (id: string, name: string): string =>
    `  ${id}:\n    Type: AWS::Serverless::Function\n    Properties:\n` +
    `      FunctionName: ${name}\n      Runtime: nodejs20.x\n      Handler: index.handler\n` +
    "      CodeUri: functions/\n";
  const template =
    "AWSTemplateFormatVersion: '2010-09-09'\nTransform: AWS::Serverless-2016-10-31\nResources:\n" +
    `${one("Checkout", "checkout")}${one("Front", "front")}` +
    "Outputs:\n  CheckoutArn:\n    Value: !GetAtt Checkout.Arn\n" +
    "  FrontArn:\n    Value: !GetAtt Front.Arn\n";
  const file = join(folder, "template.yaml");
  writeFileSync(file, template);
  return file;
}
