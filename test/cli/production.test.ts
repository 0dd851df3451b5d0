// What looks like production: names, tags of the stack, the list of accounts; and what does not.
import { describe, expect, test } from "vitest";
import { readDeployment } from "../../src/cli/outputs.ts";
import { productionSigns, refuseProduction } from "../../src/cli/production.ts";
import type { Json } from "../../src/core/change.ts";
import type { EnvironmentSpec } from "../../src/core/scenario.ts";

const ACCOUNT = "222222222222";
const environment = (more: Partial<EnvironmentSpec> = {}): EnvironmentSpec => ({
  ...{ name: "stg", account: ACCOUNT, awsRegion: "eu-west-1", endpoint: null, logs: null },
  ...{ outputs: {}, identities: {}, production: false },
  ...more,
});

interface Given {
  readonly names?: readonly (readonly [string, string])[];
  readonly tags?: { readonly [key: string]: string };
  readonly accounts?: string;
  readonly more?: Partial<EnvironmentSpec>;
}

const signs = ({ names = [], tags = {}, accounts, more = {} }: Given): string[] =>
  productionSigns({ environment: environment(more), names, tags, accounts });

describe("a name", () => {
  test.each([
    ...["prod", "shop-prod", "prod.example.com", "api.prod-eu.example.com", "shop_PRODUCTION_1"],
    ...["ShopProd", "ShopProdStack", "prodShop", "PRDShop", "checkout:prod", "eu1Prod", "prd2"],
    ...["function checkout:Production", "MyPRODApi"],
  ])("%s looks like production", (name) => {
    expect(signs({ names: [["host", name]] })).toEqual([`the host is called ${name}`]);
  });

  test.each([
    ...["product", "products.stg.example.com", "ProductService", "reproduce", "shop-stg", "live"],
    ...["nonproduct", "productionist", "approd", "shopPrompt", "PRODUCTS"],
  ])("%s does not", (name) => {
    expect(signs({ names: [["host", name]] })).toEqual([]);
  });

  test("of the environment counts like any other, and what it declares counts by itself", () => {
    expect(signs({ more: { name: "eu-prod", production: true } })).toEqual([
      "eu-prod is declared production",
      "the environment is called eu-prod",
    ]);
  });
});

describe("a tag of the stack", () => {
  const stack = (tags: { readonly [key: string]: string }) => ({
    call: async (_service: string, action: string, _input: { [key: string]: Json }) => {
      expect(action).toBe("DescribeStacks");
      const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
      return { Stacks: [{ StackStatus: "UPDATE_COMPLETE", Outputs: [], Tags }] };
    },
  });
  const read = async (tags: { readonly [key: string]: string }): Promise<string[]> => {
    const place = { dir: "/", file: "scenario.yaml" };
    const spec = environment({ outputs: { cloudformation: "shop" } });
    const found = await readDeployment(place, spec, stack(tags));
    return signs({ tags: found.tags });
  };

  test.each([
    ["Environment", "prod"],
    ["env", "Production"],
    ["shop:env", "prd-eu"],
    ["app/Stage", "ShopProd"],
    ["tier", "production"],
    ["production", "true"],
    ["shop:is-prod", "yes"],
  ])("%s=%s speaks for it", async (key, value) => {
    expect(await read({ Owner: "us", [key]: value })).toEqual([`it is tagged ${key}=${value}`]);
  });

  test.each([
    ["environment", "staging"],
    ["production", "false"],
    ["production", ""],
    ["owner", "prod-team"],
    ["product", "true"],
  ])("%s=%s does not", async (key, value) => {
    expect(await read({ [key]: value })).toEqual([]);
  });
});

describe("the list of accounts", () => {
  test.each([
    ...[ACCOUNT, `111111111111,${ACCOUNT}`, `111111111111 ,\n ${ACCOUNT},`, "2222-2222-2222"],
    ...[`111111111111;${ACCOUNT}`],
  ])("%j protects", (accounts) => {
    const sign = `account ${ACCOUNT} is listed in GATECRASH_PRODUCTION_ACCOUNTS`;
    expect(signs({ accounts })).toEqual([sign]);
  });

  test.each([undefined, "", "111111111111"])("%j does not", (accounts) => {
    expect(signs(accounts === undefined ? {} : { accounts })).toEqual([]);
  });

  test.each(["22222222222", "prod", `${ACCOUNT},eleven`, `${ACCOUNT}0`])(
    "%s is an error, for it would protect nothing",
    (accounts) => {
      expect(() => signs({ accounts })).toThrow(/GATECRASH_PRODUCTION_ACCOUNTS: \w+ is no account/);
    },
  );
});

describe("to mean it", () => {
  test("is to name the account, and no other", () => {
    const why = ["stg is declared production"];
    expect(() => refuseProduction(why, ACCOUNT, null)).toThrow(/this looks like production/);
    expect(() => refuseProduction(why, ACCOUNT, "111111111111")).toThrow(/the account is 2{12}/);
    expect(() => refuseProduction([], ACCOUNT, "111111111111")).toThrow(/the account is 2{12}/);
    refuseProduction(why, ACCOUNT, ACCOUNT);
    refuseProduction([], ACCOUNT, null);
  });
});
