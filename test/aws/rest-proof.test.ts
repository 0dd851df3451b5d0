// Whose a REST API is, through a local AWS's control plane: its own host, its stage, its domains.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { type ProofPlace, traceUrl } from "../../src/aws/host-proof.ts";
import type { ControlPlane } from "../../src/core/change.ts";
import { type LocalAws, startLocalAws } from "../../src/local/start.ts";

const EDGES = fileURLToPath(new URL("../fixtures/edges/", import.meta.url));
const OURS = "222222222222";
const THEIRS = "111111111111";
const REGION = "eu-west-1";
const folder = mkdtempSync(join(tmpdir(), "gatecrash-rest-"));
let local: LocalAws;
let control: ControlPlane;

beforeAll(async () => {
  cpSync(EDGES, folder, { recursive: true });
  const template = join(folder, "template.yaml");
  const own = "      Domain: { DomainName: shop.example, BasePath: store }\n";
  const yaml = readFileSync(template, "utf8").replace("      StageName: v1\n", `$&${own}`);
  writeFileSync(template, `${yaml}  ApiId: { Value: !Ref Api }\n`);
  local = await startLocalAws({ template, account: OURS });
  const place = { endpoint: local.endpoint, region: REGION, account: null, runId: "proof" };
  control = createControlPlane(place);
}, 60_000);
afterAll(async () => {
  await local.stop();
  rmSync(folder, { recursive: true });
});

const onAws = (more: Partial<ProofPlace> = {}): ProofPlace => {
  return { control, account: OURS, region: REGION, endpoint: "aws", ...more };
};
const apiId = (): string => local.outputs.ApiId ?? "";
const host = (): string => `${apiId()}.execute-api.${REGION}.amazonaws.com`;
const shop = `arn:aws:lambda:${REGION}:${OURS}:function:shop`;

const changed = (answers: { readonly [action: string]: object }): ControlPlane => ({
  call: async (service, action, input) =>
    Object.hasOwn(answers, action) ? { ...answers[action] } : control.call(service, action, input),
});

describe("a REST API", () => {
  test("is proven by its own host, with its stage and the functions of its methods", async () => {
    const traced = await traceUrl(`https://${host()}/v1/open`, onAws());
    expect(traced).toEqual({
      proof: {
        steps: [host(), `REST API ${apiId()}`, "function shop"],
        functions: [shop],
        names: [
          ["API", expect.any(String)],
          ["stage", "v1"],
          ["integration", "function shop"],
        ],
        apis: [
          { kind: "REST API", apiId: apiId(), name: expect.any(String) as string, stage: "v1" },
        ],
        firewalls: [expect.stringMatching(/webacl\/shop\//)],
      },
    });
  });

  test("without such a stage is not proven", async () => {
    expect(await traceUrl(`https://${host()}/v2/open`, onAws())).toEqual({
      why: `REST API ${apiId()} has no stage v2`,
    });
  });

  test("is proven by a domain's base path, and not below another", async () => {
    expect(await traceUrl("https://shop.example/store/open", onAws())).toMatchObject({
      proof: { steps: ["shop.example", `REST API ${apiId()}`, "function shop"] },
    });
    expect(await traceUrl("https://shop.example/open", onAws())).toEqual({
      why: "shop.example has no API mapping for this path",
    });
  });

  test("is proven where only the first API lists the domain; the path may name the stage", async () => {
    const old = changed({ GetDomainNames: { Items: [] } });
    expect(
      await traceUrl("https://shop.example/store/open", onAws({ control: old })),
    ).toMatchObject({ proof: { functions: [shop] } });
    const open = changed({
      GetDomainNames: { Items: [] },
      GetBasePathMappings: { items: [{ basePath: "(none)", restApiId: apiId() }] },
    });
    expect(await traceUrl("https://shop.example/v1/open", onAws({ control: open }))).toMatchObject({
      proof: { apis: [{ apiId: apiId(), stage: "v1" }] },
    });
  });

  test("is reached in a rehearsal where the account has put it, by name and by port", async () => {
    const place = onAws({ endpoint: local.endpoint });
    const front = local.outputs.ApiUrl ?? "";
    const connectTo = new URL(front).host;
    expect(await traceUrl("http://shop.example/store", place)).toMatchObject({
      proof: { connectTo },
    });
    expect(await traceUrl(`${front}/open`, place)).toMatchObject({
      proof: { functions: [shop], connectTo },
    });
  });

  test("that hands on to another account belongs to that account", async () => {
    const uri = `arn:aws:apigateway:${REGION}:lambda:path/2015-03-31/functions/arn:aws:lambda:${REGION}:${THEIRS}:function:checkout/invocations`;
    const resourceMethods = { GET: { methodIntegration: { uri } } };
    const foreign = changed({ GetResources: { items: [{ resourceMethods }] } });
    expect(await traceUrl(`https://${host()}/v1/`, onAws({ control: foreign }))).toEqual({
      why: expect.stringMatching(new RegExp(`^API ${apiId()} hands on to arn:.*:${THEIRS}:`)),
      foreign: true,
    });
  });
});
